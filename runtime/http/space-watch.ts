import { isPgError, PG } from '#database/transaction.ts'
import type { Clock } from '#http-kit/clock.ts'
import { canGrow } from '../store/can-grow.ts'
import type { Db } from '../model/db.ts'

/** The shortest time between two probes. */
const EVERY_MS = 1_000

/**
 * Whether the database has run out of space: it has when a statement fails for lack of space, until a probe shows that it
 * can grow again. A write that succeeds proves nothing, since it may fit into a page that has room.
 */
export class SpaceWatch {
  private isFull = false
  private asked: { at: number; answer: Promise<boolean> } | null = null
  private readonly clock: Pick<Clock, 'monotonic'>

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.clock = clock
  }

  /** Call it with the error of every failed statement. */
  note(error: unknown): void {
    if (isPgError(error, PG.diskFull)) this.isFull = true
  }

  /** By what is known, without asking the database. */
  hasSpace(): boolean {
    return !this.isFull
  }

  /** Whether the database is still out of space; probes it at most once a second. */
  async isOut(db: Db): Promise<boolean> {
    if (!this.isFull) return false
    const at = this.clock.monotonic()
    if (this.asked === null || at - this.asked.at >= EVERY_MS)
      this.asked = { at, answer: canGrow(db).catch(() => false) }
    if (await this.asked.answer) this.isFull = false
    return this.isFull
  }
}
