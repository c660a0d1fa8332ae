import { useQuery } from '@tanstack/react-query'
import type { InstallationDetail, PropertyView } from '#contract/console-api/shapes.ts'
import { apiQuery } from '../../../api/query.ts'
import { fieldId, type FieldId } from '../../../forms/property/field-id.ts'

const HISTORY_LIMIT = 200

/**
 * The visible part of the last configuration of a detached installation: the values that its DETACH removed. Null while
 * it is loading, and if it is not among the latest snapshots; the runtime can copy it all the same.
 */
export function useLastConfiguration(
  detail: InstallationDetail | undefined,
): ReadonlyMap<FieldId, PropertyView> | null {
  const enabled = detail !== undefined
  const bundleInstallId = detail?.installation.bundleInstallId ?? ''
  const { environmentKey = '', applicationRuntimeId = '', workspaceId = 0 } = detail?.installation ?? {}
  const detached = useQuery({
    ...apiQuery('GET /operations', {
      query: { bundleInstallId, operationType: 'DETACH', state: 'SUCCEEDED', limit: 1 },
    }),
    enabled,
  })
  const history = useQuery({
    ...apiQuery('GET /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration/history', {
      params: { environmentKey, applicationRuntimeId, workspaceId },
      query: { limit: HISTORY_LIMIT },
    }),
    enabled,
  })
  const operationId = detached.data?.items[0]?.operationId
  const snapshot =
    operationId === undefined
      ? undefined
      : history.data?.items.find((candidate) => candidate.operationId === operationId)
  if (snapshot === undefined) return null
  return new Map(
    snapshot.changes.flatMap(({ locator, property, before }) =>
      before === null ? [] : [[fieldId(locator, property), before] as const],
    ),
  )
}
