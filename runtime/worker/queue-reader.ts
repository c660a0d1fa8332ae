import type { RuntimeDeps } from '../deps/runtime-deps.ts'
import { findQueueStart, leaseOperations } from '../store/operations/lease-operations.ts'
import type { LeasedRow, LeaseRequest, QueueStart } from '../store/operations/lease-operations.ts'

/** A request that takes longer has read much that is no longer in the queue. */
const SLOW_MS = 10
/** The whole queue is read again after this many times as long as it took. */
const REST = 20
const MAX_REST_MS = 5_000

/**
 * Leases due operations at a nearly constant cost, also while an open transaction keeps the database from removing what has
 * left the queue. After a slow request it remembers where the queue begins, and looks only there for a while. An operation
 * that becomes visible before that place, because its transaction took long, is found when the whole queue is read again.
 */
export class QueueReader {
  private readonly deps: Pick<RuntimeDeps, 'db' | 'clock'>
  private start: QueueStart | null = null
  private readAgainAt = 0

  constructor(deps: Pick<RuntimeDeps, 'db' | 'clock'>) {
    this.deps = deps
  }

  async lease(request: LeaseRequest): Promise<LeasedRow[]> {
    const { db, clock } = this.deps
    const began = clock.monotonic()
    if (this.start !== null && began < this.readAgainAt) return leaseOperations(db, request, this.start)
    const leased = await leaseOperations(db, request)
    this.start = null
    if (clock.monotonic() - began < SLOW_MS) return leased
    // without it the next request reads the whole queue
    this.start = await findQueueStart(db).catch(() => null)
    const now = clock.monotonic()
    this.readAgainAt = now + Math.min(MAX_REST_MS, REST * (now - began))
    return leased
  }
}
