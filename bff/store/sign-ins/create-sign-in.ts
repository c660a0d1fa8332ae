import { sql } from 'kysely'
import type { BffDb } from '../tables.ts'

/** How long a sign-in may take at the identity provider. */
export const SIGN_IN_SECONDS = 600

export interface SignIn {
  stateHash: Buffer
  browserHash: Buffer
  returnTo: string
}

export async function createSignIn(db: BffDb, signIn: SignIn): Promise<void> {
  await sql`
    insert into bff.sign_in (state_hash, browser_hash, return_to)
    values (${signIn.stateHash}, ${signIn.browserHash}, ${signIn.returnTo})`.execute(db)
}
