import type { Violation } from '../suite.ts'
import { cellsOf } from './coverage.ts'
import { runHistory } from './history.ts'
import type { History } from './history.ts'
import { openSimulation } from './simulation.ts'
import { SITUATIONS } from './situations.ts'

/** The histories that one process runs. */
export interface Batch {
  databaseUrl: string
  seeds: readonly number[]
  /** How many of them run twice, to compare the results. */
  repeats: number
  isBailing: boolean
}

/** Statements keep the plans made while the tables were empty, so with more histories each takes longer. */
const MAX_IN_ONE_DATABASE = 250

type Counts = Record<string, number>

export interface BatchResult {
  histories: number
  failed: number
  violations: Violation[]
  /** In how many histories each was met. */
  cells: Counts
  details: Counts
  situations: Counts
  faults: number
  virtualMs: number
  statements: number
  /** How many histories were run again, and how many with right and with wrong clocks. */
  repeated: number
  clocks: number
}

/** Runs a batch; with `isBailing` only until the first violation. */
export async function runBatch(batch: Batch): Promise<BatchResult> {
  const result: BatchResult = {
    histories: 0,
    failed: 0,
    violations: [],
    cells: {},
    details: {},
    situations: {},
    faults: 0,
    virtualMs: 0,
    statements: 0,
    repeated: 0,
    clocks: 0,
  }
  const hashes = new Map<number, string>()
  const isEnough = (): boolean => batch.isBailing && result.failed > 0
  for (let from = 0; from < batch.seeds.length && !isEnough(); from += MAX_IN_ONE_DATABASE) {
    const simulation = await openSimulation(batch.databaseUrl)
    for (const seed of batch.seeds.slice(from, from + MAX_IN_ONE_DATABASE)) {
      const history = await runHistory(simulation, { seed })
      hashes.set(seed, history.hash)
      add(result, history)
      if (isEnough()) break
    }
    result.violations.push(...(await simulation.checkDatabase()))
    await simulation.close()
  }
  const repeated = batch.seeds.slice(0, batch.repeats)
  if (!isEnough() && repeated.length > 0) await compareRepeats(batch.databaseUrl, repeated, hashes, result)
  return result
}

function add(result: BatchResult, history: History): void {
  result.histories += 1
  result.faults += history.faults
  result.virtualMs += history.virtualMs
  result.statements += history.statements
  if (history.violations.length > 0) result.failed += 1
  result.violations.push(...history.violations)
  const { facts, calls } = history
  if (facts === null) return
  const { cells, details } = cellsOf(calls, facts)
  for (const cell of cells) count(result.cells, cell)
  for (const detail of details) count(result.details, detail)
  for (const [name, happened] of Object.entries(SITUATIONS))
    if (happened(facts, history)) count(result.situations, name)
}

/** The same seed gives the same history, and (I18) its outcome does not depend on the wall time of the processes. */
async function compareRepeats(
  databaseUrl: string,
  seeds: readonly number[],
  hashes: ReadonlyMap<number, string>,
  result: BatchResult,
): Promise<void> {
  const fail = (seed: number, promise: string, seen: string): void => {
    result.failed += 1
    result.violations.push({ promise, seen, seed })
  }
  const again = await openSimulation(databaseUrl)
  for (const seed of seeds) {
    const { hash } = await runHistory(again, { seed })
    result.repeated += 1
    if (hash !== hashes.get(seed)) fail(seed, 'determinism', 'the same seed gave another history')
  }
  await again.close()
  const [right, wrong] = [await openSimulation(databaseUrl), await openSimulation(databaseUrl)]
  for (const seed of seeds.filter((_, index) => index % 2 === 0)) {
    const one = await runHistory(right, { seed, clocks: 'right' })
    const other = await runHistory(wrong, { seed, clocks: 'wall time wrong' })
    result.clocks += 1
    if (one.outcome !== other.outcome) fail(seed, 'I18', 'the outcome is different with other clocks')
  }
  await right.close()
  await wrong.close()
}

function count(counts: Counts, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1
}
