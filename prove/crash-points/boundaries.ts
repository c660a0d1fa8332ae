import type { Actor } from '../simulation/actor.ts'
import type { DbFaults, DbOutcome, Fate } from '../simulation/driver.ts'

/** What happens at a durable boundary, which is a statement, a commit, or the sending of a call. */
export const MODES = ['die-before', 'die-after', 'lose-answer'] as const satisfies readonly Fate[]
export type Mode = (typeof MODES)[number]

export interface Crash {
  /** Counted from 1. */
  boundary: number
  mode: Mode
}

/** Counts the durable boundaries of a run, and stops it dead, or takes an answer from it, at some of them. */
export class Boundaries implements DbFaults {
  /** What each boundary was. */
  readonly seen: string[] = []
  private readonly crashes: readonly Crash[]

  constructor(crashes: readonly Crash[]) {
    this.crashes = crashes
  }

  fate(actor: Actor, boundary: string): Fate {
    this.seen.push(`${actor.name} ${boundary}`)
    return this.crashes.find((crash) => crash.boundary === this.seen.length)?.mode ?? 'go'
  }

  outcome(): DbOutcome {
    return 'ok'
  }

  waitMs(): number {
    return 0.5
  }

  ended(): void {}
}
