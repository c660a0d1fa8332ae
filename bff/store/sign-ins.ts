import { sql } from 'kysely'
import type { BffDb } from './tables.ts'

/** How long a sign-in may take at the identity provider. */
export const SIGN_IN_SECONDS = 600

/** The session that a sign-in confirms. Only its person may complete the sign-in. */
export interface Confirmed {
  sessionHash: Buffer
  iss: string
  sub: string
}

interface SignIn {
  stateHash: Buffer
  browserHash: Buffer
  returnTo: string
  /** Null: an ordinary sign-in. */
  confirms: Confirmed | null
}

export async function createSignIn(db: BffDb, signIn: SignIn): Promise<void> {
  const { stateHash, browserHash, returnTo, confirms } = signIn
  await sql`
    insert into bff.sign_in (state_hash, browser_hash, return_to, confirms_session, confirms_iss, confirms_sub)
    values (${stateHash}, ${browserHash}, ${returnTo},
      ${confirms?.sessionHash ?? null}, ${confirms?.iss ?? null}, ${confirms?.sub ?? null})`.execute(db)
}

/**
 * Removes a sign-in and returns its `returnTo` and what it confirms; null if this browser has none with this state, it has expired,
 * or it was already taken. One statement, so that only one of two equal callbacks gets it.
 */
export async function takeSignIn(
  db: BffDb,
  keys: { stateHash: Buffer; browserHash: Buffer },
): Promise<Pick<SignIn, 'returnTo' | 'confirms'> | null> {
  const { rows } = await sql<{
    returnTo: string
    sessionHash: Buffer | null
    iss: string | null
    sub: string | null
    isFresh: boolean
  }>`
    delete from bff.sign_in where state_hash = ${keys.stateHash} and browser_hash = ${keys.browserHash}
    returning return_to as "returnTo", confirms_session as "sessionHash", confirms_iss as iss, confirms_sub as sub,
      created_at > clock_timestamp() - make_interval(secs => ${SIGN_IN_SECONDS}) as "isFresh"`.execute(db)
  const taken = rows[0]
  if (taken?.isFresh !== true) return null
  const { returnTo, sessionHash, iss, sub } = taken
  const isConfirming = sessionHash !== null && iss !== null && sub !== null
  return { returnTo, confirms: isConfirming ? { sessionHash, iss, sub } : null }
}
