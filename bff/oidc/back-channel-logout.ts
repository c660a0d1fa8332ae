import { Hono } from 'hono'
import type { Context } from 'hono'
import { createRemoteJWKSet, customFetch, errors, jwtVerify } from 'jose'
import * as z from 'zod'
import { inTransaction } from '#database/transaction.ts'
import type { Clock } from '#http-kit/clock.ts'
import type { Log } from '#http-kit/log.ts'
import { readBody } from '#http-kit/requests.ts'
import { createTokenBuckets } from '#http-kit/token-bucket.ts'
import type { Origin, Recorder } from '../audit/recorder.ts'
import { ConsoleFailure } from '../failure.ts'
import { hashOf } from '#http-kit/random.ts'
import { deleteSessions, useLogoutToken } from '../store/sessions.ts'
import type { BffDb } from '../store/tables.ts'
import { fetchLimited } from './client.ts'
import type { IdpClient } from './client.ts'

export const BACK_CHANNEL_LOGOUT_PATH = '/auth/backchannel-logout'

const EVENT = 'http://schemas.openid.net/event/backchannel-logout'
const MAX_BODY_BYTES = 32_768
/** The maximum age of a logout token. A used token is remembered for longer. */
const MAX_AGE_SECONDS = 120
const TOLERANCE_SECONDS = 30
const REMEMBERED_SECONDS = 600
const KEYS_COOLDOWN_MS = 60_000
/** Per address; high enough for a provider that ends many sessions at once, which may also repeat what was refused. */
const RATE = { perSecond: 50, burst: 500 }

/** OpenID Connect Back-Channel Logout 1.0, section 2.4. */
const LogoutClaims = z.object({
  iss: z.string(),
  jti: z.string().min(1).max(1_000),
  iat: z.number(),
  sub: z.string().min(1).max(255).optional(),
  sid: z.string().min(1).max(255).optional(),
  events: z.looseObject({ [EVENT]: z.record(z.string(), z.unknown()) }),
  // an ID token must not work as a logout token
  nonce: z.undefined().optional(),
})

interface Options {
  db: BffDb
  idp: Pick<IdpClient, 'verification'>
  clientId: string
  clock: Pick<Clock, 'now'>
  recorder: Pick<Recorder, 'sessionEnded'>
  addressOf: (c: Context) => string
  originOf: (c: Context) => Origin
  log: Log
}

/**
 * `POST /auth/backchannel-logout`: the provider says that a person, or one session of theirs, is signed out. The signed
 * token is the only proof, so neither an origin nor a header of the console is asked for.
 */
export function backChannelLogout(options: Options): Hono {
  const buckets = createTokenBuckets(RATE)
  const verify = createVerifier(options)
  return new Hono().post(BACK_CHANNEL_LOGOUT_PATH, async (c) => {
    c.header('cache-control', 'no-store')
    if (!buckets.take(options.addressOf(c))) {
      c.header('retry-after', '1')
      throw new ConsoleFailure('RATE_LIMITED', { retryable: true })
    }
    const { requestId } = options.originOf(c)
    const token = await tokenIn(c)
    const claims = token === null ? null : await verify(token, requestId)
    if (claims === null) return refused(c)
    const isFirst = await endSessions(claims, options.originOf(c), options)
    return isFirst ? c.body(null, 200) : refused(c)
  })
}

function refused(c: Context): Response {
  const problem = { error: 'invalid_request', error_description: 'The logout token is not valid' }
  return c.json(problem, 400)
}

async function tokenIn(c: Context): Promise<string | null> {
  const type = c.req.header('content-type')?.split(';', 1)[0]?.trim().toLowerCase()
  if (type !== 'application/x-www-form-urlencoded') return null
  const body = await readBody(c.req.raw, MAX_BODY_BYTES)
  const tokens = new URLSearchParams(Buffer.from(body).toString('utf8')).getAll('logout_token')
  return tokens.length === 1 && tokens[0] !== undefined ? tokens[0] : null
}

/** Error codes of jose if the key set cannot be fetched or read. */
const ABOUT_KEYS = new Set(['ERR_JOSE_GENERIC', 'ERR_JWKS_TIMEOUT', 'ERR_JWKS_INVALID'])
const isAboutKeys = (error: unknown): boolean =>
  !(error instanceof errors.JOSEError) || ABOUT_KEYS.has(error.code)

type Claims = z.output<typeof LogoutClaims>

function createVerifier({ idp, clientId, clock, log }: Options) {
  let keys: { uri: string; set: ReturnType<typeof createRemoteJWKSet> } | null = null
  return async (token: string, requestId: string): Promise<Claims | null> => {
    const unreachable = (message: string, error: unknown): ConsoleFailure => {
      log.warn(message, { requestId }, error)
      return new ConsoleFailure('UPSTREAM_UNAVAILABLE', { retryable: true })
    }
    let verification
    try {
      verification = await idp.verification()
    } catch (error) {
      throw unreachable('the identity provider cannot be reached', error)
    }
    const { issuer, jwksUri, algorithms } = verification
    if (keys?.uri !== jwksUri) {
      // anybody may send a token with a key that does not exist
      const set = createRemoteJWKSet(new URL(jwksUri), {
        cooldownDuration: KEYS_COOLDOWN_MS,
        [customFetch]: fetchLimited,
      })
      keys = { uri: jwksUri, set }
    }
    const areKeysOld = keys.set.coolingDown
    try {
      const { payload, protectedHeader } = await jwtVerify(token, keys.set, {
        issuer,
        audience: clientId,
        algorithms,
        currentDate: clock.now(),
        clockTolerance: TOLERANCE_SECONDS,
        maxTokenAge: MAX_AGE_SECONDS,
      })
      // older providers do not name the type
      const type = protectedHeader.typ?.toLowerCase().replace(/^application\//, '') ?? 'jwt'
      const claims = LogoutClaims.safeParse(payload)
      const isAboutSomebody = payload.sub !== undefined || payload['sid'] !== undefined
      if (claims.success && isAboutSomebody && ['logout+jwt', 'jwt'].includes(type)) return claims.data
      log.warn('a logout token was refused', { requestId, problem: 'claims or type' })
    } catch (error) {
      // the token may be valid: the provider sends it again
      if (isAboutKeys(error)) throw unreachable('the keys of the identity provider cannot be read', error)
      if (areKeysOld && error instanceof errors.JWKSNoMatchingKey)
        throw unreachable('a logout token has a key that is unknown until the keys are read again', error)
      log.warn('a logout token was refused', { requestId }, error)
    }
    return null
  }
}

/** Ends what the token names, once; false if the token was used before. */
function endSessions(
  { iss, jti, sub, sid }: Claims,
  origin: Origin,
  { db, clock, recorder, log }: Options,
): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const tokenHash = hashOf(JSON.stringify([iss, jti]))
    if (!(await useLogoutToken(tx, tokenHash, { now: clock.now(), seconds: REMEMBERED_SECONDS })))
      return false
    const ended = await deleteSessions(tx, { iss, sub, providerSession: sid })
    for (const { sub: id, name } of ended)
      await recorder.sessionEnded(tx, { id, name, issuer: iss }, origin, 'identity provider')
    log.info('the identity provider signed a person out', { iss, sub, ended: ended.length })
    return true
  })
}
