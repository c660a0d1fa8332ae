import { openSimulation } from '../simulation/simulation.ts'
import type { Suite, SuiteOptions, SuiteReport, Violation } from '../suite.ts'
import { runInProcesses, splitIntoBatches } from '../worker-processes.ts'
import { prepare, runChangeHistory } from './history.ts'

const SIZES = { quick: 24, full: 10_000 }
/** Statements keep the plans made while the tables were empty, so with more histories each takes longer. */
const MAX_IN_ONE_DATABASE = 200

interface Batch {
  databaseUrl: string
  seeds: readonly number[]
  isBailing: boolean
}

interface BatchResult {
  histories: number
  /** Processor time of the process, without the database, in seconds. */
  seconds: number
  counts: Record<string, number>
  violations: Violation[]
}

export const CHANGES: Suite = {
  name: 'changes',
  title:
    'change requests in virtual time: approvals, rebases, policies, freezes, schedules, batches in waves, crashes, two replicas',
  run: (options) => (options.seed === null ? runMany(options) : replay(options.seed, options.databaseUrl)),
}

async function runMany({ size, count, databaseUrl, isBailing }: SuiteOptions): Promise<SuiteReport> {
  const seeds = Array.from({ length: count ?? SIZES[size] }, (_, index) => index + 1)
  const started = performance.now()
  const results = await runInProcesses<Batch, BatchResult>(
    new URL('./batch-process.ts', import.meta.url),
    splitIntoBatches(seeds, 10).map((batch) => ({ databaseUrl, seeds: batch, isBailing })),
    ({ violations }) => isBailing && violations.length > 0,
  )
  const counts: Record<string, number> = {}
  for (const result of results) addTo(counts, result.counts)
  const histories = results.reduce((sum, result) => sum + result.histories, 0)
  const said = Object.entries(counts).map(([name, number]) => `${name} ${number}`)
  const aMinute = Math.round((histories * 60_000) / (performance.now() - started))
  const each = (results.reduce((sum, { seconds }) => sum + seconds, 0) / histories).toFixed(2)
  return {
    lines: [
      `${histories} histories: ${said.join(', ')}`,
      `${aMinute} histories a minute; ${each} s of processor time each, without the database`,
    ],
    trials: { 'histories of change requests': histories },
    violations: results.flatMap(({ violations }) => violations),
  }
}

function addTo(total: Record<string, number>, counts: Readonly<Record<string, number>>): void {
  for (const [name, number] of Object.entries(counts)) total[name] = (total[name] ?? 0) + number
}

/** Runs a batch; with `isBailing` only until the first violation. */
export async function runBatch({ databaseUrl, seeds, isBailing }: Batch): Promise<BatchResult> {
  const result: BatchResult = { histories: 0, seconds: 0, counts: {}, violations: [] }
  const isEnough = (): boolean => isBailing && result.violations.length > 0
  for (let from = 0; from < seeds.length && !isEnough(); from += MAX_IN_ONE_DATABASE) {
    const simulation = await openSimulation(databaseUrl)
    await prepare(simulation)
    for (const seed of seeds.slice(from, from + MAX_IN_ONE_DATABASE)) {
      const { counts, violations } = await runChangeHistory(simulation, seed)
      result.histories += 1
      addTo(result.counts, counts)
      result.violations.push(...violations)
      if (isEnough()) break
    }
    result.violations.push(...(await simulation.checkDatabase()))
    await simulation.close()
    const { user, system } = process.cpuUsage()
    result.seconds = (user + system) / 1_000_000
    if (from + MAX_IN_ONE_DATABASE < seeds.length)
      console.log(`  ${result.histories} of ${seeds.length}: ${result.violations.length} violations`)
  }
  return result
}

async function replay(seed: number, databaseUrl: string): Promise<SuiteReport> {
  const simulation = await openSimulation(databaseUrl)
  try {
    await prepare(simulation)
    const { trace, counts, violations } = await runChangeHistory(simulation, seed)
    for (const line of trace) console.log(`  ${line}`)
    return { lines: [JSON.stringify(counts)], trials: { 'histories of change requests': 1 }, violations }
  } finally {
    await simulation.close()
  }
}
