import { inTransaction } from '#database/transaction.ts'
import type { KnownPerson, Origin, Recorder } from '../audit/recorder.ts'
import { deleteSessions } from '../store/sessions.ts'
import type { BffDb } from '../store/tables.ts'

/**
 * Ends all sessions of a person on every replica, and records each in the audit.
 *
 * @param options.actor who ends them; or `options.reason`, what did, for the audit.
 * @returns how many there were.
 */
export function endSessionsOfPerson(
  db: BffDb,
  options: {
    person: { iss: string; sub: string }
    recorder: Pick<Recorder, 'sessionEnded'>
    origin: Origin
  } & ({ reason: string } | { actor: KnownPerson }),
): Promise<number> {
  const { person, recorder, origin } = options
  return inTransaction(db, async (tx) => {
    const ended = await deleteSessions(tx, { iss: person.iss, sub: person.sub })
    for (const { iss, sub, name } of ended) {
      const [actor, reason] =
        'actor' in options
          ? [options.actor, `${name}, ${sub}`]
          : [{ id: sub, name, issuer: iss }, options.reason]
      await recorder.sessionEnded(tx, actor, origin, reason)
    }
    return ended.length
  })
}
