import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { configurationCall } from '#contract/console-api/pages/configuration.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { apiQuery } from '../../api/query.ts'
import { propertyTitle } from '../../forms/property/property-labels.ts'
import type { Titles } from '../../subjects/manifest/use-titles.ts'

const NO_SCOPE: Scope = { environmentKey: '', applicationRuntimeId: '', workspaceId: 0 }

/** The titles of what a scope has, for a request that changes its configuration; none without a scope. */
export function useScopeTitles(scope: Scope | null): Titles {
  const { data } = useQuery({
    ...apiQuery(
      'GET /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration',
      configurationCall(scope ?? NO_SCOPE),
    ),
    enabled: scope !== null,
  })
  return useMemo(() => {
    const definitionOf: Titles['definitionOf'] = (locator, property) =>
      data?.resources[locator ?? '']?.definitions[property]
    return {
      definitionOf,
      titleOf: (locator, property) => {
        if (property === undefined) return data?.resources[locator ?? '']?.title
        const definition = definitionOf(locator, property)
        return definition && propertyTitle(definition, property)
      },
    }
  }, [data])
}
