import type { RuntimeDeps } from '../deps/runtime-deps.ts'
import { findQueueStart, leaseOperations } from '../store/operations/lease-operations.ts'
import type { LeasedRow, LeaseRequest, QueueStart } from '../store/operations/lease-operations.ts'

/** A request that takes longer has read much that is no longer in the queue. */
const SLOW_MS = 10
/** The whole queue is read again after this many times as long as it took, at most a minute. */
const REST = 20
const MAX_REST_MS = 60_000
/** How often the beginning is found again: what leaves the queue meanwhile is read by each request. */
const ADVANCE_MS = 250
/** How often, and how far, a request looks before the beginning, for operations whose transaction took long. */
const LOOK_BACK_EVERY_MS = 2_000
const LOOK_BACK_MS = 30_000

/**
 * Leases due operations at a nearly constant cost, also while an open transaction keeps the database from removing what has
 * left the queue. After a slow request it remembers where the queue begins, and looks only there for a while. An operation
 * that becomes visible before that place, because its transaction took long, is found by a request that looks back, or when
 * the whole queue is read again.
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
    await this.findStart(null)
    const now = clock.monotonic()
    this.readAgainAt = now + Math.min(MAX_REST_MS, REST * (now - began))
    this.lookBackAt = now + LOOK_BACK_EVERY_MS
    return leased
  }

  private async leaseAt(start: QueueStart, request: LeaseRequest): Promise<LeasedRow[]> {
    const { db, clock } = this.deps
    const began = clock.monotonic()
    if (began >= this.lookBackAt) {
      this.lookBackAt = began + LOOK_BACK_EVERY_MS
      return leaseOperations(db, request, start, LOOK_BACK_MS)
    }
    const leased = await leaseOperations(db, request, start)
    if (began >= this.advanceAt) await this.findStart(start)
    return leased
  }

  private async findStart(from: QueueStart | null): Promise<void> {
    const { db, clock } = this.deps
    // without it the next request reads the whole queue
    this.start = await findQueueStart(db, from).catch(() => null)
    this.advanceAt = clock.monotonic() + ADVANCE_MS
  }
}
