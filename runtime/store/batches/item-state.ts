import { sql } from 'kysely'
import type { MessageParameters } from '#contract/protocol/envelope.ts'
import type { BatchItemState } from '#contract/runtime-api/vocabulary.ts'

/** Whether the operation of a running item has its result: it has ended in the run that the item started, or later. */
export const hasResult = sql<boolean>`(item.state = 'RUNNING' and operation.run >= item.operation_run
  and operation.state in ('SUCCEEDED', 'FAILED', 'TAKEN_OVER'))`

/** The state of an item as of now. The result of an operation shows here before it is recorded with the item. */
export const itemState = sql<BatchItemState>`case when not coalesce(${hasResult}, false) then item.state
  when operation.state = 'SUCCEEDED' then 'SUCCEEDED' else 'FAILED' end`

/** Why an item was refused, or its operation failed. */
export const itemCode = sql<string | null>`coalesce(item.code,
  case when ${itemState} = 'FAILED' then operation.failure ->> 'errorCode' end)`

/** Whether the failure of the operation is the result of the item, and not of a later run. */
const showsFailure = sql<boolean>`(${itemState} = 'FAILED'
  and (item.state = 'RUNNING' or operation.run = item.operation_run))`

/** The message of `itemCode`; null if the operation has been retried since. */
export const itemMessage = sql<string | null>`case when item.operation_id is null then item.message
  when ${showsFailure} then operation.failure ->> 'message' end`

/** The parameters of `itemMessage`. */
export const itemParameters = sql<MessageParameters | null>`case when item.operation_id is null then item.parameters
  when ${showsFailure} then operation.failure -> 'parameters' end`
