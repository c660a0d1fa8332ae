import { mkdirSync, writeFileSync } from 'node:fs'
import { deal, inProcesses } from '../in-processes.ts'
import type { Suite, SuiteOptions, SuiteReport, Violation } from '../suite.ts'
import { CELLS } from './coverage.ts'
import { REGRESSION_SEEDS } from './regression-seeds.ts'
import type { Share, Shared } from './share.ts'
import { showOne } from './show-one.ts'
import { SOMETIMES } from './sometimes.ts'

const SIZES = {
  quick: { histories: 400, repeats: 8 },
  full: { histories: 50_000, repeats: 200 },
}
/**
 * What is demanded of the coverage, by how many histories there were: with fewer it is told, and nothing is demanded of it.
 * `met` is the part of the cells that must have been met at all, `often` that of those met in 10 histories or more.
 */
const DEMANDS = [
  { histories: 10_000, met: 1, often: 0.95 },
  { histories: 1_000, met: 0.98, often: 0.7 },
]

export const SIMULATION: Suite = {
  name: 'simulation',
  title: 'the whole runtime on virtual time, with everything going wrong by seed',
  run: (options) => (options.seed === null ? runMany(options) : showOne({ ...options, seed: options.seed })),
}

async function runMany({ size, databaseUrl, count, isBailing }: SuiteOptions): Promise<SuiteReport> {
  const { histories, repeats } = SIZES[size]
  const wanted = count ?? histories
  const seeds = [
    ...REGRESSION_SEEDS.map(({ seed }) => seed),
    ...Array.from({ length: wanted }, (_, index) => index + 1),
  ]
  const unique = [...new Set(seeds)]
  const started = performance.now()
  const hands = deal(unique, 10)
  const shares = await inProcesses<Share, Shared>(
    new URL('./share-process.ts', import.meta.url),
    hands.map((hand) => ({
      databaseUrl,
      seeds: hand,
      repeats: Math.ceil(Math.min(repeats, wanted / 25) / hands.length),
      isBailing,
    })),
    ({ failed }) => isBailing && failed > 0,
  )
  const seconds = (performance.now() - started) / 1000
  const total = (of: (shared: Shared) => number): number =>
    shares.reduce((sum, shared) => sum + of(shared), 0)
  const lived = total((shared) => shared.lived)
  const failed = total((shared) => shared.failed)
  const coverage = judgeCoverage(shares, lived)
  const hours = (total((shared) => shared.virtualMs) / 3_600_000).toFixed(0)
  return {
    tried: [
      `${lived} histories of ${hours} virtual hours in ${seconds.toFixed(0)} s: ${total((shared) => shared.faults)} faults, ` +
        `${total((shared) => shared.statements)} statements, ${REGRESSION_SEEDS.length} regression seeds`,
      `${total((shared) => shared.repeated)} seeds lived twice with the same trace, ` +
        `${total((shared) => shared.clocks)} with right and with wrong clocks`,
      ...coverage.lines,
    ],
    passed: lived - failed,
    failed: failed + coverage.violations.length,
    violations: [...shares.flatMap(({ violations }) => violations), ...coverage.violations],
  }
}

/** No cell that can be reached stays empty, and nearly all are met ten times; and what must happen sometimes, did. */
function judgeCoverage(
  shares: readonly Shared[],
  lived: number,
): { lines: string[]; violations: Violation[] } {
  const cells = sum(shares.map((shared) => shared.cells))
  const details = sum(shares.map((shared) => shared.details))
  const sometimes = sum(shares.map((shared) => shared.sometimes))
  const empty = CELLS.filter((cell) => cells[cell] === undefined)
  const often = CELLS.filter((cell) => (cells[cell] ?? 0) >= 10)
  const share = often.length / CELLS.length
  const never = Object.keys(SOMETIMES).filter((name) => sometimes[name] === undefined)
  const counts = CELLS.map((cell) => cells[cell] ?? 0).toSorted((a, b) => a - b)
  const file = writeTable(cells, details)
  const demand = DEMANDS.find(({ histories }) => lived >= histories)
  const { met = 0, often: oftenDemanded = 0 } = demand ?? {}
  const missed = [
    ...(1 - empty.length / CELLS.length < met
      ? empty.map((cell) => ({ promise: 'coverage', seen: `never tried: ${cell}` }))
      : []),
    ...(share < oftenDemanded
      ? [{ promise: 'coverage', seen: `only ${(share * 100).toFixed(1)} % of cells were met ten times` }]
      : []),
    ...never.map((name) => ({ promise: 'coverage', seen: `never happened: ${name}` })),
  ]
  return {
    lines: [
      `${CELLS.length} cells (fault × stage × operation × hold × recording): ${empty.length} empty, ` +
        `${(share * 100).toFixed(1)} % met in 10 histories or more, median ${counts[counts.length >> 1]}; ` +
        `${Object.keys(details).length} in full detail (${file})`,
      ...Object.keys(SOMETIMES).map((name) => `${String(sometimes[name] ?? 0).padStart(6)} × ${name}`),
    ],
    violations: demand === undefined ? [] : missed,
  }
}

function sum(counts: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const total: Record<string, number> = {}
  for (const [name, number] of counts.flatMap((one) => Object.entries(one)))
    total[name] = (total[name] ?? 0) + number
  return total
}

/** The whole table, to be looked at. */
function writeTable(
  cells: Readonly<Record<string, number>>,
  details: Readonly<Record<string, number>>,
): string {
  const folder = new URL('../../.cache/', import.meta.url)
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
