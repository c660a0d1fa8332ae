import { platformMessage } from '#contract/protocol/platform-messages.ts'
import type { RuntimeErrorCode } from '#contract/protocol/error-codes.ts'
import { sql } from 'kysely'
import { inTransaction } from '#database/transaction.ts'
import type { JsonValue } from '#contract/json-schema/json.ts'
import { DomainError } from '../../engine/refusals.ts'
import { opening } from '../../sealing/sealed-value.ts'
import { closeKey, openKey } from '../../store/idempotency.ts'
import type { IdempotencyKey } from '../../store/idempotency.ts'
import type { RuntimeDeps } from '../../deps/runtime-deps.ts'
import type { Tx } from '../../model/db.ts'

export interface Once {
  key: IdempotencyKey
  /** The same text for the same request. */
  request: string
  /** Performs the write. A DomainError from it rolls back everything that it did. */
  run(tx: Tx): Promise<{
    answer: JsonValue
    /** The response to a repeat, if it differs. */
    kept?: JsonValue
  }>
  /**
   * The response to a refusal, and the code in it; called after the write was rolled back, in the same transaction.
   */
  refuse(tx: Tx, refusal: DomainError): Promise<{ answer: JsonValue; code: RuntimeErrorCode }>
  /** Throws a DomainError if the actor may no longer see the response. */
  mayRepeat(tx: Tx): Promise<void>
}

export interface OnceAnswer {
  answer: JsonValue
  /** Whether this call wrote something; false for a refusal and for a repeat. */
  wrote: boolean
}

/**
 * Performs a write at most once per key. The write, the key and the response are stored in one transaction. A
 * refusal is stored too, except one that says nothing about the request, such as PERMISSION_DENIED.
 *
 * Throws DomainError IDEMPOTENCY_KEY_REUSED if the key was used with another body, and whatever `mayRepeat` throws.
 */
export function answerOnce(
  { db, vault }: Pick<RuntimeDeps, 'db' | 'vault'>,
  once: Once,
): Promise<OnceAnswer> {
  // keyed, because a secret in the request could be guessed and verified against a plain hash
  const digest = vault.digest(once.request)
  return inTransaction(db, async (tx) => {
    const opened = await openKey(tx, once.key, digest)
    if (!opened.isNew) {
      const { requestHash } = opened
      const isSame = await opening(vault, tx, () => vault.isDigestOf(requestHash, once.request))
      if (!isSame) throw reused()
      await once.mayRepeat(tx)
      return { answer: opened.answer, wrote: false }
    }
    await sql`savepoint use_case`.execute(tx)
    try {
      const { answer, kept } = await once.run(tx)
      await closeKey(tx, once.key, kept ?? answer)
      return { answer, wrote: true }
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
      await sql`rollback to savepoint use_case`.execute(tx)
      const { answer, code } = await once.refuse(tx, error)
      await closeKey(tx, once.key, ABOUT_THE_PERSON.has(code) ? null : answer)
      return { answer, wrote: false }
    }
  })
}

/** What the person may do now: the same request may succeed later. */
const ABOUT_THE_PERSON: ReadonlySet<RuntimeErrorCode> = new Set<RuntimeErrorCode>([
  'PERMISSION_DENIED',
  'RECENT_SIGN_IN_REQUIRED',
  'TOO_MANY_COMPARISONS',
])

function reused(): DomainError {
  return new DomainError('IDEMPOTENCY_KEY_REUSED', platformMessage('keyReused'))
}
