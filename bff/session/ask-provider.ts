import { setTimeout } from 'node:timers/promises'
import { inTransaction } from '#database/transaction.ts'
import { rejectsWrites, throwUnless } from '#database/unreachable.ts'
import type { Clock } from '#http-kit/clock.ts'
import type { Log } from '#http-kit/log.ts'
import type { Recorder } from '../audit/recorder.ts'
import { readClaims } from '../oidc/claims.ts'
import type { ReadOptions } from '../oidc/claims.ts'
import { isRevoked } from '../oidc/client.ts'
import type { IdpClient } from '../oidc/client.ts'
import { providerReason } from '../oidc/provider-reason.ts'
import { claimAsking, endSession, storeTokens, updatePerson } from '../store/sessions.ts'
import type { StoredSession } from '../store/sessions.ts'
import type { BffDb } from '../store/tables.ts'
import { endSessionsOfPerson } from './end-sessions.ts'
import { openTokens, sealTokens } from './sealed-tokens.ts'
import type { AskProvider } from './sessions.ts'

interface AskOptions {
  db: BffDb
  idp: Pick<IdpClient, 'refresh'>
  rolesClaim: ReadOptions['rolesClaim']
  roleMap: ReadOptions['roleMap']
  /** How often a session that is used asks. */
  intervalSeconds: number
  clock: Pick<Clock, 'now'>
  recorder: Pick<Recorder, 'sessionEnded'>
  log: Log
}

/** How long a request waits for the provider. After that it is served as before, and the response applies to the next one. */
const WAIT_MS = 2_000

/** The origin of what the provider did. */
const NOBODY = { clientAddress: '', requestId: '' }

/**
 * Asks the provider with the refresh token of a session whether its person may still use the console, and with which
 * roles. Of all requests on all replicas one asks, because only one moves `asked_at` on; the others do not wait. A
 * provider that cannot be reached ends no session: the limits of the session do.
 */
export function createAskProvider(options: AskOptions): AskProvider {
  const { db, idp, intervalSeconds, clock, recorder, log } = options

  const ask = async (
    session: StoredSession,
    { id, idHash }: { id: string; idHash: Buffer },
    sealed: Buffer,
  ): Promise<StoredSession | null> => {
    const tokens = openTokens(id, sealed)
    if (tokens === null || tokens.refreshToken === null) return session
    const { iss, sub } = session
    try {
      const refreshed = await idp.refresh(tokens.refreshToken, sub)
      // first: the old refresh token may be used up
      const idToken = refreshed.idToken ?? tokens.idToken
      const refreshToken = refreshed.refreshToken ?? tokens.refreshToken
      await storeTokens(db, idHash, sealTokens(id, { idToken, refreshToken }))
      if (refreshed.claims === null) return session
      // of the issuer that the sign-in was of: OIDC_ISSUER may be written with a slash more or less
      const read = readClaims({ ...refreshed.claims, iss }, { ...options, now: clock.now() })
      if (read === null) return session
      const { person } = read
      if (person.roles.length === 0) {
        log.warn('a person has no role any more', { iss, sub })
        await endSessionsOfPerson(db, { person, recorder, origin: NOBODY, reason: 'no role' })
        return null
      }
      await updatePerson(db, person)
      return { ...session, name: person.name, roles: person.roles }
    } catch (error) {
      if (!isRevoked(error)) {
        log.warn(
          'the identity provider did not say whether a person is still signed in',
          providerReason(error),
          error,
        )
        return session
      }
    }
    log.info('the identity provider ended a session', { iss, sub })
    await inTransaction(db, async (tx) => {
      const ended = await endSession(tx, idHash)
      const person = { id: sub, name: session.name, issuer: iss }
      if (ended !== null) await recorder.sessionEnded(tx, person, NOBODY, 'identity provider')
    })
    return null
  }

  return async (session, ids) => {
    const { askedSeconds } = session
    // in the future if the clock was set back since
    if (askedSeconds === null || Math.abs(askedSeconds) < intervalSeconds) return session
    const sealed =
      (await claimAsking(db, ids.idHash, { now: clock.now(), intervalSeconds }).catch(
        throwUnless(rejectsWrites),
      )) ?? null
    if (sealed === null) return session
    const waiting = new AbortController()
    try {
      return await Promise.race([
        ask(session, ids, sealed).catch((error: unknown) => {
          log.warn('the answer of the identity provider could not be stored', {}, error)
          return session
        }),
        setTimeout(WAIT_MS, session, { signal: waiting.signal }),
      ])
    } finally {
      waiting.abort()
    }
  }
}
