import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import type { CryptoKey, JWK, JWTPayload } from 'jose'
import { loadActorKey } from '#bff/runtime/actor-assertion.ts'
import { CONSOLE_PERMISSIONS, PERMISSIONS } from '#contract/endpoint/permission.ts'
import { notRefused } from './attack.ts'
import type { Attack, Target } from './attack.ts'

/** What an assertion would say; `now` in seconds. */
const claims = (now: number): JWTPayload => ({
  sub: 'mallory',
  aud: 'bundle-runtime',
  name: 'Mallory',
  grants: [{ permissions: PERMISSIONS.filter((one) => !CONSOLE_PERMISSIONS.includes(one)), scope: null }],
  iat: now,
  exp: now + 60,
})

type Forgery = (own: CryptoKey, other: CryptoKey, kid: string, publicJwk: JWK) => Promise<string>
const sign = (payload: JWTPayload, key: CryptoKey, kid: string, header: object = {}): Promise<string> =>
  new SignJWT(payload).setProtectedHeader({ alg: 'EdDSA', kid, ...header }).sign(key)
const now = (): number => Math.floor(Date.now() / 1000)
const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const without = (name: string): JWTPayload =>
  Object.fromEntries(Object.entries(claims(now())).filter(([key]) => key !== name))

/** Each would be valid but for one thing. */
const FORGERIES: Readonly<Record<string, Forgery>> = {
  'another key under the known id': (_, other, kid) => sign(claims(now()), other, kid),
  'an unknown key': (_, other) => sign(claims(now()), other, 'unknown'),
  'no algorithm': (_own, _other, kid) =>
    Promise.resolve(`${part({ alg: 'none', kid })}.${part(claims(now()))}.`),
  'the public key as a secret': (_own, _other, kid, publicJwk) =>
    new SignJWT(claims(now()))
      .setProtectedHeader({ alg: 'HS256', kid })
      .sign(Buffer.from(JSON.stringify(publicJwk))),
  'a key in the header': async (_, other, kid) =>
    sign(claims(now()), other, kid, { jwk: await exportJWK(other) }),
  'an address of keys in the header': (_, other, kid) =>
    sign(claims(now()), other, kid, { jku: 'http://127.0.0.1:1/keys' }),
  'a critical header': (own, _, kid) =>
    sign(claims(now()), own, kid, { crit: ['exp2'], exp2: true }).catch(() => 'a.b.c'),
  'an old one': (own, _, kid) => sign({ ...claims(now()), iat: now() - 600, exp: now() - 300 }, own, kid),
  'one of the future': (own, _, kid) =>
    sign({ ...claims(now()), iat: now() + 600, exp: now() + 660 }, own, kid),
  'one that is valid for a year': (own, _, kid) =>
    sign({ ...claims(now()), exp: now() + 31_536_000 }, own, kid),
  'another audience': (own, _, kid) => sign({ ...claims(now()), aud: 'bundle-runtime-audit' }, own, kid),
  'no subject': (own, _, kid) => sign(without('sub'), own, kid),
  'no expiry': (own, _, kid) => sign(without('exp'), own, kid),
  'no grants': (own, _, kid) => sign(without('grants'), own, kid),
  'grants as a text': (own, _, kid) => sign({ ...claims(now()), grants: 'everything' }, own, kid),
  'a permission that does not exist': (own, _, kid) =>
    sign({ ...claims(now()), grants: [{ permissions: ['root'], scope: null }] }, own, kid),
  'a changed payload': async (own, _, kid) => {
    const [head, , signature] = (await sign(claims(now()), own, kid)).split('.')
    return `${head}.${part({ ...claims(now()), sub: 'admin' })}.${signature}`
  },
}

/** Assertions that the console did not sign, and calls without its credential, on the runtime itself. */
export async function forgedAttacks(target: Target): Promise<Attack[]> {
  const { kid, privateKey: own, publicJwk } = await loadActorKey(target.dataDir)
  const { privateKey: other } = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true })
  const ask = async (assertion: string | null, credential: string | null): Promise<string | null> => {
    const response = await fetch(`${target.runtime}/operations?limit=1`, {
      headers: {
        ...(credential !== null && { authorization: `Bearer ${credential}` }),
        ...(assertion !== null && { 'x-runtime-actor-assertion': assertion }),
      },
    })
    const text = await response.text()
    // the runtime answers 200 with an error code in its envelope
    const code = (JSON.parse(text) as { errorCode?: string }).errorCode
    if (code === '0') return `accepted: ${text.slice(0, 80)}`
    return notRefused({ status: response.status, headers: response.headers, text }, [200, 400, 401, 403])
  }
  const valid = await sign(claims(now()), own, kid)
  const credentials: [string, string | null][] = [
    ['without a credential', null],
    ['with a wrong credential', 'x'.repeat(40)],
    ['with an empty credential', ''],
    ['with the credential and a space', `${target.credential} x`],
    ['with the session of a person', target.cookieOf('admin')],
  ]
  return [
    {
      name: 'a valid assertion is accepted (the forgeries differ in one thing)',
      run: async () => ((await ask(valid, target.credential)) === null ? 'refused' : null),
    },
    ...Object.entries(FORGERIES).map(([name, forge]) => ({
      name: `an assertion with ${name}`,
      run: async () => ask(await forge(own, other, kid, publicJwk), target.credential),
    })),
    { name: 'no assertion', run: () => ask(null, target.credential) },
    { name: 'an assertion as the credential', run: () => ask(valid, valid) },
    ...credentials.map(([name, credential]) => ({
      name: `a valid assertion ${name}`,
      run: () => ask(valid, credential),
    })),
  ]
}
