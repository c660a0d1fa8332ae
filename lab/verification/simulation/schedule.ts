import type { SeededRandom } from '../seeded-random.ts'

export interface Timer {
  cancel(): void
}

interface Entry {
  at: number
  /** Orders entries of the same time. */
  tie: number
  run: (() => void) | null
}

/**
 * Virtual time. It stands still while anything real is in progress, which is only ever a database statement, and jumps
 * to the next entry once everything is idle.
 */
export class Schedule {
  /** Milliseconds since 1970. */
  now: number
  /** The latest first. */
  private readonly entries: Entry[] = []
  private readonly random: SeededRandom
  private readonly pendingWork: () => Promise<unknown> | null

  /** `pendingWork` returns what to wait for, or null. */
  constructor(start: number, random: SeededRandom, pendingWork: () => Promise<unknown> | null) {
    this.now = start
    this.random = random
    this.pendingWork = pendingWork
  }

  after(ms: number, run: () => void): Timer {
    const entry: Entry = { at: this.now + Math.max(0, ms), tie: this.random.fraction(), run }
    let [low, high] = [0, this.entries.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (isBefore(entry, this.entries[middle])) low = middle + 1
      else high = middle
    }
    this.entries.splice(low, 0, entry)
    return {
      cancel: () => {
        entry.run = null
      },
    }
  }

  wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.after(ms, resolve)
    })
  }

  /** Advances time until `isDone`; throws if no entry is left before that. */
  async runUntil(isDone: () => boolean): Promise<void> {
    for (;;) {
      await this.settle()
      if (isDone()) return
      const next = this.next()
      if (next === undefined) throw new Error('nothing is scheduled, and the run is not over')
      this.now = Math.max(this.now, next.at)
      next.run?.()
    }
  }

  /** Resolves when every promise that does not depend on time has been resolved. */
  private async settle(): Promise<void> {
    for (;;) {
      const work = this.pendingWork()
      if (work !== null) {
        await work
        continue
      }
      await new Promise((resolve) => setImmediate(resolve))
      if (this.pendingWork() === null) return
    }
  }

  private next(): Entry | undefined {
    for (;;) {
      const first = this.entries.pop()
      if (first === undefined || first.run !== null) return first
    }
  }
}

function isBefore(one: Entry, other: Entry | undefined): boolean {
  return other !== undefined && (one.at < other.at || (one.at === other.at && one.tie < other.tie))
}
