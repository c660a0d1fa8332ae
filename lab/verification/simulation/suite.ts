import { mkdirSync, writeFileSync } from 'node:fs'
import type { Suite, SuiteOptions, SuiteReport, Violation } from '../suite.ts'
import { runInProcesses, splitIntoBatches } from '../worker-processes.ts'
import type { Batch, BatchResult } from './batch.ts'
import { CELLS } from './coverage.ts'
import { SITUATIONS } from './situations.ts'
import { runHistory, type History } from './history.ts'
import { openSimulation } from './simulation.ts'

const SIZES = {
  quick: { histories: 60, repeats: 4 },
  full: { histories: 50_000, repeats: 200 },
}
/** Seeds whose histories once revealed a bug; they always run. */
const REGRESSION_SEEDS: readonly number[] = []
/**
 * The coverage that a number of histories must reach; with fewer it is only printed. `met` is the share of cells that must
 * have been met at all, `often` the share that must have been met in 10 histories or more.
 */
const COVERAGE_GOALS = [
  { histories: 10_000, met: 1, often: 0.95 },
  { histories: 1_000, met: 0.98, often: 0.7 },
]

export const SIMULATION: Suite = {
  name: 'simulation',
  title: 'the whole runtime in virtual time, with faults of every kind determined by a seed',
  run: (options) => (options.seed === null ? runMany(options) : replay(options.seed, options.databaseUrl)),
}

async function runMany({ size, databaseUrl, count, isBailing }: SuiteOptions): Promise<SuiteReport> {
  const { histories: usual, repeats } = SIZES[size]
  const wanted = count ?? usual
  const seeds = new Set([...REGRESSION_SEEDS, ...Array.from({ length: wanted }, (_, index) => index + 1)])
  const started = performance.now()
  const batches = splitIntoBatches([...seeds], 10)
  const results = await runInProcesses<Batch, BatchResult>(
    new URL('./batch-process.ts', import.meta.url),
    batches.map((batch) => ({
      databaseUrl,
      seeds: batch,
      repeats: Math.ceil(Math.min(repeats, wanted / 25) / batches.length),
      isBailing,
    })),
    ({ failed }) => isBailing && failed > 0,
  )
  const seconds = ((performance.now() - started) / 1000).toFixed(0)
  const total = (
    figure: 'histories' | 'virtualMs' | 'faults' | 'statements' | 'repeated' | 'clocks',
  ): number => results.reduce((sum, result) => sum + result[figure], 0)
  const histories = total('histories')
  const coverage = judgeCoverage(results, histories)
  const hours = (total('virtualMs') / 3_600_000).toFixed(0)
  return {
    lines: [
      `${histories} histories of ${hours} virtual hours in ${seconds} s: ${total('faults')} faults, ` +
        `${total('statements')} statements, ${REGRESSION_SEEDS.length} regression seeds`,
      `${total('repeated')} histories run twice with the same trace, ` +
        `${total('clocks')} with right and with wrong clocks`,
      ...coverage.lines,
    ],
    trials: { 'simulated histories': histories },
    violations: [...results.flatMap(({ violations }) => violations), ...coverage.violations],
  }
}

/** With enough histories every cell must be met, nearly all of them often, and every situation. */
function judgeCoverage(
  results: readonly BatchResult[],
  histories: number,
): { lines: string[]; violations: Violation[] } {
  const cells = sum(results.map((result) => result.cells))
  const details = sum(results.map((result) => result.details))
  const situations = sum(results.map((result) => result.situations))
  const counts = CELLS.map((cell) => cells[cell] ?? 0).toSorted((a, b) => a - b)
  const empty = CELLS.filter((cell) => cells[cell] === undefined)
  const often = counts.filter((number) => number >= 10).length / CELLS.length
  const goal = COVERAGE_GOALS.find((one) => histories >= one.histories)
  const percent = `${(often * 100).toFixed(1)} %`
  const missed = [
    ...(1 - empty.length / CELLS.length < (goal?.met ?? 0)
      ? empty.map((cell) => `never tried: ${cell}`)
      : []),
    ...(often < (goal?.often ?? 0) ? [`only ${percent} of the cells were met in 10 histories or more`] : []),
    ...Object.keys(SITUATIONS).flatMap((name) =>
      situations[name] === undefined ? [`never happened: ${name}`] : [],
    ),
  ]
  return {
    lines: [
      `${CELLS.length} cells (fault × stage × operation × lease × recording): ${empty.length} empty, ` +
        `${percent} met in 10 histories or more, median ${counts[counts.length >> 1]}; ` +
        `${Object.keys(details).length} in full detail (${writeTable(cells, details)})`,
      ...Object.keys(SITUATIONS).map((name) => `${String(situations[name] ?? 0).padStart(6)} × ${name}`),
    ],
    violations: goal === undefined ? [] : missed.map((seen) => ({ promise: 'coverage', seen })),
  }
}

function sum(counts: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const total: Record<string, number> = {}
  for (const [name, number] of counts.flatMap((one) => Object.entries(one)))
    total[name] = (total[name] ?? 0) + number
  return total
}

/** Writes the whole table to a file. Returns its name. */
function writeTable(
  cells: Readonly<Record<string, number>>,
  details: Readonly<Record<string, number>>,
): string {
  const folder = new URL('../../../.cache/', import.meta.url)
  mkdirSync(folder, { recursive: true })
  const lines = [
    '# histories in each cell',
    ...CELLS.map((cell) => `${cell}\t${cells[cell] ?? 0}`),
    '',
    '# in full detail',
    ...Object.entries(details)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([cell, number]) => `${cell}\t${number}`),
  ]
  writeFileSync(new URL('simulation-coverage.tsv', folder), `${lines.join('\n')}\n`)
  return '.cache/simulation-coverage.tsv'
}

/** How many histories may be run to find the faults that a violation needs. */
const MAX_ATTEMPTS = 80

/** Runs one history again and prints it; if it breaks a promise, with a minimal set of faults that still breaks it. */
async function replay(seed: number, databaseUrl: string): Promise<SuiteReport> {
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
