import type { SuiteReport } from '../suite.ts'
import { liveHistory } from './history.ts'
import type { History } from './history.ts'
import { openSimulation } from './simulation.ts'

/** How many histories may be lived to find the faults that a violation needs. */
const MOST_TRIES = 80

/** Lives one history again and prints it; where it breaks a promise, with as few faults as still break it. */
export async function showOne({
  seed,
  databaseUrl,
}: {
  seed: number
  databaseUrl: string
}): Promise<SuiteReport> {
  const live = async (without: ReadonlySet<number>): Promise<History> => {
    const simulation = await openSimulation(databaseUrl)
    try {
      return await liveHistory({ seed, without, ...simulation })
    } finally {
      await simulation.close()
    }
  }
  const whole = await live(new Set())
  const { history, left } =
    whole.violations.length === 0 ? { history: whole, left: 0 } : await minimise(whole, live)
  for (const line of history.trace) console.log(`  ${line}`)
  console.log(`\n  ${history.outcome.replaceAll('\n', '\n  ')}\n`)
  return {
    tried: [
      `${history.faults} faults, ${history.statements} statements, trace ${history.hash.slice(0, 16)}` +
        (left > 0 ? `; ${left} faults left out` : ''),
    ],
    passed: whole.violations.length === 0 ? 1 : 0,
    failed: whole.violations.length === 0 ? 0 : 1,
    violations: history.violations,
  }
}

/** Leaves out one part of the faults after the other, larger parts first, as long as the same promise stays broken. */
async function minimise(
  whole: History,
  live: (without: ReadonlySet<number>) => Promise<History>,
): Promise<{ history: History; left: number }> {
  const promises = new Set(whole.violations.map(({ promise }) => promise))
  let without: ReadonlySet<number> = new Set()
  let history = whole
  let tries = 0
  for (let size = whole.faults >> 1; size >= 1 && tries < MOST_TRIES; size >>= 1) {
    for (let start = 1; start <= whole.faults && tries < MOST_TRIES; start += size) {
      const candidate = new Set([...without, ...Array.from({ length: size }, (_, index) => start + index)])
      if (candidate.size === without.size) continue
      tries += 1
      const tried = await live(candidate)
      if (!tried.violations.some(({ promise }) => promises.has(promise))) continue
      without = candidate
      history = tried
    }
  }
  return { history, left: without.size }
}
