import { checkAuditChain } from '../invariants/audit-chain.ts'
import { checkCanary } from '../invariants/canaries.ts'
import { CANARY } from '../simulation/plugins.ts'
import { openSimulation } from '../simulation/simulation.ts'
import type { Violation } from '../suite.ts'
import { MODES } from './boundaries.ts'
import type { Crash } from './boundaries.ts'
import { crashRun } from './crash-run.ts'

/** Crash points that one process tries. */
export interface Points {
  databaseUrl: string
  points: readonly { seed: number; crashes: readonly Crash[] }[]
  /** What became of the operations without any crash. */
  golden: string
  isBailing: boolean
}

export interface Tried {
  tried: number
  failed: number
  violations: Violation[]
}

export async function tryPoints({ databaseUrl, points, golden, isBailing }: Points): Promise<Tried> {
  const simulation = await openSimulation(databaseUrl)
  const result: Tried = { tried: 0, failed: 0, violations: [] }
  for (const { seed, crashes } of points) {
    const run = await crashRun(simulation, seed, crashes)
    const differs =
      run.outcome === golden
        ? []
        : [{ promise: 'I10', seen: `it came out otherwise than without a crash: ${run.outcome}` }]
    const found = [...run.violations, ...differs]
    result.tried += 1
    if (found.length > 0) result.failed += 1
    const where = crashes
      .map(({ boundary, mode }) => `${mode} ${run.boundaries[boundary - 1]}`)
      .join(', then ')
    result.violations.push(
      ...found.map(({ promise, seen }) => ({ promise, seen: `${seen} (${where})`, seed })),
    )
    if (isBailing && result.failed > 0) break
  }
  result.violations.push(
    ...(await checkAuditChain(simulation.database)),
    ...(await checkCanary(simulation.database, CANARY)),
  )
  await simulation.close()
  return result
}

/** A crash at one boundary, as a number to ask for it again. */
export function singlePoint(seed: number): Crash {
  const mode = MODES[seed % MODES.length]
  if (mode === undefined) throw new RangeError(`${seed} is no crash point`)
  return { boundary: Math.floor(seed / MODES.length) + 1, mode }
}
