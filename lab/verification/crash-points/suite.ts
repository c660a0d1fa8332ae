import { SeededRandom } from '../seeded-random.ts'
import { openSimulation } from '../simulation/simulation.ts'
import type { Suite, SuiteOptions, SuiteReport } from '../suite.ts'
import { runInProcesses, splitIntoBatches } from '../worker-processes.ts'
import type { Batch, BatchResult, CrashPoint } from './batch.ts'
import { crashOf, MODES } from './crash.ts'
import type { Crash } from './crash.ts'
import { runWithCrashes } from './crash-run.ts'
import type { CrashRun } from './crash-run.ts'

/** Pairs of crashes, the second of which happens during the recovery from the first. */
const PAIRS = { quick: 0, full: 5_000 }
/** Seeds of pairs begin here; smaller ones are single crashes. */
const FIRST_PAIR = 100_000

export const CRASH_POINTS: Suite = {
  name: 'crash-points',
  title: 'a crash at every durable boundary: before it, after it, and with its response lost',
  run: (options) => (options.seed === null ? tryAll(options) : replay(options.seed, options.databaseUrl)),
}

async function tryAll(options: SuiteOptions): Promise<SuiteReport> {
  const { size, count, databaseUrl, isBailing } = options
  const golden = await runOnce(databaseUrl, [], null)
  const singles = golden.boundaries.length * MODES.length
  const all: CrashPoint[] = [
    ...Array.from({ length: singles }, (_, seed) => ({ seed, crashes: [crashOf(seed)] })).filter(
      ({ crashes }) => size === 'full' || crashes.every((crash) => isInQuickForm(crash, golden)),
    ),
    ...Array.from({ length: PAIRS[size] }, (_, pair) => pairPoint(FIRST_PAIR + pair, singles)),
  ]
  const points = count === null ? all : sample(all, count)
  const results = await runInProcesses<Batch, BatchResult>(
    new URL('./batch-process.ts', import.meta.url),
    splitIntoBatches(points, 10).map((batch) => ({
      databaseUrl,
      points: batch,
      expected: golden.outcome,
      isBailing,
    })),
    ({ violations }) => isBailing && violations.length > 0,
  )
  const tried = results.reduce((sum, result) => sum + result.tried, 0)
  const pairs = points.filter(({ crashes }) => crashes.length > 1).length
  return {
    lines: [
      `${golden.boundaries.length} boundaries without a crash (${kindsOf(golden)})`,
      `${tried} crash points, ${pairs} of them with a second crash during the recovery`,
    ],
    trials: { 'crash points': tried },
    violations: [...golden.violations, ...results.flatMap(({ violations }) => violations)],
  }
}

/**
 * The quick form tries every mode at commits and calls, and one mode at every eighth statement: nearly all statements are
 * in a transaction, which is rolled back whatever the mode.
 */
function isInQuickForm({ boundary, mode }: Crash, { boundaries }: CrashRun): boolean {
  if (kindOf(boundaries[boundary - 1]) !== 'statement') return true
  if (boundary % 8 !== 1) return false
  return mode === (boundary % 16 === 1 ? 'die-before' : 'lose-answer')
}

/** About this many of the points, evenly distributed. */
function sample<Item>(items: readonly Item[], count: number): Item[] {
  const step = Math.max(1, items.length / count)
  return items
    .filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step))
    .slice(0, count)
}

function pairPoint(seed: number, singles: number): CrashPoint {
  const random = new SeededRandom(seed)
  const first = crashOf(random.below(singles))
  // the run after a crash has more boundaries than it would have had without one
  const second = { boundary: first.boundary + 1 + random.below(25), mode: random.pick(MODES) }
  return { seed, crashes: [first, second] }
}

const kindOf = (boundary: string | undefined): string | undefined => boundary?.split(' ')[1]

function kindsOf({ boundaries }: CrashRun): string {
  const count = (kind: string): number => boundaries.filter((boundary) => kindOf(boundary) === kind).length
  return `${count('statement')} statements, ${count('commit')} commits, ${count('call')} calls`
}

async function runOnce(
  databaseUrl: string,
  crashes: readonly Crash[],
  expected: string | null,
): Promise<CrashRun> {
  const simulation = await openSimulation(databaseUrl)
  try {
    return await runWithCrashes(simulation, 0, crashes, expected)
  } finally {
    await simulation.close()
  }
}

async function replay(seed: number, databaseUrl: string): Promise<SuiteReport> {
  const golden = await runOnce(databaseUrl, [], null)
  const singles = golden.boundaries.length * MODES.length
  const crashes = seed >= FIRST_PAIR ? pairPoint(seed, singles).crashes : [crashOf(seed)]
  const run = await runOnce(databaseUrl, crashes, golden.outcome)
  for (const line of run.trace) console.log(`  ${line}`)
  console.log(`\n  ${run.outcome.replaceAll('\n', '\n  ')}\n`)
  return {
    lines: crashes.map(({ boundary, mode }) => `${mode} ${run.boundaries[boundary - 1]}`),
    trials: { 'crash points': 1 },
    violations: run.violations.map((violation) => ({ ...violation, seed })),
  }
}
