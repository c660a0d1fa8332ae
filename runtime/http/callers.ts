import { createHash, timingSafeEqual } from 'node:crypto'
import { errors, jwtVerify } from 'jose'
import type { JWTVerifyGetKey } from 'jose'
import * as z from 'zod'
import type { Access } from '#contract/endpoint/endpoint.ts'
import { Grant } from '#contract/endpoint/grant.ts'
import {
  isRecentSignIn,
  RECENT_SIGN_IN_SECONDS,
  mayAnywhere,
  mayEverywhere,
} from '#contract/endpoint/permission.ts'
import { platformMessage } from '#contract/protocol/platform-messages.ts'
import type { Clock } from '#http-kit/clock.ts'
import { whyNoResponse } from '#http-kit/outbound-result.ts'
import { TransportError } from '#http-kit/problem-response.ts'
import type { SharedClock } from '#http-kit/shared-clock.ts'
import { createTokenBuckets, createTurns } from '#http-kit/token-bucket.ts'
import type { Rate } from '#http-kit/token-bucket.ts'
import { DomainError } from '../engine/refusals.ts'
import type { Actor } from '../model/actor.ts'
import { authorize } from '../use-cases/authorize.ts'

/** The token of `Authorization: Bearer …`, or undefined for anything else. */
export function bearerOf(request: Request): string | undefined {
  return /^Bearer ([A-Za-z0-9._~+/=-]{1,4096})$/i.exec(request.headers.get('authorization') ?? '')?.[1]
}

/** Compares in constant time; hashing first makes the lengths equal. */
export function createServiceCheck(
  credentials: readonly string[],
  onRefused: (refused: RefusedCaller) => void = () => undefined,
): (request: Request) => void {
  const known = credentials.map(digest)
  return (request) => {
    const token = digest(bearerOf(request) ?? '')
    // all are compared, so that the time does not reveal which one almost matched
    const matches = known.filter((credential) => timingSafeEqual(credential, token))
    if (matches.length > 0) return
    onRefused(new RefusedCaller('its credential is missing, or not one of RUNTIME_API_CREDENTIAL'))
    throw unauthenticated('The service credential is missing or unknown')
  }
}

/** @param challenge what is missing: the service's credential, or the assertion of whom it acts for. */
export function unauthenticated(
  message: string,
  challenge: 'Bearer' | 'Actor-Assertion' = 'Bearer',
): TransportError {
  return new TransportError('AUTHENTICATION_REQUIRED', message, { 'www-authenticate': challenge })
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

const ACTOR_HEADER = 'X-Runtime-Actor-Assertion'

const LIFETIME_SECONDS = 60
/** Tolerance for the clock difference between two machines. */
const TOLERANCE_SECONDS = 5

const Claims = z.object({
  sub: z.string().min(1).max(256),
  name: z.string().min(1).max(256),
  iat: z.number(),
  exp: z.number(),
  grants: z.array(Grant).max(10_000),
  issuer: z.string().min(1).max(2_048).optional(),
  clientAddress: z.string().min(1).max(64).optional(),
  /** When the identity provider authenticated the person, in seconds since 1970. */
  auth_time: z.number().optional(),
})

/** The times at which an assertion may be valid, and how to look at the clocks again. */
type Times = Pick<SharedClock, 'possibleTimes' | 'refresh'>

/** What an assertion authorizes: requests of people, or recording what a console did itself. */
type AssertionAudience = 'bundle-runtime' | 'bundle-runtime-audit'

/**
 * Reads the actor from the signed assertion: EdDSA, for one audience, valid for at most 60 s.
 *
 * @param options.recentSignInSeconds how long a sign-in counts as recent.
 * @param options.onRefused receives the reason of a refusal.
 * @throws TransportError 401 for a missing or invalid one, 503 if the keys cannot be fetched.
 */
export function createActorCheck(
  keys: JWTVerifyGetKey,
  clock: Times,
  {
    audience = 'bundle-runtime',
    recentSignInSeconds = RECENT_SIGN_IN_SECONDS,
    onRefused = () => undefined,
  }: {
    audience?: AssertionAudience
    recentSignInSeconds?: number
    onRefused?: (refused: RefusedCaller) => void
  } = {},
): (request: Request, requestId: string) => Promise<Actor> {
  return async (request, requestId) => {
    const assertion = request.headers.get(ACTOR_HEADER)
    if (assertion === null) throw unauthenticated(`${ACTOR_HEADER} is missing`, 'Actor-Assertion')
    const { payload, at } = await verify(assertion, { keys, clock, audience }).catch((error: unknown) => {
      onRefused(new RefusedCaller(reasonOf(error)))
      if (!isAboutKeys(error)) throw invalid()
      // the key server is unavailable, but the assertion may be valid
      throw new TransportError('SERVICE_UNAVAILABLE', 'The keys of actor assertions cannot be fetched', {
        'retry-after': '1',
      })
    })
    const claims = Claims.safeParse(payload)
    if (!claims.success || claims.data.exp - claims.data.iat > LIFETIME_SECONDS) {
      onRefused(new RefusedCaller('this version does not understand its assertion; compare the versions'))
      throw invalid()
    }
    const { sub, name, grants, issuer, clientAddress, auth_time: authTime } = claims.data
    const secondsAgo = authTime === undefined ? null : at.getTime() / 1000 - authTime
    const signedInRecently = isRecentSignIn(secondsAgo, recentSignInSeconds)
    return { id: sub, name, grants, issuer, clientAddress, requestId, signedInRecently }
  }
}

/** Error codes of jose if the key set cannot be fetched or read; they do not concern the assertion. */
const ABOUT_KEYS = new Set(['ERR_JOSE_GENERIC', 'ERR_JWKS_TIMEOUT', 'ERR_JWKS_INVALID'])
const isAboutKeys = (error: unknown): boolean =>
  !(error instanceof errors.JOSEError) || ABOUT_KEYS.has(error.code)

/** What an assertion says, and the time at which it is valid. */
interface Verified {
  payload: unknown
  at: Date
}

async function verify(
  assertion: string,
  { keys, clock, audience }: { keys: JWTVerifyGetKey; clock: Times; audience: AssertionAudience },
): Promise<Verified> {
  try {
    return await verifyAtOneOf(clock.possibleTimes(), assertion, { keys, audience })
  } catch (error) {
    if (!isAboutTime(error)) throw error
    // the console may have noticed that the clocks were set before this replica has
    await clock.refresh()
    return await verifyAtOneOf(clock.possibleTimes(), assertion, { keys, audience })
  }
}

async function verifyAtOneOf(
  [at = new Date(), ...others]: readonly Date[],
  assertion: string,
  options: { keys: JWTVerifyGetKey; audience: AssertionAudience },
): Promise<Verified> {
  try {
    const { payload } = await jwtVerify(assertion, options.keys, {
      algorithms: ['EdDSA'],
      audience: options.audience,
      requiredClaims: ['sub', 'iat', 'exp'],
      maxTokenAge: LIFETIME_SECONDS,
      clockTolerance: TOLERANCE_SECONDS,
      currentDate: at,
    })
    return { payload, at }
  } catch (error) {
    if (isAboutTime(error) && others.length > 0) return verifyAtOneOf(others, assertion, options)
    throw error
  }
}

const isAboutTime = (error: unknown): boolean =>
  error instanceof errors.JWTExpired ||
  (error instanceof errors.JWTClaimValidationFailed && error.claim === 'iat')

function invalid(): TransportError {
  return unauthenticated(`${ACTOR_HEADER} is not valid`, 'Actor-Assertion')
}

/** Why the credential or the assertion of a caller is not accepted, for the log. The caller gets no reason. */
export class RefusedCaller extends Error {
  override name = 'RefusedCaller'
}

function reasonOf(error: unknown): string {
  if (isAboutKeys(error)) return `the keys of its assertion cannot be fetched: ${whyNoKeys(error)}`
  return REASONS[(error as errors.JOSEError).code] ?? 'its assertion is not valid'
}

/** Why the key set that `ACTOR_ASSERTION_JWKS` names as a URL cannot be fetched, and what to do. */
export function whyNoKeys(error: unknown): string {
  const isLate = error instanceof errors.JWKSTimeout
  const reason = isLate ? 'it does not respond in time' : (whyNoResponse(error) ?? 'it returns no key set')
  return `${reason}; check ACTOR_ASSERTION_JWKS and the consoles behind it`
}

const REASONS: Record<string, string> = {
  ERR_JWKS_NO_MATCHING_KEY:
    'the key set in ACTOR_ASSERTION_JWKS does not have the key that signed its assertion',
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'the signature of its assertion is wrong',
  ERR_JWT_EXPIRED: 'its assertion is expired; compare the clocks of console and runtime',
  ERR_JWT_CLAIM_VALIDATION_FAILED:
    'the times or the audience of its assertion are wrong; compare the clocks of console and runtime',
}

/** Limits the requests of each caller, so that one cannot exhaust the runtime for the others. Callers are authenticated before they are counted. */
export interface CallerLimits {
  /**
   * Counts a request, weighed by its cost.
   *
   * @throws TransportError 429 with `Retry-After`.
   */
  limitRate(caller: string, cost?: number): void
  /**
   * Counts what an answer has cost, which only its length and that of what was read for it tell: the next requests are refused until
   * that has come back.
   */
  oweAnswer(caller: string, lengths: { answer: number; read: number }): void
  /**
   * Serves a few reads of a caller at the same time, and a few writes, and the others after them: none waits with a connection to the
   * database. Those of people are counted when it is their turn, those of plugins before.
   *
   * @param request one whose client leaves before its turn is not served.
   * @throws TransportError 429 with `Retry-After` if too many wait.
   */
  inTurn<Result>(
    kind: 'read' | 'write',
    caller: string,
    request: Pick<Request, 'signal'>,
    serve: () => Promise<Result>,
  ): Promise<Result>
}

/** Answers of ordinary pages are shorter. */
const ANSWER_LENGTH_FREE = 128 * 1024
const ANSWER_LENGTH_FOR_ONE = 2048
/** What is only read costs an eighth of what is also checked, written and passed on. */
const READ_LENGTH_FOR_ONE = 8 * ANSWER_LENGTH_FOR_ONE
/** Of each kind. Writes of one scope wait for each other, each with a connection to the database. */
const AT_ONCE = 4
/** As many as a console lets one person send at once. */
const WAITING_MAX = 400

export function createCallerLimits(rate: Rate, clock: Pick<Clock, 'monotonic'>): CallerLimits {
  const buckets = createTokenBuckets(rate, () => clock.monotonic())
  const turns = createTurns({ atOnce: AT_ONCE, waitingMax: WAITING_MAX })
  const limited = (caller: string): TransportError => {
    const seconds = Math.max(1, Math.ceil(buckets.untilNext(caller) / 1000))
    return new TransportError('RATE_LIMITED', undefined, { 'retry-after': String(seconds) })
  }
  return {
    limitRate(caller, cost = 1) {
      if (!buckets.take(caller, cost)) throw limited(caller)
    },
    oweAnswer(caller, { answer, read }) {
      const ofAnswer = Math.max(0, answer - ANSWER_LENGTH_FREE) / ANSWER_LENGTH_FOR_ONE
      const cost = Math.floor(ofAnswer + read / READ_LENGTH_FOR_ONE)
      // who has read a single one, however long, can go on
      buckets.owe(caller, Math.min(cost, rate.burst))
    },
    async inTurn(kind, caller, request, serve) {
      const served = await turns.take(`${kind} ${caller}`, serve, request.signal)
      if (served === null) throw limited(caller)
      return served
    },
  }
}

export type PersonAccess = Extract<Access, { where: unknown }>

const Environment = z.object({ environmentKey: z.string() })
const Scope = Environment.extend({ applicationRuntimeId: z.string(), workspaceId: z.number() })

/**
 * Refuses unless the actor may call a row in the scope that the request names. `object` and `list` are checked by the
 * use case, which knows the object and filters the list.
 */
export function requirePermission(
  access: PersonAccess,
  actor: Actor,
  input: { params: unknown; body: unknown },
): void {
  const { needs, where } = access
  switch (where) {
    case 'path':
      return authorize(actor, needs, Scope.parse(input.params))
    case 'body':
      return authorize(actor, needs, z.object({ scope: Scope }).parse(input.body).scope)
    case 'environment':
      return authorize(actor, needs, Environment.parse(input.params))
    case 'everywhere':
      if (mayEverywhere(actor.grants, needs)) return
      throw new DomainError(
        'PERMISSION_DENIED',
        platformMessage('permissionNeededEverywhere', { permission: needs }),
      )
    case 'anywhere':
      if (mayAnywhere(actor.grants, needs)) return
      throw new DomainError(
        'PERMISSION_DENIED',
        platformMessage('permissionNeededAnywhere', { permission: needs }),
      )
    case 'object':
    case 'list':
      return
  }
}
