import type { PropertyRow } from '#contract/console-api/shapes.ts'
import { callApi } from '../../api/client.ts'
import type { Edit } from '../../forms/property/property-edit.ts'
import { changesNothing, editTo, isHidden } from '../../forms/property/property-value.ts'

const HISTORY =
  'GET /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration/history' as const

/** Each reads a history of its own. */
export const RESTORED_MAX = 50

/**
 * What each value was before its last change, by installation. An installation is left out if its value was never changed
 * since it was installed, or if the earlier value is hidden.
 */
export async function readEarlierValues(rows: readonly PropertyRow[]): Promise<ReadonlyMap<string, Edit>> {
  const read = await Promise.all(
    rows.map(async ({ installation, locator, property, value }) => {
      const { bundleInstallId, environmentKey, applicationRuntimeId, workspaceId } = installation
      const { items } = await callApi(HISTORY, {
        params: { environmentKey, applicationRuntimeId, workspaceId },
        query: { locator, property, limit: 1 },
      })
      const [newest] = items
      const [change] = newest?.changes ?? []
      if (newest === undefined || newest.cause === 'INSTALL' || change === undefined) return null
      if (isHidden(change.before)) return null
      const edit = editTo(change.before)
      return changesNothing(edit, value) ? null : ([bundleInstallId, edit] as const)
    }),
  )
  return new Map(read.filter((edit) => edit !== null))
}
