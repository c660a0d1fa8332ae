import { omitUndefined } from './search-params.ts'
import { causeFilters, type OperationsSearch } from './operations.ts'

/** The causes of failed operations, with the filters of the list of operations. They have one order. */
export const causesCall = (search: OperationsSearch) => {
  const { cursor, when } = search
  return { query: { ...causeFilters(search), ...omitUndefined({ cursor, when }), limit: 50 } }
}
/** The one cause of failed operations that a list is filtered by, with the other filters. */
export const oneCauseCall = (search: OperationsSearch) => ({
  query: { ...causeFilters(search), limit: 1 },
})
/** Only the scope selects, because the hours are those of all failures. */
export const causeHoursCall = ({ environmentKey, applicationRuntimeId, workspaceId }: OperationsSearch) => ({
  query: omitUndefined({ environmentKey, applicationRuntimeId, workspaceId }),
})

/** When the person last looked at the causes. */
export const lookedAtCall = { query: {} }
export const causeCall = (causeId: string) => ({ params: { causeId } })
/** The operations on the page of a cause. */
export const causeMembersCall = (causeId: string) => ({
  query: { causeId, sort: '-finishedAt' as const, limit: 200 },
})

const SHOWN_ON_DUTY = 50
/** What a person works on. */
export const myCausesCall = (personId: string) => ({
  query: { takenBy: personId, state: 'TAKEN,WAITING', limit: SHOWN_ON_DUTY },
})
export const myAssignedCall = (personId: string) => ({
  query: { assignee: personId, state: 'FAILED,WAITING,RUNNING,PENDING', limit: SHOWN_ON_DUTY },
})
/** What nobody works on. */
export const newCausesCall = { query: { state: 'NEW', limit: SHOWN_ON_DUTY } }
/** What somebody works on, or waits for. */
export const takenCausesCall = { query: { state: 'TAKEN,WAITING', limit: SHOWN_ON_DUTY } }
/** What was solved, the last failure first. */
export const solvedCausesCall = {
  query: { when: 'past' as const, state: 'SOLVED', limit: SHOWN_ON_DUTY },
}
