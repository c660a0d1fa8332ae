import { renewLeases } from '../store/operations/renew-leases.ts'
import type { RuntimeDeps } from '../deps/runtime-deps.ts'
import type { Lease } from '../model/lease.ts'

interface HeldLease extends Lease {
  /** Monotonic time, taken before the statement that renewed it was sent. */
  renewedAt: number
}

/**
 * The leases that one worker holds. They are renewed when a third of their time is over, and soon again where that failed; a
 * worker that could not renew one for two thirds stops working on it, well before another worker may claim the operation.
 * This is by the monotonic clock; who really holds a lease is told by the database alone.
 */
export class Leases {
  private readonly held = new Map<string, HeldLease>()
  private readonly deps: RuntimeDeps
  private readonly leaseMs: number

  constructor(deps: RuntimeDeps, leaseMs: number) {
    this.deps = deps
    this.leaseMs = leaseMs
  }

  /** `since`: monotonic time before the statement that took it. */
  add(lease: Lease, since: number): void {
    this.held.set(keyOf(lease), { ...lease, renewedAt: since })
  }

  remove(lease: Lease): void {
    this.held.delete(keyOf(lease))
  }

  /** A transaction that began at `since` has renewed it. */
  renewed(lease: Pick<Lease, 'operationId' | 'epoch'>, since: number): void {
    const held = this.held.get(keyOf(lease))
    if (held !== undefined) held.renewedAt = Math.max(held.renewedAt, since)
  }

  mayWork(lease: Lease): boolean {
    const held = this.held.get(keyOf(lease))
    return held !== undefined && this.deps.clock.monotonic() - held.renewedAt < (this.leaseMs * 2) / 3
  }

  /** Whether it was taken or renewed a moment ago: then it need not be renewed with what else is written. */
  isFresh(lease: Lease): boolean {
    const held = this.held.get(keyOf(lease))
    return held !== undefined && this.deps.clock.monotonic() - held.renewedAt < this.leaseMs / 6
  }

  /** Renews until `signal` is aborted. */
  async keepRenewing(signal: AbortSignal): Promise<void> {
    let areRenewed = true
    while (!signal.aborted) {
      // one that was not renewed would be lost before its turn came again
      await this.deps.clock.sleep(this.leaseMs / (areRenewed ? 3 : 12), signal).catch(() => {})
      if (!signal.aborted) areRenewed = await this.renewAll()
    }
  }

  /** False where one that may be worked on was not renewed: it was locked, or the database was away. */
  private async renewAll(): Promise<boolean> {
    const since = this.deps.clock.monotonic()
    const leases = [...this.held.values()].filter((lease) => this.mayWork(lease))
    if (leases.length === 0) return true
    try {
      for (const renewed of await renewLeases(this.deps.db, leases, this.leaseMs))
        this.renewed(renewed, since)
    } catch (error) {
      this.deps.log.warn('leases could not be renewed', { leases: leases.length }, error)
    }
    return leases.every((lease) => lease.renewedAt >= since || !this.mayWork(lease))
  }
}

function keyOf({ operationId, epoch }: Pick<Lease, 'operationId' | 'epoch'>): string {
  return `${operationId} ${epoch}`
}
