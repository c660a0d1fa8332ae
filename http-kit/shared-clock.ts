import type { Clock } from './clock.ts'
import type { Log } from './log.ts'

/** One look at the clock of the database. The other two are monotonic times of this program, around the look. */
export interface ClockReading {
  databaseMs: number
  askedAt: number
  answeredAt: number
}

/** A clock that moves by more than this against the time that passes has stepped. */
const STEP_MS = 2_000
/** A look that takes longer says too little. */
const SLOW_MS = 1_000
/** Differences that people are told about, and below which they are told that it is over. */
const TOLD_MS = 2_000
const OVER_MS = 1_000
/** How long something waits for another look before it goes on without. */
const WAIT_MS = 500

/**
 * The time on which all programs of one database agree, although their own clocks differ or step: that of the database, carried on by
 * the monotonic clock between two looks at it. If the database's clock steps and this machine's does not, that of this machine
 * continues; if both step, both were set. Nothing that is signed or verified reads the machine's clock alone.
 */
export class SharedClock implements Clock {
  readonly #own: Clock
  readonly #log: Pick<Log, 'warn'>
  readonly #look: () => Promise<number>
  readonly #onStep = new Set<() => void>()
  /** What to add to the monotonic clock; null before the first look. */
  #offset: number | null = null
  #offsetBefore: number | null = null
  #databaseOffset: number | null = null
  /** That of this machine's clock when it was last compared. */
  #ownOffset: number
  #steps = 0
  #isTold = false
  #looking: Promise<void> | null = null

  /** @param look reads the clock of the database, in milliseconds since 1970. */
  constructor(own: Clock, { log, look }: { log: Pick<Log, 'warn'>; look: () => Promise<number> }) {
    this.#own = own
    this.#log = log
    this.#look = look
    this.#ownOffset = this.#readOwn()
  }

  now(): Date {
    return new Date(this.#own.monotonic() + (this.#offset ?? this.#readOwn()))
  }

  monotonic(): number {
    return this.#own.monotonic()
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return this.#own.sleep(ms, signal)
  }

  /** How often this time has stepped: what was signed before a step may not be valid after it. */
  steps(): number {
    return this.#steps
  }

  /** Calls `run` after each step of this time. */
  onStep(run: () => void): void {
    this.#onStep.add(run)
  }

  /**
   * The times that a program which is right may have: this one, that of this machine, of the database, and this one as if it
   * had not stepped. While programs notice a step one after the other, what one has signed is valid at one of these.
   */
  possibleTimes(): Date[] {
    const offsets = [this.#offset, this.#readOwn(), this.#databaseOffset, this.#offsetBefore]
    const at = this.#own.monotonic()
    return offsets.flatMap((offset, index) =>
      offset === null ||
      offsets.slice(0, index).some((other) => other !== null && Math.abs(other - offset) < OVER_MS)
        ? []
        : new Date(at + offset),
    )
  }

  /** How far this machine's clock is ahead of the database's, in milliseconds; null before the first look. */
  aheadMs(): number | null {
    return this.#databaseOffset === null ? null : this.#readOwn() - this.#databaseOffset
  }

  /** What is wrong with the clocks and what to do, in one sentence; null if they agree. */
  problem(): string | null {
    const aheadMs = this.aheadMs()
    return aheadMs === null || Math.abs(aheadMs) < TOLD_MS ? null : describeDifference(aheadMs)
  }

  /** Looks at the database's clock now, and waits for it a little. Never throws. */
  async refresh(): Promise<void> {
    this.#looking ??= this.#lookOnce().finally(() => (this.#looking = null))
    const waited = new AbortController()
    const late = this.#own.sleep(WAIT_MS, waited.signal).catch(() => undefined)
    await Promise.race([this.#looking, late])
    waited.abort()
  }

  /** Looks at the database's clock if this machine's has stepped since the last look: then both may have been set. */
  async refreshAfterStep(): Promise<void> {
    if (Math.abs(this.#readOwn() - this.#ownOffset) > OVER_MS) await this.refresh()
  }

  /** Looks at the database's clock again and again until it is stopped. */
  watch(everyMs: number): { stop(): Promise<void> } {
    const stopped = new AbortController()
    const run = async (): Promise<void> => {
      while (!stopped.signal.aborted) {
        await this.refresh()
        await this.#own.sleep(everyMs, stopped.signal).catch(() => undefined)
      }
    }
    const running = run()
    return {
      async stop() {
        stopped.abort()
        await running
      },
    }
  }

  /** Takes over a look at the database's clock. */
  observe({ databaseMs, askedAt, answeredAt }: ClockReading): void {
    if (answeredAt - askedAt > SLOW_MS && this.#offset !== null) return
    const own = this.#readOwn()
    const database = databaseMs - (askedAt + answeredAt) / 2
    const before = this.#offset
    const hasLeft = (offset: number): boolean => before !== null && Math.abs(offset - before) > STEP_MS
    const next = hasLeft(database) && !hasLeft(own) ? own : database
    this.#databaseOffset = database
    this.#ownOffset = own
    this.#offset = next
    this.#tell(own - database)
    if (before === null || !hasLeft(next)) return
    this.#offsetBefore = before
    this.#steps += 1
    this.#log.warn('the clocks of this machine and of the database were set', {
      byMs: Math.round(next - before),
    })
    for (const run of this.#onStep) run()
  }

  async #lookOnce(): Promise<void> {
    const askedAt = this.#own.monotonic()
    // the program goes on with the time that it has
    const databaseMs = await this.#look().catch(() => null)
    if (databaseMs !== null) this.observe({ databaseMs, askedAt, answeredAt: this.#own.monotonic() })
  }

  #tell(aheadMs: number): void {
    if (!this.#isTold && Math.abs(aheadMs) >= TOLD_MS) {
      this.#isTold = true
      this.#log.warn(describeDifference(aheadMs), { aheadMs: Math.round(aheadMs) })
    } else if (this.#isTold && Math.abs(aheadMs) < OVER_MS) {
      this.#isTold = false
      this.#log.warn('the clocks of this machine and of the database agree again')
    }
  }

  #readOwn(): number {
    return this.#own.now().getTime() - this.#own.monotonic()
  }
}

/** One sentence about two clocks that differ. */
export function describeDifference(aheadMs: number): string {
  const seconds = (Math.abs(aheadMs) / 1000).toFixed(1)
  return (
    `the clock of this machine is ${seconds} s ${aheadMs < 0 ? 'behind' : 'ahead of'} the one of the database: ` +
    'find out which one is wrong, and synchronize both (NTP)'
  )
}
