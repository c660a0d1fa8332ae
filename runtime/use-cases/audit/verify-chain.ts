import { readChain } from '../../store/audit/read-chain.ts'
import type { ChainedRow } from '../../store/audit/read-chain.ts'
import { readHead } from '../../store/audit/read-head.ts'
import type { AuditHead } from '../../store/audit/read-head.ts'
import type { Anchor } from './anchor.ts'
import { entryHash, NO_HASH } from './entry-hash.ts'
import type { Db } from '../../model/db.ts'

export type ChainVerdict =
  | { holds: true; first: ChainedRow | null; last: ChainedRow | null }
  /** The first place where it breaks, in one line. */
  | { holds: false; problem: string }

type Link = Pick<ChainedRow, 'sequence' | 'hash'>

const BATCH = 1_000

/**
 * Walks the whole chain, while others may go on to write: every entry there, unchanged and in its place, the end where
 * the database says that it is, and every anchor met.
 */
export async function verifyChain(db: Db, anchors: readonly Anchor[] = []): Promise<ChainVerdict> {
  const anchored = Map.groupBy(anchors, ({ sequence }) => sequence)
  let first: ChainedRow | null = null
  let last: ChainedRow | null = null
  for (;;) {
    // asked before the entries: all up to it must then be found, whatever is written meanwhile
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

/** What is wrong with an entry as the one that follows another; null: nothing. */
function linkProblem(last: Link | null, entry: ChainedRow): string | null {
  const expected = (last?.sequence ?? 0) + 1
  if (entry.sequence < expected) return `there is an entry ${entry.sequence}, which no chain has`
  if (entry.sequence > expected) return `entry ${expected} is missing`
  if (!entryHash(entry).equals(entry.hash)) {
    return `entry ${entry.sequence} of ${entry.at} is not what was written: changed, or moved from another place`
  }
  if (entry.previous_hash.equals(last?.hash ?? NO_HASH)) return null
  return `entry ${entry.sequence} of ${entry.at} was written behind another entry than the ${expected - 1} that is there`
}

function anchorProblem(anchored: Map<number, Anchor[]>, entry: ChainedRow): string | null {
  const hash = entry.hash.toString('hex')
  const broken = anchored.get(entry.sequence)?.some((anchor) => anchor.hash !== hash)
  return broken === true
    ? `entry ${entry.sequence} of ${entry.at} is not the one that an anchor names: it, or one before it, was replaced`
    : null
}

/** What is wrong with the end of a chain whose every link holds. */
function endProblem(last: Link | null, head: AuditHead, anchors: readonly Anchor[]): string | null {
  const end = last?.sequence ?? 0
  const anchor = anchors.find(({ sequence }) => sequence > end)
  if (anchor !== undefined)
    return `it ends with entry ${end}, but an anchor names entry ${anchor.sequence}: its end was cut`
  if (head.sequence > end)
    return `it ends with entry ${end} and should with entry ${head.sequence}: its end was cut`
  if (head.sequence < end) return `entry ${end} stands behind its end, which is entry ${head.sequence}`
  if (head.hash.equals(last?.hash ?? NO_HASH)) return null
  return `its last entry ${end} is not the one that was written last: its end was replaced`
}
