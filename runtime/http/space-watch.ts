import { isPgError, PG } from '#database/transaction.ts'
import type { Clock } from '#http-kit/clock.ts'
import { canGrow } from '../store/why-read-only.ts'
import type { Db } from '../model/db.ts'

/** The shortest time between two probes. */
const PROBE_INTERVAL_MS = 1_000

/**
 * Whether the database has run out of space: from a statement that fails for lack of space until a probe shows that it
 * can grow again. A successful write proves nothing, since it may fit into an existing page.
 */
export class SpaceWatch {
  private isFull = false
  private lastProbe: { at: number; answer: Promise<boolean> } | null = null
  private readonly clock: Pick<Clock, 'monotonic'>

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.clock = clock
  }

  /** Call this with the error of every failed statement. */
  note(error: unknown): void {
    if (isPgError(error, PG.diskFull)) this.isFull = true
  }

  /** The last known state, without a query. */
  hasSpace(): boolean {
    return !this.isFull
  }

  /** Whether the database is still out of space; probes it at most once a second. */
  async isOut(db: Db): Promise<boolean> {
    if (!this.isFull) return false
    const at = this.clock.monotonic()
    if (this.lastProbe === null || at - this.lastProbe.at >= PROBE_INTERVAL_MS)
      this.lastProbe = { at, answer: canGrow(db).catch(() => false) }
    if (await this.lastProbe.answer) this.isFull = false
    return this.isFull
  }
}
