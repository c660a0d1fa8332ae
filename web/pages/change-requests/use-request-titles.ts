import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { configurationCall } from '#contract/console-api/pages/configuration.ts'
import type { ChangePlan, ChangeRequestDetail } from '#contract/console-api/shapes.ts'
import { parseLocator } from '#contract/protocol/locator.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { apiQuery } from '../../api/query.ts'
import { propertyTitle } from '../../forms/property/property-labels.ts'
import { useTitlesIn, type Titles } from '../../subjects/manifest/use-titles.ts'

/**
 * The titles of everything that the page of a request names: of a CONFIGURE as its scope has them, of every other kind as the
 * version does that it leads to, or else the present one, which only a plan knows.
 */
export function useRequestTitles(request: ChangeRequestDetail, plan: ChangePlan | undefined): Titles {
  const { kind, scope } = request
  const isConfigure = kind === 'CONFIGURE'
  const ofScope = useScopeTitles(isConfigure ? scope : null)
  const ofVersions = useTitlesIn(isConfigure ? [] : versionsNamed(request, plan))
  return isConfigure ? ofScope : ofVersions
}

/** Each version of a bundle of which the page names a resource; the one that the request leads to is the last. */
function versionsNamed(
  { input, approvedBy, history }: ChangeRequestDetail,
  { operation, batch }: Partial<ChangePlan> = {},
) {
  const items = batch?.items ?? []
  const locators = [
    ...Object.keys(input.properties ?? {}),
    ...approvedBy.flatMap(({ difference }) => (difference?.values ?? []).map(({ locator }) => locator)),
    ...history.flatMap(({ target }) => target?.locator ?? []),
    ...items.flatMap(({ values, problems }) =>
      [...values, ...problems].flatMap(({ locator }) => locator ?? []),
    ),
  ]
  const versions = new Map<string, { environmentKey: string; bundleId: string; version: string }>()
  for (const locator of new Set(locators)) {
    const bundle = parseLocator(locator)
    if (bundle === null) continue
    const { environmentKey, bundleId } = bundle
    const present = items.flatMap((item) =>
      item.bundle.environmentKey === environmentKey && item.bundle.bundleId === bundleId
        ? (item.currentVersion ?? [])
        : [],
    )
    const next = input.targetVersion ?? input.batch?.targetVersion ?? operation?.targetVersion
    for (const version of new Set([...present, operation?.currentVersion, next]))
      if (version !== undefined && version !== null)
        versions.set(`${environmentKey} ${bundleId} ${version}`, { environmentKey, bundleId, version })
  }
  return [...versions.values()]
}

const NO_SCOPE: Scope = { environmentKey: '', applicationRuntimeId: '', workspaceId: 0 }

/** The titles of what a scope has; none without a scope. */
function useScopeTitles(scope: Scope | null): Titles {
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
