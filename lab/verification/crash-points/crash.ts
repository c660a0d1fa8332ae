import type { DatabaseFaults, Interruption, TransactionFault } from '../simulation/driver.ts'
import type { SimulatedProcess } from '../simulation/process.ts'

/** What happens at a durable boundary: a statement, a commit, or the sending of a call. */
export const MODES = ['die-before', 'die-after', 'lose-answer'] as const satisfies readonly Interruption[]

export interface Crash {
  /** Counted from 1. */
  boundary: number
  mode: (typeof MODES)[number]
}

/** The crash that a seed stands for. */
export function crashOf(seed: number): Crash {
  const mode = MODES[seed % MODES.length]
  if (mode === undefined) throw new RangeError(`${seed} is not the seed of a crash point`)
  return { boundary: Math.floor(seed / MODES.length) + 1, mode }
}

/** Counts the durable boundaries of a run, and causes the crashes. */
export class CrashFaults implements DatabaseFaults {
  /** A description of each boundary so far. */
  readonly boundaries: string[] = []
  private readonly crashes: readonly Crash[]

  constructor(crashes: readonly Crash[]) {
    this.crashes = crashes
  }

  interruption(process: SimulatedProcess, boundary: string): Interruption {
    this.boundaries.push(`${process.name} ${boundary}`)
    return this.crashes.find((crash) => crash.boundary === this.boundaries.length)?.mode ?? 'none'
  }

  transaction(): TransactionFault {
    return 'ok'
  }

  waitMs(): number {
    return 0.5
  }
}
