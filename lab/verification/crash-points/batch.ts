import { openSimulation } from '../simulation/simulation.ts'
import type { Violation } from '../suite.ts'
import type { Crash } from './crash.ts'
import { runWithCrashes } from './crash-run.ts'

/** The crash points that one process tries. */
export interface Batch {
  databaseUrl: string
  points: readonly CrashPoint[]
  /** The outcome of the run without a crash. */
  expected: string
  isBailing: boolean
}

export interface CrashPoint {
  seed: number
  crashes: readonly Crash[]
}

export interface BatchResult {
  tried: number
  violations: Violation[]
}

export async function runBatch({ databaseUrl, points, expected, isBailing }: Batch): Promise<BatchResult> {
  const simulation = await openSimulation(databaseUrl)
  const result: BatchResult = { tried: 0, violations: [] }
  for (const { seed, crashes } of points) {
    const run = await runWithCrashes(simulation, seed, crashes, expected)
    result.tried += 1
    const where = crashes
      .map(({ boundary, mode }) => `${mode} ${run.boundaries[boundary - 1]}`)
      .join(', then ')
    for (const { promise, seen } of run.violations)
      result.violations.push({ promise, seen: `${seen} (${where})`, seed })
    if (isBailing && result.violations.length > 0) break
  }
  result.violations.push(...(await simulation.checkDatabase()))
  await simulation.close()
  return result
}
