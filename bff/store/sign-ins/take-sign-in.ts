import { sql } from 'kysely'
import { SIGN_IN_SECONDS } from './create-sign-in.ts'
import type { BffDb } from '../tables.ts'

/**
 * Removes a sign-in and returns its `returnTo`; null if this browser has none with this state, it has expired,
 * or it was already taken. One statement, so that only one of two equal callbacks gets it.
 */
export async function takeSignIn(
  db: BffDb,
  keys: { stateHash: Buffer; browserHash: Buffer },
): Promise<{ returnTo: string } | null> {
  const { rows } = await sql<{ returnTo: string; isFresh: boolean }>`
    delete from bff.sign_in where state_hash = ${keys.stateHash} and browser_hash = ${keys.browserHash}
    returning return_to as "returnTo",
      created_at > clock_timestamp() - make_interval(secs => ${SIGN_IN_SECONDS}) as "isFresh"`.execute(db)
  const taken = rows[0]
  return taken?.isFresh === true ? { returnTo: taken.returnTo } : null
}
