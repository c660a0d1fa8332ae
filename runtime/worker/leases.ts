import { renewLeases } from '../store/operations/leases.ts'
import type { RuntimeDeps } from '../deps/runtime-deps.ts'
import type { Lease } from '../model/call.ts'

interface TrackedLease extends Lease {
  /** Monotonic time, taken before the statement that renewed it was sent. */
  renewedAt: number
}

/**
 * The leases of one worker. They are renewed after a third of their duration, and sooner again after a failed renewal.
 * A worker stops working on an operation whose lease it could not renew for two thirds, well before another worker may
 * lease it. This uses the monotonic clock; only the database decides who holds a lease.
 */
export class Leases {
  private readonly leases = new Map<string, TrackedLease>()
  private readonly deps: RuntimeDeps
  private readonly leaseMs: number

  constructor(deps: RuntimeDeps, leaseMs: number) {
    this.deps = deps
    this.leaseMs = leaseMs
  }

  /** `since`: monotonic time before the statement that acquired it. */
  add(lease: Lease, since: number): void {
    this.leases.set(keyOf(lease), { ...lease, renewedAt: since })
  }

  remove(lease: Lease): void {
    this.leases.delete(keyOf(lease))
  }

  /** A transaction that started at `since` has renewed it. */
  renewed(lease: Pick<Lease, 'operationId' | 'epoch'>, since: number): void {
    const known = this.leases.get(keyOf(lease))
    if (known !== undefined) known.renewedAt = Math.max(known.renewedAt, since)
  }

  mayWork(lease: Lease): boolean {
    const known = this.leases.get(keyOf(lease))
    return known !== undefined && this.deps.clock.monotonic() - known.renewedAt < (this.leaseMs * 2) / 3
  }

  /** Whether it was acquired or renewed so recently that other writes need not renew it. */
  isFresh(lease: Lease): boolean {
    const known = this.leases.get(keyOf(lease))
    return known !== undefined && this.deps.clock.monotonic() - known.renewedAt < this.leaseMs / 6
  }

  /** Renews until `signal` is aborted. */
  async keepRenewing(signal: AbortSignal): Promise<void> {
    let areRenewed = true
    while (!signal.aborted) {
      // after a failed renewal the normal interval would be too long
      await this.deps.clock.sleep(this.leaseMs / (areRenewed ? 3 : 12), signal).catch(() => {})
      if (!signal.aborted) areRenewed = await this.renewAll()
    }
  }

  /** False if a valid lease was not renewed: its row was locked, or the database was unavailable. */
  private async renewAll(): Promise<boolean> {
    const since = this.deps.clock.monotonic()
    const leases = [...this.leases.values()].filter((lease) => this.mayWork(lease))
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
