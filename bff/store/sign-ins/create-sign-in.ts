import { sql } from 'kysely'
import type { BffDb } from '../tables.ts'

/** How long a sign-in may take at the identity provider. */
export const SIGN_IN_SECONDS = 600

/** The session that a sign-in confirms. Only its person may complete the sign-in. */
export interface Confirmed {
  sessionHash: Buffer
  iss: string
  sub: string
}

export interface SignIn {
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
