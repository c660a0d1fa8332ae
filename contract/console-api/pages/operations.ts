import { moment, omitUndefined, oneOf, someOf, text, whole, type Raw } from './search-params.ts'
import { OPERATION_TYPES } from '#contract/protocol/vocabulary.ts'
import {
  IN_DOUBT,
  NEXT_ACTIONS,
  NEXT_ACTORS,
  OPERATION_SORTS,
  OPERATION_STATES,
  PHASES,
} from '../vocabulary.ts'

export const operationsSearch = (raw: Raw) =>
  omitUndefined({
    environmentKey: text(raw, 'environmentKey'),
    applicationRuntimeId: text(raw, 'applicationRuntimeId'),
    workspaceId: whole(raw, 'workspaceId'),
    bundleInstallId: text(raw, 'bundleInstallId'),
    bundleEnvironmentKey: text(raw, 'bundleEnvironmentKey'),
    bundleId: text(raw, 'bundleId'),
    operationType: someOf(raw, 'operationType', OPERATION_TYPES),
    state: someOf(raw, 'state', OPERATION_STATES),
    phase: someOf(raw, 'phase', PHASES),
    nextActor: someOf(raw, 'nextActor', NEXT_ACTORS),
    nextAction: someOf(raw, 'nextAction', NEXT_ACTIONS),
    pluginId: text(raw, 'pluginId'),
    failedAt: text(raw, 'failedAt'),
    errorCode: text(raw, 'errorCode'),
    requestedBy: text(raw, 'requestedBy'),
    assignee: text(raw, 'assignee'),
    inDoubt: oneOf(raw, 'inDoubt', IN_DOUBT),
    since: moment(raw, 'since'),
    until: moment(raw, 'until'),
    causeId: text(raw, 'causeId'),
    q: text(raw, 'q'),
    view: oneOf(raw, 'view', ['causes']),
    when: oneOf(raw, 'when', ['past']),
    sort: oneOf(raw, 'sort', OPERATION_SORTS),
    cursor: text(raw, 'cursor'),
  })
export type OperationsSearch = ReturnType<typeof operationsSearch>

/** Which attempt of which call is looked at, and whether the history is a list instead of a timeline. */
export const operationSearch = (raw: Raw) =>
  omitUndefined({
    stage: oneOf(raw, 'stage', ['BEFORE_RESOURCES', 'AFTER_RESOURCES']),
    plugin: text(raw, 'plugin'),
    attempt: whole(raw, 'attempt'),
    view: oneOf(raw, 'view', ['list']),
  })
export type OperationSearch = ReturnType<typeof operationSearch>

/** Says where the days of a search text begin, such as "since Tuesday". */
export const inTimeZone = <Query extends { q?: string }>(query: Query): Query & { timeZone?: string } =>
  query.q === undefined ? query : { ...query, timeZone: new Intl.DateTimeFormat().resolvedOptions().timeZone }

/** What a list is filtered by, without how it is shown. The operations of a cause are all failed. */
export const causeFilters = (search: OperationsSearch) => {
  const { view: _, state: __, sort: ___, cursor: ____, when: _____, ...filters } = search
  return inTimeZone(filters)
}
export const operationsCall = (search: OperationsSearch) => {
  const { view: _, when: __, ...query } = search
  return { query: { ...inTimeZone(query), limit: 50 } }
}
/** How many operations the pages of the list have together. */
export const operationsTotalCall = (search: OperationsSearch) => {
  const { view: _, when: __, sort: ___, cursor: ____, ...query } = search
  return { query: inTimeZone(query) }
}
export const operationCall = (operationId: string) => ({ params: { operationId } })
/** The newest operations of one installation or plugin, as its page shows them. */
export const recentOperationsCall = (of: { bundleInstallId: string } | { pluginId: string }) => ({
  query: { ...of, limit: 20 },
})
