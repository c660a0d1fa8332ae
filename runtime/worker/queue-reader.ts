import type { RuntimeDeps } from '../deps/runtime-deps.ts'
import { findQueueStart, leaseOperations } from '../store/operations/lease-operations.ts'
import type { LeasedRow, LeaseRequest, QueueStart } from '../store/operations/lease-operations.ts'

/** A request that takes longer has read much that is no longer in the queue. */
const SLOW_MS = 10
/** The whole queue is read again after this many times as long as it took, at most a minute. */
const REST = 100
const MAX_REST_MS = 60_000
/** How often the beginning is found again: what leaves the queue meanwhile is read by each request. */
const ADVANCE_MS = 250
/** How often, and how far, it is looked for earlier too, for operations whose transaction took long. */
const LOOK_BACK_EVERY_MS = 2_000
const LOOK_BACK_MS = 30_000

/**
 * Leases due operations at a nearly constant cost, also while an open transaction keeps the database from removing what has
 * left the queue. After a slow request it remembers where the queue begins, and looks only from there for a while. If an
 * operation becomes visible before that place, because its transaction took long, the beginning moves back to it, or the
 * next look at the whole queue finds it.
 */
export class QueueReader {
  private readonly deps: Pick<RuntimeDeps, 'db' | 'clock'>
  private start: QueueStart | null = null
  private readAgainAt = 0
  private advanceAt = 0
  private lookBackAt = 0

  constructor(deps: Pick<RuntimeDeps, 'db' | 'clock'>) {
    this.deps = deps
  }

  async lease(request: LeaseRequest): Promise<LeasedRow[]> {
    const { db, clock } = this.deps
    const began = clock.monotonic()
    if (this.start !== null && began < this.readAgainAt) return this.leaseAt(this.start, request)
    const leased = await leaseOperations(db, request)
    this.start = null
    if (clock.monotonic() - began < SLOW_MS) return leased
    await this.findStart(null, 0)
    const now = clock.monotonic()
    this.readAgainAt = now + Math.min(MAX_REST_MS, REST * (now - began))
    this.lookBackAt = now + LOOK_BACK_EVERY_MS
    return leased
  }

  private async leaseAt(start: QueueStart, request: LeaseRequest): Promise<LeasedRow[]> {
    const { db, clock } = this.deps
    const began = clock.monotonic()
    const leased = await leaseOperations(db, request, start)
    if (began < this.advanceAt) return leased
    const looksBack = began >= this.lookBackAt
    if (looksBack) this.lookBackAt = began + LOOK_BACK_EVERY_MS
    await this.findStart(start, looksBack ? LOOK_BACK_MS : 0)
    return leased
  }

  private async findStart(from: QueueStart | null, lookBackMs: number): Promise<void> {
    const { db, clock } = this.deps
    // without it the next request reads the whole queue
    this.start = await findQueueStart(db, from, lookBackMs).catch(() => null)
    this.advanceAt = clock.monotonic() + ADVANCE_MS
  }
}
