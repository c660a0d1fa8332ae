import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { configuredInstallationsCall } from '#contract/console-api/pages/configuration.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { apiQuery } from '../../api/query.ts'

/** What the active installations of a scope are called, and their versions, by ID. They are loaded after the page. */
export function useInstallationTitles(scope: Scope) {
  const { data } = useQuery(apiQuery('GET /installations', configuredInstallationsCall(scope)))
  return useMemo(
    () =>
      new Map(
        (data?.items ?? []).map(({ installation, title, version }) => [
          installation.bundleInstallId,
          { title: title ?? installation.bundle.bundleId, version },
        ]),
      ),
    [data],
  )
}
