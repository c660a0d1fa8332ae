import { deal, inProcesses } from '../in-processes.ts'
import { SeededRandom } from '../seeded-random.ts'
import { openSimulation } from '../simulation/simulation.ts'
import type { Suite, SuiteOptions, SuiteReport } from '../suite.ts'
import { MODES } from './boundaries.ts'
import type { Crash } from './boundaries.ts'
import { crashRun } from './crash-run.ts'
import type { Run } from './crash-run.ts'
import { singlePoint } from './points.ts'
import type { Points, Tried } from './points.ts'

/** Pairs of crashes, of which the second meets the recovery from the first. */
const PAIRS = { quick: 0, full: 5_000 }
/** Seeds of pairs begin here; below are the single points. */
const FIRST_PAIR = 100_000

export const CRASH_POINTS: Suite = {
  name: 'crash-points',
  title: 'a crash at every durable boundary: before it, after it, and with its answer lost',
  run: (options) => (options.seed === null ? tryAll(options) : showOne(options.seed, options.databaseUrl)),
}

async function tryAll(options: SuiteOptions): Promise<SuiteReport> {
  const { size, count, databaseUrl, isBailing } = options
  const golden = await liveOnce(databaseUrl, [])
  const singles = golden.boundaries.length * MODES.length
  const all = [
    ...Array.from({ length: singles }, (_, seed) => ({ seed, crashes: [singlePoint(seed)] })).filter(
      ({ crashes }) => size === 'full' || crashes.every((crash) => isTelling(crash, golden)),
    ),
    ...Array.from({ length: PAIRS[size] }, (_, pair) => pairPoint(FIRST_PAIR + pair, singles)),
  ]
  const points = count === null ? all : spread(all, count)
  const results = await inProcesses<Points, Tried>(
    new URL('./points-process.ts', import.meta.url),
    deal(points, 10).map((hand) => ({ databaseUrl, points: hand, golden: golden.outcome, isBailing })),
    ({ failed }) => isBailing && failed > 0,
  )
  const tried = results.reduce((sum, result) => sum + result.tried, 0)
  const failed = results.reduce((sum, result) => sum + result.failed, 0)
  const violations = [...golden.violations, ...results.flatMap((result) => result.violations)]
  return {
    tried: [
      `${golden.boundaries.length} boundaries without a crash (${kinds(golden)})`,
      `${tried} runs, ${points.filter(({ crashes }) => crashes.length > 1).length} of them with a second crash in the recovery`,
    ],
    passed: tried - failed,
    failed: Math.max(failed, violations.length > 0 ? 1 : 0),
    violations,
  }
}

/**
 * Whether it is worth its time in the quick form: every mode at commits and calls, and one at every other statement within
 * a transaction, which is undone whatever happens there.
 */
function isTelling({ boundary, mode }: Crash, { boundaries }: Run): boolean {
  if (boundaries[boundary - 1]?.split(' ')[1] !== 'statement') return true
  if (boundary % 2 === 0) return false
  return mode === (boundary % 4 === 1 ? 'die-before' : 'lose-answer')
}

/** So many of the points, from all over. */
function spread<Item>(items: readonly Item[], count: number): Item[] {
  const step = Math.max(1, items.length / count)
  return items
    .filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step))
    .slice(0, count)
}

function pairPoint(seed: number, singles: number): { seed: number; crashes: Crash[] } {
  const random = new SeededRandom(seed)
  const first = singlePoint(random.below(singles))
  // what follows on a crash is longer than what would have followed without one
  const second = { boundary: first.boundary + 1 + random.below(25), mode: random.pick(MODES) }
  return { seed, crashes: [first, second] }
}

function kinds({ boundaries }: Run): string {
  const count = (word: string): number => boundaries.filter((text) => text.split(' ')[1] === word).length
  return `${count('statement')} statements, ${count('commit')} commits, ${count('call')} calls`
}

async function liveOnce(databaseUrl: string, crashes: readonly Crash[]): Promise<Run> {
  const simulation = await openSimulation(databaseUrl)
  try {
    return await crashRun(simulation, 0, crashes)
  } finally {
    await simulation.close()
  }
}

async function showOne(seed: number, databaseUrl: string): Promise<SuiteReport> {
  const golden = await liveOnce(databaseUrl, [])
  const { crashes } =
    seed >= FIRST_PAIR
      ? pairPoint(seed, golden.boundaries.length * MODES.length)
      : { crashes: [singlePoint(seed)] }
  const run = await liveOnce(databaseUrl, crashes)
  for (const line of run.trace) console.log(`  ${line}`)
  console.log(`\n  ${run.outcome.replaceAll('\n', '\n  ')}\n`)
  const isSame = run.outcome === golden.outcome
  const differs = isSame ? [] : [{ promise: 'I10', seen: 'it came out otherwise than without a crash' }]
  const violations = [...run.violations, ...differs]
  return {
    tried: crashes.map(({ boundary, mode }) => `${mode} ${run.boundaries[boundary - 1]}`),
    passed: violations.length === 0 ? 1 : 0,
    failed: violations.length === 0 ? 0 : 1,
    violations,
  }
}
