import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { InstalledVersions } from '#contract/console-api/shapes.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { callApi } from '../../api/client.ts'
import { invalidateEndpoints } from '../../api/query.ts'
import type { BatchTarget } from '../../subjects/batch/dialog/BatchDialog.tsx'
import { BATCH_TARGETS_MAX } from '../../subjects/batch/batch-limits.ts'
import { loadAll } from '../../subjects/batch/load-all.ts'
import { errorView } from '../../i18n/describe-code.ts'
import { useText } from '../../i18n/use-text.ts'
import { showToast } from '../../ui/toast.ts'

/** The outdated installations of a bundle, or of one version of it. */
export interface Outdated {
  bundle: InstalledVersions['bundle']
  version?: string
}

/** Loads the targets of an upgrade when it is chosen. */
export function useUpgradeTargets(
  scope: Partial<Scope>,
  onLoaded: (targets: readonly BatchTarget[]) => void,
) {
  const t = useText()
  const client = useQueryClient()
  const { mutate, isPending, variables } = useMutation({
    mutationFn: ({ bundle: { environmentKey, bundleId }, version }: Outdated) =>
      loadAll((page) =>
        callApi('GET /installations', {
          query: {
            ...scope,
            bundleEnvironmentKey: environmentKey,
            bundleId,
            ...(version !== undefined && { version }),
            upgrade: 'available',
            ...page,
          },
        }),
      ),
    onSuccess: ({ rows, hasMore }) => {
      if (hasMore) showToast({ tone: 'info', text: t('versions.tooMany', { max: BATCH_TARGETS_MAX }) })
      if (rows.length > 0) {
        onLoaded(
          rows.map(({ installation, title, version }) => ({
            id: installation.bundleInstallId,
            installation,
            title,
            version,
          })),
        )
        return
      }
      showToast({ tone: 'info', text: t('versions.none') })
      void invalidateEndpoints(client, ['GET /installed-versions/scopes'])
    },
    onError: (error) => showToast({ tone: 'error', text: errorView(error).message }),
  })
  return { start: mutate, loading: isPending ? variables : null }
}
