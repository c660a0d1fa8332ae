import { configurationCall } from '#contract/console-api/pages/configuration.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { HISTORY, SNAPSHOT, snapshotsSince } from '../../../subjects/merge/changes-since.ts'
import { apiQuery } from '../../../api/query.ts'

const base = '/scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration' as const

export const CONFIGURATION = `GET ${base}` as const
export const PEOPLE = `GET ${base}/history/people` as const
export const PLAN = `POST ${base}/plan` as const
export const SAVE = `PATCH ${base}` as const

export const configurationQuery = (scope: Scope) => apiQuery(CONFIGURATION, configurationCall(scope))

export { HISTORY, SNAPSHOT, snapshotsSince }
