import { SignJWT } from 'jose'
import type { CryptoKey, JWK } from 'jose'
import type { Grant } from '#contract/endpoint/permission.ts'

/** The person on whose behalf a request is sent to the runtime. */
export interface AssertedPerson {
  id: string
  name: string
  grants: readonly Grant[]
  /** The identity provider that authenticated them, for the audit. */
  issuer?: string | undefined
  /** Where their request comes from, for the audit. */
  clientAddress?: string | undefined
  /** Seconds since the identity provider authenticated them; null if it did not say when. */
  authenticatedSeconds?: number | null | undefined
}

export interface AssertionKey {
  privateKey: CryptoKey
  publicJwk: JWK
  kid: string
}

const LIFETIME_SECONDS = 60
/** A signed assertion is reused for several requests of a person, but not so late that it could expire on the way. */
const REUSE_MS = 20_000
const MAX_CACHED = 5_000

/** Signs `X-Runtime-Actor-Assertion`: EdDSA, 60 s, audience `bundle-runtime`. */
export function createActorAssertions(key: AssertionKey): (person: AssertedPerson) => Promise<string> {
  const cached = new Map<string, { until: number; assertion: Promise<string> }>()
  return (person) => {
    const { id, name, grants, issuer, clientAddress } = person
    const identity = JSON.stringify([id, name, grants, issuer, clientAddress, authTimeOf(person)])
    const existing = cached.get(identity)
    if (existing !== undefined && existing.until > Date.now()) return existing.assertion
    if (cached.size >= MAX_CACHED) cached.clear()
    const assertion = sign(key, person, 'bundle-runtime')
    cached.set(identity, { until: Date.now() + REUSE_MS, assertion })
    return assertion
  }
}

/** Signs assertions that are valid only for recording audit events. */
export function createRecordingAssertions(key: AssertionKey): (person: AssertedPerson) => Promise<string> {
  return (person) => sign(key, person, 'bundle-runtime-audit')
}

/** By the clock of this program, which also says when the assertion is issued. */
function authTimeOf({ authenticatedSeconds }: AssertedPerson): number | undefined {
  return authenticatedSeconds == null ? undefined : Math.floor(Date.now() / 1000 - authenticatedSeconds)
}

function sign(
  key: AssertionKey,
  person: AssertedPerson,
  audience: 'bundle-runtime' | 'bundle-runtime-audit',
): Promise<string> {
  const { id, name, grants, issuer, clientAddress } = person
  const authTime = authTimeOf(person)
  const claims = {
    name,
    grants,
    ...(issuer !== undefined && { issuer }),
    // empty if there is no socket
    ...(clientAddress && { clientAddress }),
    ...(authTime !== undefined && { auth_time: authTime }),
  }
  return new SignJWT(claims)
    .setProtectedHeader({ alg: 'EdDSA', kid: key.kid })
    .setSubject(id)
    .setAudience(audience)
    .setIssuedAt()
    .setExpirationTime(`${LIFETIME_SECONDS}s`)
    .sign(key.privateKey)
}
