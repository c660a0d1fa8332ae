import type { JsonValue } from '#contract/json-schema/json.ts'
import { maskStrings } from '#http-kit/text/scrub.ts'
import { maskFailure } from '../engine/calls/failures.ts'
import type { NewSecrets } from '../model/attempt.ts'
import type { Tx } from '../model/db.ts'
import { putRecorded, readRecorded } from '../store/operations/recorded-answers.ts'
import type { RecordedAnswer } from '../store/operations/recorded-answers.ts'

/** Redacts newly recognized secrets in the answers already recorded for their operations. */
export async function redactRecorded(tx: Tx, operations: readonly NewSecrets[]): Promise<void> {
  if (operations.length === 0) return
  const recorded = await readRecorded(
    tx,
    operations.map(({ operationId }) => operationId),
  )
  for (const answer of recorded) {
    const secrets = operations
      .filter(({ operationId }) => operationId === answer.operation_id)
      .flatMap((operation) => operation.secrets)
    const redacted = redact(answer, secrets)
    if (redacted !== null) await putRecorded(tx, redacted)
  }
}

/** Null if nothing has to be redacted. */
function redact(answer: RecordedAnswer, secrets: readonly JsonValue[]): RecordedAnswer | null {
  const { failure, response } = answer
  const redacted = { failure: maskFailure(failure, secrets), response: maskStrings(response, secrets) }
  return JSON.stringify(redacted) === JSON.stringify({ failure, response })
    ? null
    : { ...answer, ...redacted }
}
