import fc from 'fast-check'
import { testDatabase } from '#database/testing.ts'
import { RUNTIME_MIGRATIONS } from '#runtime/store/migrations.ts'
import { startHttpRuntime } from '../http-runtime.ts'
import type { Suite, SuiteOptions, SuiteReport, Violation } from '../suite.ts'
import { Ground } from './ground.ts'
import { startPlugins } from './plugins.ts'
import { race, races } from './races.ts'
import { runs } from './run.ts'

const SIZES = { quick: { runs: 300, races: 200 }, full: { runs: 5_000, races: 2_000 } }
const AT_ONCE = 6
const SHRINK_MS = 20_000
/** Seeds that found something once; they are tried first. */
const REGRESSIONS: readonly number[] = []

export const MODEL: Suite = {
  name: 'model',
  title: 'the runtime does what a small model of the rules says, one command after the other and at once',
  async run(options: SuiteOptions): Promise<SuiteReport> {
    const database = await testDatabase({ migrations: [RUNTIME_MIGRATIONS], server: options.databaseUrl })
    const plugins = await startPlugins()
    const worker = { concurrency: 64, callsPerPlugin: 8, pollMs: 100, graceMs: 100 }
    const runtime = await startHttpRuntime(database.connection, { worker })
    let grounds = 0
    const ground = (): Ground => new Ground(runtime, plugins, ++grounds)
    try {
      return await tryAll(options, ground)
    } finally {
      await runtime.stop()
      await plugins.close()
      await database.close()
    }
  },
}

async function tryAll(
  { size, seed, count, isBailing }: SuiteOptions,
  ground: () => Ground,
): Promise<SuiteReport> {
  const told = { commands: 0, races: 0 }
  const sequences = fc.asyncProperty(runs, async (commands) => {
    const own = ground()
    try {
      const model = await own.prepare()
      await fc.asyncModelRun(() => ({ model, real: own }), commands)
    } finally {
      own.end()
    }
    for (const _ of commands) told.commands++
  })
  const atOnce = fc.asyncProperty(races, async (drafted) => {
    const own = ground()
    try {
      if (await race(await own.prepare(), own, drafted)) told.races++
    } finally {
      own.end()
    }
  })
  const seeds = (usual: number): number[] =>
    seed !== null
      ? [seed]
      : [...REGRESSIONS, ...Array.from({ length: count ?? usual }, (_, index) => index + 1)]
  const ofRuns = await tryEach(seeds(SIZES[size].runs), 'the model', sequences, isBailing)
  const isOver = isBailing && ofRuns.length > 0
  const ofRaces = isOver ? [] : await tryEach(seeds(SIZES[size].races), 'some order', atOnce, isBailing)
  const violations = [...ofRuns, ...ofRaces]
  const tries = seeds(SIZES[size].runs).length + seeds(SIZES[size].races).length
  return {
    tried: [
      `${seeds(SIZES[size].runs).length} runs of at most 30 commands (${told.commands} commands); ` +
        `${told.races} races of two or three conflicting commands`,
    ],
    passed: tries - violations.length,
    failed: violations.length,
    violations,
  }
}

async function tryEach<Drawn extends [unknown, ...unknown[]]>(
  seeds: readonly number[],
  promise: string,
  property: fc.IAsyncProperty<Drawn>,
  isBailing: boolean,
): Promise<Violation[]> {
  const violations: Violation[] = []
  const waiting = [...seeds]
  const lane = async (): Promise<void> => {
    for (let seed = waiting.shift(); seed !== undefined; seed = waiting.shift()) {
      // whoever only asks whether anything is wrong does not wait for the smallest example of it
      const limits = isBailing ? { endOnFailure: true } : { interruptAfterTimeLimit: SHRINK_MS }
      const outcome = await fc.check(property, { seed, numRuns: 1, ...limits })
      if (!outcome.failed) continue
      if (isBailing) waiting.length = 0
      const error = outcome.errorInstance instanceof Error ? outcome.errorInstance.message : 'interrupted'
      violations.push({
        promise,
        seen: `${error}\n      after ${fc.stringify(outcome.counterexample)}`,
        seed,
      })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, lane))
  return violations
}
