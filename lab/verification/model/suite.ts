import fc from 'fast-check'
import { createLog } from '#http-kit/log.ts'
import { testHttp } from '#runtime/testing/http.ts'
import { mapConcurrently } from '../concurrency.ts'
import { startOwnDatabase } from '../processes/database.ts'
import { SeededRandom } from '../seeded-random.ts'
import type { Suite, SuiteOptions, SuiteReport, Violation } from '../suite.ts'
import { publishBundles, runConcurrentSaves } from './concurrent-saves.ts'
import type { ConcurrentHistory } from './concurrent-saves.ts'
import { firstDrafts } from './command.ts'
import { startPlugins } from './plugins.ts'
import { races, runRace } from './races.ts'
import { startReplicas } from './replicas.ts'
import type { FaultCounts } from './replicas.ts'
import { runDrafts, runs } from './run.ts'
import { TestScope } from './test-scope.ts'

const SIZES = {
  quick: { runs: 20, races: 20, histories: 8 },
  full: { runs: 5_000, races: 2_000, histories: 1_000 },
}
/** How often the concurrent clients of a given seed are run, because the seed does not determine their interleaving. */
const REPEATS = 10
const CONCURRENT_TRIALS = 6
const SHRINK_MS = 60_000
/** Seeds that once revealed a bug; they run first. */
const REGRESSIONS: readonly number[] = []

export const MODEL: Suite = {
  name: 'model',
  title: 'the runtime does what a small model of the rules says, for one client and for concurrent ones',
  async run(options: SuiteOptions): Promise<SuiteReport> {
    const ofModel = await compareWithModel(options)
    if (options.isBailing && ofModel.violations.length > 0) return ofModel
    const ofSaves = await tryConcurrentSaves(options)
    return {
      lines: [...ofModel.lines, ...ofSaves.lines],
      trials: { ...ofModel.trials, ...ofSaves.trials },
      violations: [...ofModel.violations, ...ofSaves.violations],
    }
  },
}

function seedsOf({ seed, count }: SuiteOptions, usual: number): number[] {
  if (seed !== null) return [seed]
  return [...REGRESSIONS, ...Array.from({ length: count ?? usual }, (_, index) => index + 1)]
}

/** Random commands in sequence, and conflicting ones concurrently. */
async function compareWithModel(options: SuiteOptions): Promise<SuiteReport> {
  const { databaseUrl, isBailing, size } = options
  const plugins = await startPlugins()
  const runtime = await testHttp(
    {
      worker: { concurrency: 64, callsPerPlugin: 8, pollMs: 100, graceMs: 100 },
      rateLimit: { perSecond: 1e6, burst: 1e6 },
      log: createLog({ name: 'model', level: 'silent' }),
      checkAnswers: false,
    },
    databaseUrl,
  )
  let scopes = 0
  let commandCount = 0
  let raceCount = 0
  const inScope = async (trial: (scope: TestScope) => Promise<void>): Promise<void> => {
    const scope = new TestScope(runtime, plugins, ++scopes)
    try {
      await trial(scope)
    } finally {
      scope.end()
    }
  }
  const sequences = fc.asyncProperty(firstDrafts, runs, (first, commands) =>
    inScope(async (scope) => {
      const model = await scope.prepare()
      await runDrafts(model, scope, first)
      await fc.asyncModelRun(() => ({ model, real: scope }), commands)
      for (const _ of commands) commandCount++
    }),
  )
  const conflicts = fc.asyncProperty(races, (race) =>
    inScope(async (scope) => {
      if (await runRace(await scope.prepare(), scope, race)) raceCount++
    }),
  )
  try {
    const seeds = { runs: seedsOf(options, SIZES[size].runs), races: seedsOf(options, SIZES[size].races) }
    const violations = await check(sequences, 'the model', seeds.runs, isBailing)
    if (!isBailing || violations.length === 0)
      violations.push(...(await check(conflicts, 'some order', seeds.races, isBailing)))
    return {
      lines: [
        `${seeds.runs.length} runs of at most 30 commands, ${commandCount} in all; ` +
          `${raceCount} races of two or three conflicting commands`,
      ],
      trials: { 'model runs': seeds.runs.length, races: raceCount },
      violations,
    }
  } finally {
    await runtime.close()
    await plugins.close()
  }
}

async function check<Drawn extends [unknown, ...unknown[]]>(
  property: fc.IAsyncProperty<Drawn>,
  promise: string,
  seeds: readonly number[],
  isBailing: boolean,
): Promise<Violation[]> {
  const violations: Violation[] = []
  const checkSeed = async (seed: number): Promise<void> => {
    // with `isBailing` the smallest counterexample is not needed
    const limits = isBailing ? { endOnFailure: true } : { interruptAfterTimeLimit: SHRINK_MS }
    const outcome = await fc.check(property, { seed, numRuns: 1, ...limits })
    if (!outcome.failed) return
    const error = outcome.errorInstance instanceof Error ? outcome.errorInstance.message : 'interrupted'
    const seen = `${error}\n      after ${fc.stringify(outcome.counterexample)}`
    violations.push({ promise, seen, seed })
  }
  await mapConcurrently(seeds, CONCURRENT_TRIALS, checkSeed, () => isBailing && violations.length > 0)
  return violations
}

/** Concurrent clients at two runtimes; in the full form the database is also restarted. */
async function tryConcurrentSaves(options: SuiteOptions): Promise<SuiteReport> {
  const { seed, size, isBailing } = options
  const once = seedsOf(options, SIZES[size].histories)
  const seeds = seed === null ? once : Array.from({ length: REPEATS }, () => seed)
  const ownDatabase = size === 'full' ? await startOwnDatabase() : null
  try {
    const replicas = await startReplicas({
      databaseUrl: ownDatabase?.url ?? options.databaseUrl,
      random: new SeededRandom(seed ?? 1),
      restartDatabase: ownDatabase === null ? null : () => ownDatabase.crash(0),
    })
    try {
      await publishBundles(replicas)
      const faults = replicas.startFaults()
      const histories: ConcurrentHistory[] = []
      const tried = mapConcurrently(
        [...seeds.entries()],
        CONCURRENT_TRIALS,
        async ([index, one]) => void histories.push(await runConcurrentSaves(replicas, index + 1, one)),
        () => isBailing && histories.some(({ violations }) => violations.length > 0),
      )
      try {
        await tried
      } finally {
        await faults.stop()
      }
      return reportSaves(histories, await faults.stop())
    } finally {
      await replicas.close()
    }
  } finally {
    await ownDatabase?.stop()
  }
}

function reportSaves(histories: readonly ConcurrentHistory[], { cuts, restarts }: FaultCounts): SuiteReport {
  const entries = histories.flatMap((history) => history.entries)
  const results = [...Map.groupBy(entries, ({ result }) => result.kind)].map(
    ([kind, found]) => `${kind} ${found.length}`,
  )
  return {
    lines: [
      `${histories.length} histories of 8 concurrent clients at two runtimes: ${entries.length} requests ` +
        `(${results.join(', ')}), ${cuts} connections cut, ${restarts} restarts of the database`,
    ],
    trials: { 'concurrent histories': histories.length },
    violations: histories.flatMap(({ violations }) => violations),
  }
}
