import { isRecentSignIn } from '#contract/endpoint/permission.ts'
import { isProgram } from '#contract/runtime-api/vocabulary.ts'
import { plainText } from '../plain-text.ts'
import { findClaim, rolesOfClaim } from '../roles.ts'
import type { ClaimedRoles, RoleMap } from '../roles.ts'
import type { SignedIn } from '../session/sessions.ts'

/** Why `auth_time` does not say when the person was authenticated. */
export type AuthTimeProblem = 'missing' | 'invalid' | 'in the future'

/** A person in claims, and what the claims say about roles and time. */
export interface ReadClaims {
  person: SignedIn
  claimed: ClaimedRoles
  /** Null if `auth_time` is usable. */
  authTimeProblem: AuthTimeProblem | null
}

export interface ReadOptions {
  rolesClaim: string
  roleMap?: RoleMap | null | undefined
  now: Date
  /** How far the clock of the provider is behind `now`; default 0. */
  lateSeconds?: number
}

const MAX_NAME = 200
const MAX_SUB = 255

/** The person in verified claims; null if the claims contain no person that can be stored. */
export function readClaims(claims: Record<string, unknown>, options: ReadOptions): ReadClaims | null {
  const { iss, sub, sid } = claims
  if (typeof iss !== 'string' || typeof sub !== 'string' || sub === '' || sub.length > MAX_SUB) return null
  // the platform's own actions have the names of its programs
  if (/\p{Cc}/u.test(sub) || isProgram(sub)) return null
  // the database would store several such texts as the same person
  if (!sub.isWellFormed()) return null
  const name = nameIn(claims) ?? (cleanName(sub) || sub)
  const claimed = rolesOfClaim(findClaim(claims, options.rolesClaim), options.roleMap)
  const time = authTimeIn(claims, options)
  const person = {
    iss,
    sub,
    name,
    roles: claimed.roles,
    authTime: typeof time === 'number' ? time : null,
    providerSession: typeof sid === 'string' && sid.length <= MAX_SUB && !sid.includes('\0') ? sid : null,
  }
  return { person, claimed, authTimeProblem: typeof time === 'number' ? null : time }
}

/** A time that no clock can be right about says nothing, as if the provider had not sent it. */
function authTimeIn(
  { auth_time: said }: Record<string, unknown>,
  { now, lateSeconds = 0 }: ReadOptions,
): number | AuthTimeProblem {
  // some providers send 0 for "unknown"
  if (said === undefined || said === null || said === 0) return 'missing'
  if (typeof said !== 'number' || !Number.isFinite(said) || said < 0) return 'invalid'
  const authTime = said + lateSeconds
  return isRecentSignIn(now.getTime() / 1000 - authTime, Infinity) ? authTime : 'in the future'
}

/**
 * When the token was issued, in seconds since 1970 by the clock of `now`; null if it does not say, or says a time in the
 * future.
 */
export function issuedAtIn(
  { iat }: Record<string, unknown>,
  { now, lateSeconds = 0 }: Pick<ReadOptions, 'now' | 'lateSeconds'>,
): number | null {
  if (typeof iat !== 'number' || !Number.isFinite(iat) || iat <= 0) return null
  const issuedAt = iat + lateSeconds
  return isRecentSignIn(now.getTime() / 1000 - issuedAt, Infinity) ? issuedAt : null
}

/** The name of the person in the claims; undefined if there is none. */
export const nameIn = (claims: Record<string, unknown>): string | undefined =>
  [claims['name'], claims['preferred_username'], claims['email']].map(cleanName).find((text) => text !== '')

const cleanName = (name: unknown): string => (typeof name === 'string' ? plainText(name, MAX_NAME) : '')
