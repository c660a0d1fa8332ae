import { SignJWT } from 'jose'
import type { CryptoKey, JWK } from 'jose'
import type { Grant } from '#contract/endpoint/permission.ts'

/** Who the runtime shall take a request for. */
export interface AssertedPerson {
  id: string
  name: string
  grants: readonly Grant[]
  /** The identity provider that vouches for them, for the audit. */
  issuer?: string | undefined
  /** Where their request comes from, for the audit. */
  clientAddress?: string | undefined
}

export interface AssertionKey {
  privateKey: CryptoKey
  publicJwk: JWK
  kid: string
}

const LIFETIME_SECONDS = 60
/** A signed assertion serves several requests of a person, but never one that might outlive it on the way. */
const REUSE_MS = 20_000
const MAX_KEPT = 5_000

/** Signs `X-Runtime-Actor-Assertion`: EdDSA, 60 s, audience `bundle-runtime` (runtime API, head). */
export function createActorAssertions(key: AssertionKey): (person: AssertedPerson) => Promise<string> {
  const kept = new Map<string, { until: number; assertion: Promise<string> }>()
  return (person) => {
    const { id, name, grants, issuer, clientAddress } = person
    const identity = JSON.stringify([id, name, grants, issuer, clientAddress])
    const existing = kept.get(identity)
    if (existing !== undefined && existing.until > Date.now()) return existing.assertion
    if (kept.size >= MAX_KEPT) kept.clear()
    const assertion = sign(key, person, 'bundle-runtime')
    kept.set(identity, { until: Date.now() + REUSE_MS, assertion })
    return assertion
  }
}

/** Signs assertions that are good for recording in the audit and for nothing else. */
export function createRecordingAssertions(key: AssertionKey): (person: AssertedPerson) => Promise<string> {
  return (person) => sign(key, person, 'bundle-runtime-audit')
}

function sign(
  key: AssertionKey,
  { id, name, grants, issuer, clientAddress }: AssertedPerson,
  audience: 'bundle-runtime' | 'bundle-runtime-audit',
): Promise<string> {
  const claims = {
    name,
    grants,
    ...(issuer !== undefined && { issuer }),
    // empty where there is no socket to ask
    ...(clientAddress && { clientAddress }),
  }
  return new SignJWT(claims)
    .setProtectedHeader({ alg: 'EdDSA', kid: key.kid })
    .setSubject(id)
    .setAudience(audience)
    .setIssuedAt()
    .setExpirationTime(`${LIFETIME_SECONDS}s`)
    .sign(key.privateKey)
}
