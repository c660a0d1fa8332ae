import type { SuiteReport } from '../suite.ts'
import { runHistory } from './history.ts'
import type { History } from './history.ts'
import { openSimulation } from './simulation.ts'

/** How many histories may be run to find the faults that a violation needs. */
const MAX_ATTEMPTS = 80

/** Runs one history again and prints it; if it breaks a promise, with a minimal set of faults that still breaks it. */
export async function replay(seed: number, databaseUrl: string): Promise<SuiteReport> {
  const run = async (without: ReadonlySet<number>): Promise<History> => {
    const simulation = await openSimulation(databaseUrl)
    try {
      return await runHistory(simulation, { seed, without })
    } finally {
      await simulation.close()
    }
  }
  const original = await run(new Set())
  const { history, omitted } =
    original.violations.length === 0 ? { history: original, omitted: 0 } : await minimize(original, run)
  for (const line of history.trace) console.log(`  ${line}`)
  console.log(`\n  ${history.outcome.replaceAll('\n', '\n  ')}\n`)
  return {
    lines: [
      `${history.faults} faults, ${history.statements} statements, trace ${history.hash.slice(0, 16)}` +
        (omitted > 0 ? `; ${omitted} faults left out` : ''),
    ],
    trials: { 'simulated histories': 1 },
    violations: history.violations,
  }
}

/** Leaves out ever smaller groups of faults, as long as the same promise is still broken. */
async function minimize(
  original: History,
  run: (without: ReadonlySet<number>) => Promise<History>,
): Promise<{ history: History; omitted: number }> {
  const promises = new Set(original.violations.map(({ promise }) => promise))
  let without: ReadonlySet<number> = new Set()
  let history = original
  let attempts = 0
  for (let size = original.faults >> 1; size >= 1 && attempts < MAX_ATTEMPTS; size >>= 1) {
    for (let start = 1; start <= original.faults && attempts < MAX_ATTEMPTS; start += size) {
      const candidate = new Set([...without, ...Array.from({ length: size }, (_, index) => start + index)])
      if (candidate.size === without.size) continue
      attempts += 1
      const result = await run(candidate)
      if (!result.violations.some(({ promise }) => promises.has(promise))) continue
      without = candidate
      history = result
    }
  }
  return { history, omitted: without.size }
}
