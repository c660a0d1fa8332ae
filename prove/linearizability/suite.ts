import { SeededRandom } from '../seeded-random.ts'
import type { Suite, SuiteReport } from '../suite.ts'
import { findBreach } from './check.ts'
import { tell } from './history.ts'
import { proveReal } from './real.ts'
import { FAULTS, simulate } from './simulate.ts'

const SIMULATED = 10_000

export const LINEARIZABILITY: Suite = {
  name: 'linearizability',
  title: 'a save is a compare-and-set on the snapshot of its scope',
  async run(options) {
    const simulated = options.seed === null ? checkTheCheck() : nothing()
    const real = await proveReal(options)
    return {
      tried: [...simulated.tried, ...real.tried],
      passed: simulated.passed + real.passed,
      failed: simulated.failed + real.failed,
      violations: [...simulated.violations, ...real.violations],
    }
  },
}

const nothing = (): SuiteReport => ({ tried: [], passed: 0, failed: 0, violations: [] })

/** Whether the check itself can tell right from wrong: half of what it is shown is clean, half has a fault in it. */
function checkTheCheck(): SuiteReport {
  const report = nothing()
  const rates = new Map<string, { rejected: number; shown: number }>()
  for (let seed = 1, shown = 0; shown < SIMULATED; seed++) {
    const fault = seed % 2 === 0 ? null : (FAULTS[(seed >> 1) % FAULTS.length] ?? null)
    const history = simulate(new SeededRandom(seed), fault)
    if (history === null) continue
    shown++
    const stuck = findBreach(history)
    const rate = rates.get(fault ?? 'clean') ?? { rejected: 0, shown: 0 }
    rate.shown++
    if (stuck !== null) rate.rejected++
    rates.set(fault ?? 'clean', rate)
    if ((stuck !== null) === (fault !== null)) report.passed++
    else {
      report.failed++
      const seen = fault === null ? `rejected at ${stuck?.map(tell).join('; ')}` : `accepted ${fault}`
      report.violations.push({ promise: 'the check tells right from wrong', seen: `seed ${seed}: ${seen}` })
    }
  }
  report.tried = [
    `${SIMULATED} simulated histories; rejected by the check: ${[...rates]
      .map(([kind, { rejected, shown }]) => `${kind} ${rejected} of ${shown}`)
      .join(', ')}`,
  ]
  return report
}
