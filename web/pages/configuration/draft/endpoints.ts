import { configurationCall } from '#contract/console-api/pages/configuration.ts'
import type { Snapshot } from '#contract/console-api/shapes.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { queryOptions } from '@tanstack/react-query'
import { callApi } from '../../../api/client.ts'
import { apiQuery } from '../../../api/query.ts'

const base = '/scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration' as const

export const CONFIGURATION = `GET ${base}` as const
export const HISTORY = `GET ${base}/history` as const
export const PEOPLE = `GET ${base}/history/people` as const
export const SNAPSHOT = `GET ${base}/snapshots/{snapshotVersion}` as const
export const PLAN = `POST ${base}/plan` as const
export const SAVE = `PATCH ${base}` as const

export const configurationQuery = (scope: Scope) => apiQuery(CONFIGURATION, configurationCall(scope))

const PAGE = 200
/** With more snapshots than this, the history is not fetched; all sensitive values then count as changed. */
const PAGES_MAX = 10

/** The snapshots after `since`, up to the displayed one; `isWhole` is false if there are too many. */
export const snapshotsSince = (scope: Scope, since: number, upTo: number) =>
  queryOptions({
    queryKey: [HISTORY, { params: scope, since, upTo }] as const,
    queryFn: async ({ signal }) => {
      const found: Snapshot[] = []
      let cursor: string | undefined
      for (let page = 0; page < PAGES_MAX; page++) {
        const query = {
          limit: Math.min(PAGE, Math.max(1, upTo - since)),
          ...(cursor !== undefined && { cursor }),
        }
        const { items, nextCursor } = await callApi(HISTORY, { params: scope, query }, { signal })
        found.push(...items.filter(({ snapshotVersion }) => snapshotVersion > since))
        const isDone =
          nextCursor === null || items.some(({ snapshotVersion }) => snapshotVersion <= since + 1)
        if (isDone) return { snapshots: found, isWhole: true }
        cursor = nextCursor
      }
      return { snapshots: found, isWhole: false }
    },
    // the history between two snapshots never changes
    staleTime: Infinity,
  })
