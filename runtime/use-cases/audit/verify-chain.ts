import { readChain, readHead } from '../../store/audit.ts'
import type { ChainedRow, AuditHead } from '../../store/audit.ts'
import type { Anchor } from './anchor.ts'
import { entryHash, NO_HASH } from './entry-hash.ts'
import type { Db } from '../../model/db.ts'

export type ChainVerdict =
  | { holds: true; first: ChainedRow | null; last: ChainedRow | null }
  /** The first broken place, in one line. */
  | { holds: false; problem: string }

type Link = Pick<ChainedRow, 'sequence' | 'hash'>

const BATCH = 1_000

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
