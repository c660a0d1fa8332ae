import { sql } from 'kysely'
import type { JsonValue } from '#contract/json-schema/json.ts'
import type { Stage } from '#contract/protocol/vocabulary.ts'
import type { Failure } from '#contract/runtime-api/common.ts'
import { maskStrings } from '#http-kit/scrub.ts'
import { maskFailure } from '../../engine/calls/failures.ts'
import type { Tx } from '../../deps/runtime-deps.ts'

/** Values of an operation that are known to be sensitive only since a plugin wrote them. */
export interface NewSecrets {
  operationId: string
  secrets: readonly JsonValue[]
}

interface Told {
  operation_id: string
  stage: Stage
  plugin_id: string
  /** Null for what the call itself keeps of its last attempt. */
  attempt: number | null
  failure: Failure | null
  response: JsonValue
}

/** Masks the values in what plugins had told of them before, in attempts and calls of the operation. */
export async function maskTold(tx: Tx, operations: readonly NewSecrets[]): Promise<void> {
  if (operations.length === 0) return
  const ids = operations.map(({ operationId }) => operationId)
  const { rows } = await sql<Told>`
    select operation_id, stage, plugin_id, attempt, failure, response from runtime.attempt
    where operation_id = any(${ids}::uuid[]) and finished_at is not null
    union all
    select operation_id, stage, plugin_id, null, last_failure, null from runtime.plugin_call
    where operation_id = any(${ids}::uuid[]) and last_failure is not null`.execute(tx)
  for (const told of rows) {
    const secrets = operations
      .filter(({ operationId }) => operationId === told.operation_id)
      .flatMap((operation) => operation.secrets)
    const masked = maskedOf(told, secrets)
    if (masked !== null) await keepMasked(tx, told, masked)
  }
}

type Masked = Pick<Told, 'failure' | 'response'>

/** Null where there is nothing to mask. */
function maskedOf({ failure, response }: Told, secrets: readonly JsonValue[]): Masked | null {
  const masked = {
    failure: maskFailure(failure, secrets),
    response: maskStrings(response, secrets),
  }
  return JSON.stringify(masked) === JSON.stringify({ failure, response }) ? null : masked
}

async function keepMasked(tx: Tx, told: Told, { failure, response }: Masked): Promise<void> {
  const key = { operation_id: told.operation_id, stage: told.stage, plugin_id: told.plugin_id }
  if (told.attempt === null)
    await tx
      .updateTable('runtime.plugin_call')
      .set({ last_failure: failure && JSON.stringify(failure) })
      .where((row) => row.and(key))
      .execute()
  else
    await tx
      .updateTable('runtime.attempt')
      .set({
        failure: failure && JSON.stringify(failure),
        response: response === null ? null : JSON.stringify(response),
      })
      .where((row) => row.and({ ...key, attempt: told.attempt ?? 0 }))
      .execute()
}
