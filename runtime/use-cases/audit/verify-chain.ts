import { createHash } from 'node:crypto'
import { appendFile, readFile } from 'node:fs/promises'
import * as z from 'zod'
import type { Signature } from '#contract/runtime-api/platform-keys.ts'
import type { Db } from '../../model/db.ts'
import type { SignedKind } from '../../model/vault.ts'
import { readChain, readHead } from '../../store/audit.ts'
import type { ChainedRow, AuditHead } from '../../store/audit.ts'

export type ChainVerdict =
  | { holds: true; first: ChainedRow | null; last: ChainedRow | null }
  /** The first broken place, in one line. */
  | { holds: false; problem: string }

type Link = Pick<ChainedRow, 'sequence' | 'hash'>

const BATCH = 200

/**
 * Verifies the whole chain, while others may keep writing: every entry is there, unchanged and in its place, the chain
 * ends where the database says, and every anchor matches.
 */
export async function verifyChain(db: Db, anchors: readonly Anchor[] = []): Promise<ChainVerdict> {
  const anchored = Map.groupBy(anchors, ({ sequence }) => sequence)
  let first: ChainedRow | null = null
  let last: ChainedRow | null = null
  for (;;) {
    // read before the entries: all entries up to the head must then be found, whatever is written meanwhile
    const head = await readHead(db)
    const batch = await readChain(db, last?.sequence ?? null, BATCH)
    for (const entry of batch) {
      const problem: string | null = linkProblem(last, entry) ?? anchorProblem(anchored, entry)
      if (problem !== null) return { holds: false, problem }
      first ??= entry
      last = entry
    }
    if (batch.length > 0) continue
    const problem = endProblem(last, head, anchors)
    return problem === null ? { holds: true, first, last } : { holds: false, problem }
  }
}

/** What is wrong with an entry as the successor of another; null if it is valid. */
function linkProblem(last: Link | null, entry: ChainedRow): string | null {
  const expected = (last?.sequence ?? 0) + 1
  if (entry.sequence < expected)
    return `there is an entry ${entry.sequence}, but the chain starts with entry 1`
  if (entry.sequence > expected) return `entry ${expected} is missing`
  if (!entryHash(entry).equals(entry.hash)) {
    return `entry ${entry.sequence} of ${entry.at} does not match its hash: it was changed or moved`
  }
  if (entry.previous_hash.equals(last?.hash ?? NO_HASH)) return null
  return `entry ${entry.sequence} of ${entry.at} does not follow entry ${expected - 1}: one of them was replaced`
}

function anchorProblem(anchored: Map<number, Anchor[]>, entry: ChainedRow): string | null {
  const hash = entry.hash.toString('hex')
  const broken = anchored.get(entry.sequence)?.some((anchor) => anchor.hash !== hash)
  return broken === true
    ? `entry ${entry.sequence} of ${entry.at} does not match its anchor: it or an earlier entry was replaced`
    : null
}

/** What is wrong with the end of a chain whose links are all valid. */
function endProblem(last: Link | null, head: AuditHead, anchors: readonly Anchor[]): string | null {
  const end = last?.sequence ?? 0
  const anchor = anchors.find(({ sequence }) => sequence > end)
  if (anchor !== undefined)
    return `the chain ends with entry ${end}, but an anchor names entry ${anchor.sequence}: its end was removed`
  if (head.sequence > end)
    return `the chain ends with entry ${end} instead of entry ${head.sequence}: its end was removed`
  if (head.sequence < end)
    return `entry ${end} is after the end of the chain, which is entry ${head.sequence}`
  if (head.hash.equals(last?.hash ?? NO_HASH)) return null
  return `the last entry ${end} does not match the head of the chain: its end was replaced`
}

/** The previous hash of the first entry. */
export const NO_HASH = Buffer.alloc(32)

/**
 * The expected hash of an entry, computed from its columns alone; empty if no valid entry has such columns. Implemented
 * independently of the database function that stores the hash, from docs/operating/audit.md, so that the two verify each
 * other.
 */
export function entryHash(entry: ChainedRow): Buffer {
  const origin = [
    entry.actor_issuer,
    entry.client_address,
    entry.error_code,
    entry.occurrence_count,
    entry.first_occurred_at,
    entry.last_occurred_at,
  ]
  // format 1 does not cover these, so an entry that has one was changed
  const isOfItsFormat = entry.format === 2 || (entry.format === 1 && origin.every((field) => field === null))
  if (!isOfItsFormat) return Buffer.alloc(0)
  const fields = [
    `bundle-console audit ${entry.format}`,
    entry.previous_hash.toString('hex'),
    String(entry.sequence),
    entry.at,
    entry.actor_id,
    entry.actor_name,
    entry.action,
    entry.subject,
    entry.environment_key,
    entry.application_runtime_id,
    entry.workspace_id,
    entry.bundle_install_id,
    entry.operation_id,
    entry.reason,
    entry.changes,
    entry.outcome,
    entry.request_id,
    ...(entry.format === 1 ? [] : origin),
  ]
  return createHash('sha256').update(fields.map(lengthAndText).join(''), 'utf8').digest()
}

function lengthAndText(field: string | null): string {
  return field === null ? '-,' : `${Buffer.byteLength(field, 'utf8')}:${field},`
}

/** The end of the chain at one time, stored where nobody who can change the database can change it. */
export const Anchor = z.object({
  sequence: z.int().positive(),
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  /** When the entry was written; a log line has its own time. */
  at: z.string().optional(),
  /** `key=signature` of each platform key, with commas. */
  signatures: z.string().max(2_000).optional(),
})
export type Anchor = z.infer<typeof Anchor>

/** In `DATA_DIR` of a program with an embedded database: its anchors. */
export const ANCHOR_FILE = 'audit-anchors.jsonl'

/** The text that the platform keys sign. */
export const anchorText = ({ sequence, hash }: Pick<Anchor, 'sequence' | 'hash'>): string =>
  `${sequence}:${hash}`

/** An anchor with its signatures. */
export function signedAnchor(anchor: Anchor, sign: (kind: SignedKind, text: string) => Signature[]): Anchor {
  const signatures = sign('audit anchor', anchorText(anchor))
  if (signatures.length === 0) return anchor
  return { ...anchor, signatures: signatures.map(({ keyId, value }) => `${keyId}=${value}`).join(',') }
}

/** The signatures of an anchor. */
export const signaturesIn = ({ signatures = '' }: Anchor): Signature[] =>
  signatures.split(',').flatMap((part) => {
    const [keyId, value] = part.split('=')
    return keyId === undefined || value === undefined ? [] : [{ keyId, value }]
  })

/** Appends a line to a file of anchors; creates the file if it does not exist. */
export function appendAnchor(file: string, anchor: Anchor): Promise<void> {
  return appendFile(file, `${JSON.stringify(anchor)}\n`)
}

/**
 * Reads a file of anchors, one JSON object per line. Other fields of a line, such as those of a log line, are ignored.
 *
 * @throws Error with a one-line message if the file cannot be read or a line is not an anchor.
 */
export async function readAnchors(file: string): Promise<Anchor[]> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new Error(`The file of anchors ${file} cannot be read`, { cause: error })
  })
  const lines = text.split('\n')
  return lines.flatMap((line, index) =>
    line.trim() === '' ? [] : [parseAnchor(line, `${file}:${index + 1}`)],
  )
}

function parseAnchor(line: string, place: string): Anchor {
  try {
    return Anchor.parse(JSON.parse(line))
  } catch (error) {
    throw new Error(`${place} is not an anchor; a line must be {"sequence":1,"hash":"…","at":"…"}`, {
      cause: error,
    })
  }
}
