import { textsIn } from '#contract/json-schema/json.ts'
import { findIssued, SECRET_PREFIX, hashOf, possibleSecretsIn } from '../store/plugins/credentials.ts'
import { readAnswer } from '../engine/calls/read-answer.ts'
import type { Db } from '../model/db.ts'
import type { OutboundResult } from '#http-kit/outbound-types.ts'

/** JSON escapes that can encode a character of the prefix. */
const ESCAPES = ['\\u005', '\\u006', '\\u007']
/** No legitimate answer contains this many candidates. Beyond it all of them count as issued, without a query. */
const CANDIDATES_MAX = 1_000

/**
 * Finds the plugin credentials in an answer that this platform issued, to any plugin. Credentials are stored as hashes,
 * so every text of the right shape is hashed and looked up. An answer without such a text, which is nearly every
 * answer, costs no query.
 */
export async function issuedCredentialsIn(db: Db, answer: OutboundResult): Promise<ReadonlySet<string>> {
  if (answer.kind !== 'response' || answer.status !== 200 || !mayHoldOne(answer.body)) return NO_CREDENTIALS
  const reading = readAnswer(answer.body)
  if (reading.kind !== 'json') return NO_CREDENTIALS
  const candidates = new Set(textsIn(reading.json).flatMap(possibleSecretsIn))
  if (candidates.size === 0 || candidates.size > CANDIDATES_MAX) return candidates
  const byHash = new Map([...candidates].map((secret) => [hashOf(secret).toString('hex'), secret]))
  const issued = await findIssued(db, [...candidates].map(hashOf))
  return new Set(issued.flatMap((hash) => byHash.get(hash.toString('hex')) ?? []))
}

const NO_CREDENTIALS: ReadonlySet<string> = new Set()

/** A fast check on the raw bytes, without parsing. */
function mayHoldOne(body: Uint8Array): boolean {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  return [SECRET_PREFIX, ...ESCAPES].some((text) => bytes.includes(text))
}
