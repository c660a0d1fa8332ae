import { readFile, stat } from 'node:fs/promises'
import { SignJWT, calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK } from 'jose'
import type { CryptoKey, JWK } from 'jose'
import { CONSOLE_PERMISSIONS } from '#contract/endpoint/permission.ts'
import type { Grant } from '#contract/endpoint/permission.ts'
import { StrictJsonError } from '#contract/protocol/json-text-problem.ts'
import { parseStrictJson } from '#contract/protocol/strict-json.ts'
import { systemClock } from '#http-kit/clock.ts'
import type { Clock } from '#http-kit/clock.ts'
import { persistentSecret } from '#http-kit/secret-files.ts'
import { SettingsError, whyUnreadable } from '#http-kit/settings.ts'
import type { SharedClock } from '#http-kit/shared-clock.ts'

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
/** A clock that has moved by this much since an assertion was signed was set. */
const STEP_MS = 1_000
/**
 * What the assertions that are kept may say together, in characters: each has all permissions of its person, up to 250,000, and there is
 * one for each address that a person sends from.
 */
const KEPT_CHARACTERS_MAX = 16_000_000
/** What each takes besides. */
const ENTRY_CHARACTERS = 1_000

/** The time of assertions: that of the database in a console, that of the machine in a tool. */
type AssertionClock = Pick<Clock, 'now' | 'monotonic'> & Partial<Pick<SharedClock, 'refreshAfterStep'>>

/** Signs `X-Runtime-Actor-Assertion`: EdDSA, 60 s, audience `bundle-runtime`. */
export function createActorAssertions(
  key: AssertionKey,
  clock: AssertionClock = systemClock,
): (person: AssertedPerson) => Promise<string> {
  /** By what they say, the oldest first. */
  const cached = new Map<string, { until: number; offset: number; assertion: Promise<string> }>()
  let characters = 0
  const forget = (identity: string): void => {
    if (cached.delete(identity)) characters -= identity.length + ENTRY_CHARACTERS
  }
  return async (person) => {
    await clock.refreshAfterStep?.()
    const { id, name, grants, issuer, clientAddress } = person
    const identity = JSON.stringify([
      id,
      name,
      grants,
      issuer,
      clientAddress,
      authTimeOf(person, clock.now()),
    ])
    const existing = cached.get(identity)
    const at = clock.monotonic()
    const offset = clock.now().getTime() - at
    if (existing !== undefined && existing.until > at && Math.abs(existing.offset - offset) < STEP_MS)
      return existing.assertion
    forget(identity)
    characters += identity.length + ENTRY_CHARACTERS
    for (const [oldest, { until }] of cached) {
      if (until > at && characters <= KEPT_CHARACTERS_MAX) break
      forget(oldest)
    }
    const assertion = sign(key, { person, audience: 'bundle-runtime', at: clock.now() })
    cached.set(identity, { until: at + REUSE_MS, offset, assertion })
    return assertion
  }
}

/** Signs assertions that are valid only for recording audit events. */
export function createRecordingAssertions(
  key: AssertionKey,
  clock: AssertionClock = systemClock,
): (person: AssertedPerson) => Promise<string> {
  return async (person) => {
    await clock.refreshAfterStep?.()
    return sign(key, { person, audience: 'bundle-runtime-audit', at: clock.now() })
  }
}

/** By the clock that also says when the assertion is issued. */
function authTimeOf({ authenticatedSeconds }: AssertedPerson, at: Date): number | undefined {
  return authenticatedSeconds == null ? undefined : Math.floor(at.getTime() / 1000 - authenticatedSeconds)
}

function sign(
  key: AssertionKey,
  {
    person,
    audience,
    at,
  }: { person: AssertedPerson; audience: 'bundle-runtime' | 'bundle-runtime-audit'; at: Date },
): Promise<string> {
  const { id, name, issuer, clientAddress } = person
  const grants = person.grants.map(({ permissions, scope }) => ({
    permissions: permissions.filter((permission) => !CONSOLE_PERMISSIONS.includes(permission)),
    scope,
  }))
  const issuedAt = Math.floor(at.getTime() / 1000)
  const authTime = authTimeOf(person, at)
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
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + LIFETIME_SECONDS)
    .sign(key.privateKey)
}

const KEY_FILE = 'actor-key.json'

/**
 * The key that signs actor assertions: from the given file or, without one, generated once and stored in the data
 * directory with mode 0600.
 *
 * @throws SettingsError if the file is missing, other users may read or change it, or it contains no such key.
 */
export async function loadActorKey(dataDir: string, file: string | null = null): Promise<AssertionKey> {
  if (file !== null) return readActorKey(file)
  const text = await persistentSecret({ directory: dataDir, file: KEY_FILE, make: makeActorKey })
  return parseActorKey(text, `DATA_DIR is wrong: its file ${KEY_FILE}`)
}

async function readActorKey(file: string): Promise<AssertionKey> {
  const subject = `ACTOR_ASSERTION_KEY_FILE is wrong: ${file}`
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    const reason = whyUnreadable(error)
    throw new SettingsError(
      reason === 'does not exist'
        ? `${subject} ${reason}; "npm run keys:assertion -- --out FILE" creates a key`
        : `${subject} ${reason}`,
    )
  })
  const { mode } = await stat(file)
  // its group may read it: files that are mounted into a container are often readable by a group
  if (process.platform !== 'win32' && (mode & 0o027) !== 0)
    throw new SettingsError(`${subject} may be read or changed by other users; chmod 600 it`)
  return parseActorKey(text, subject)
}

/**
 * Reads an Ed25519 key in JWK form.
 *
 * @param subject the start of the error message.
 */
export async function parseActorKey(text: string, subject: string): Promise<AssertionKey> {
  try {
    const jwk = parseStrictJson(text) as JWK
    const privateKey = await importJWK(jwk, 'EdDSA')
    if (!(privateKey instanceof Uint8Array) && jwk.kty === 'OKP' && jwk.d !== undefined) {
      const { kty, crv, x } = jwk
      const publicPart: JWK = { kty, ...(crv !== undefined && { crv }), ...(x !== undefined && { x }) }
      const kid = await calculateJwkThumbprint(publicPart)
      return { privateKey, kid, publicJwk: { ...publicPart, kid, alg: 'EdDSA', use: 'sig' } }
    }
  } catch (error) {
    if (error instanceof StrictJsonError)
      throw new SettingsError(
        `${subject} is not JSON as it is needed: ${error.messageWithoutPath}; correct it there, or restore it`,
      )
    // reported below, without the content of the file
  }
  throw new SettingsError(`${subject} is not a private Ed25519 key in JWK form; restore it`)
}

/** A new key, as the text of its file. */
export async function makeActorKey(): Promise<string> {
  const { privateKey } = await generateKeyPair('EdDSA', { extractable: true })
  return JSON.stringify(await exportJWK(privateKey))
}
