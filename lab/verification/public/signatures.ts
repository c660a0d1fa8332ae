import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { importJWK, type JWK } from 'jose'
import { judge, type Case, type PartReport } from './comparison.ts'

interface Vectors {
  testGroups: {
    publicKey: { pk: string }
    publicKeyJwk: JWK
    tests: { tcId: number; comment: string; msg: string; sig: string; result: 'valid' | 'invalid' }[]
  }[]
}

interface Vector {
  id: string
  comment: string
  key: string
  jwk: JWK
  message: string
  signature: string
  isValid: boolean
}

const PYTHON_EXAMPLE = join(import.meta.dirname, '..', '..', '..', 'plugin', 'examples', 'python')
/** Reads vectors as JSON from standard input, writes which signatures are accepted. */
const PYTHON_PROGRAM = `
import json, sys
import ed25519
print(json.dumps([
    ed25519.verify(bytes.fromhex(v["key"]), bytes.fromhex(v["message"]), bytes.fromhex(v["signature"]))
    for v in json.load(sys.stdin)
]))
`

/**
 * Wycheproof's Ed25519 vectors against the verifiers of tokens: that of the SDK (the platform's, with keys read by
 * jose), and that of the Python example.
 */
export async function compareSignatures(data: string): Promise<PartReport> {
  const vectors = readVectors(join(data, 'wycheproof', 'testvectors_v1', 'ed25519_test.json'))
  const accepted = await Promise.all(vectors.map(isAcceptedBySdk))
  const cases = casesOf('sdk', vectors, accepted)
  const isPythonThere = spawnSync('python3', ['--version']).status === 0
  if (isPythonThere) {
    const program = execFileSync('python3', ['-c', PYTHON_PROGRAM], {
      cwd: PYTHON_EXAMPLE,
      input: JSON.stringify(vectors),
      env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
    })
    // the program's own format
    cases.push(...casesOf('python', vectors, JSON.parse(program.toString()) as boolean[]))
  }
  const report = judge('Ed25519', cases, [])
  return isPythonThere ? report : { ...report, line: `${report.line}; without python3 not its example` }
}

function readVectors(path: string): Vector[] {
  // the suite's own format
  const { testGroups } = JSON.parse(readFileSync(path, 'utf8')) as Vectors
  return testGroups.flatMap(({ publicKey, publicKeyJwk, tests }) =>
    tests.map(({ tcId, comment, msg, sig, result }) => ({
      id: String(tcId),
      comment,
      key: publicKey.pk,
      jwk: publicKeyJwk,
      message: msg,
      signature: sig,
      isValid: result === 'valid',
    })),
  )
}

async function isAcceptedBySdk({ jwk, message, signature }: Vector): Promise<boolean> {
  const key = await importJWK(jwk, 'EdDSA')
  if (key instanceof Uint8Array) throw new TypeError('a key of Ed25519 is no bytes')
  return crypto.subtle.verify('Ed25519', key, Buffer.from(signature, 'hex'), Buffer.from(message, 'hex'))
}

const casesOf = (file: string, vectors: readonly Vector[], accepted: readonly boolean[]): Case[] =>
  vectors.map(({ id, comment, isValid }, index) => ({
    file,
    id,
    name: comment,
    difference: accepted[index] === isValid ? null : isValid ? 'is refused' : 'is accepted',
  }))
