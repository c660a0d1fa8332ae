import { isIP } from 'node:net'
import { generate } from 'selfsigned'

const DAY_MS = 86_400_000

/** A private key and its certificate, as PEM. */
export interface TestCertificate {
  key: string
  cert: string
}

/** A certificate authority that nobody trusts unless the test adds its certificate. */
export async function testAuthority(name = 'Test authority'): Promise<TestCertificate> {
  const made = await generate([{ name: 'commonName', value: name }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  })
  return { key: made.private, cert: made.cert }
}

/**
 * The certificate of a server or a client.
 *
 * @param names - host names and addresses; the first is also its common name.
 * @param by - who signs it; without one it is signed with its own key.
 * @param isExpired - it was valid until yesterday.
 * @param isEarly - it is valid from tomorrow.
 */
export async function testCertificate({
  names = ['localhost', '127.0.0.1'],
  by,
  isExpired = false,
  isEarly = false,
}: {
  names?: readonly [string, ...string[]]
  by?: TestCertificate
  isExpired?: boolean
  isEarly?: boolean
} = {}): Promise<TestCertificate> {
  const days = isExpired ? -1 : isEarly ? 8 : 2
  const until = Date.now() + days * DAY_MS
  const made = await generate([{ name: 'commonName', value: names[0] }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: new Date(until - 7 * DAY_MS),
    notAfterDate: new Date(until),
    extensions: [
      { name: 'basicConstraints', cA: false },
      {
        name: 'subjectAltName',
        altNames: names.map((name) => (isIP(name) === 0 ? { type: 2, value: name } : { type: 7, ip: name })),
      },
    ],
    ...(by && { ca: by }),
  })
  return { key: made.private, cert: made.cert }
}
