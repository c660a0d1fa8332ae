import type { Suite, SuiteOptions, SuiteReport, Violation } from '../suite.ts'
import { openBadPlaces } from './bad-places.ts'
import { allCells, cellName, TIMES } from './cells.ts'
import type { Cell } from './cells.ts'
import { POISON } from './fault.ts'
import { openHostileServer } from './hostile-plugin.ts'
import type { PluginState } from './hostile-plugin.ts'
import { KINDS } from './kinds.ts'
import { Platform } from './platform.ts'
import { CellRun } from './run-cell.ts'
import type { Place } from './run-cell.ts'

const AT_ONCE = 128
const PATIENCE_MS = 120_000

/** Every kind of fault that a plugin, its host or the network may show, met by every type of operation in both stages. */
export const FAULTS: Suite = {
  name: 'faults',
  title: '36 kinds of faults × stage × operation type × first attempt or repeat, over real sockets',
  run: runFaults,
}

async function runFaults({ size, seed, databaseUrl }: SuiteOptions): Promise<SuiteReport> {
  const cells = seed === null ? allCells(size) : allCells('full').filter(({ number }) => number === seed)
  if (cells.length === 0) throw new RangeError(`there is no cell ${seed}`)
  const bad = await openBadPlaces()
  const server = await openHostileServer()
  const platform = await Platform.open(databaseUrl, PATIENCE_MS)
  try {
    const place: Place = { platform, server, places: bad.places }
    const plugins: PluginState[] = []
    const found = await runAll(cells, place, plugins)
    const violations = [...found.values()].flat()
    const deliveries = plugins.flatMap((plugin) => plugin.deliveries)
    violations.push(...(await platform.checkInvariants(deliveries)))
    violations.push(...(await checkAfterwards(platform, bad.witnessed())))
    const failed = cells.filter(({ number }) => found.has(number)).length
    return {
      tried: tell(cells, found),
      passed: cells.length - failed,
      failed: Math.max(failed, violations.length > 0 ? 1 : 0),
      violations,
    }
  } finally {
    await platform.close()
    await server.close()
    await bad.close()
  }
}

type Found = Map<number, Violation[]>

async function runAll(cells: readonly Cell[], place: Place, plugins: PluginState[]): Promise<Found> {
  const found: Found = new Map()
  const waiting = [...cells]
  const work = async (): Promise<void> => {
    for (let cell = waiting.shift(); cell !== undefined; cell = waiting.shift()) {
      const run = new CellRun(cell, place)
      plugins.push(run.plugin)
      const problems = await runOne(run)
      const { number } = cell
      const name = cellName(cell)
      if (problems.length > 0)
        found.set(
          number,
          problems.map((problem) => ({ promise: name, seen: problem, seed: number })),
        )
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return found
}

async function runOne(run: CellRun): Promise<string[]> {
  try {
    return await run.run()
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)]
  } finally {
    run.finish()
  }
}

/** What holds for all of them together. */
async function checkAfterwards(platform: Platform, witnessed: number): Promise<Violation[]> {
  const violations: Violation[] = []
  const tables = await platform.tablesWith(POISON)
  if (tables.length > 0)
    violations.push({
      promise: 'nothing of an invalid answer is kept',
      seen: `it is in ${tables.join(', ')}`,
    })
  if (witnessed > 0)
    violations.push({ promise: 'no redirect is followed', seen: `${witnessed} requests came to the witness` })
  if ('polluted' in {})
    violations.push({ promise: 'no answer reaches Object.prototype', seen: 'it has a new property' })
  return violations
}

/** A line for each kind: how many of its cells passed, by operation type, the first attempt and the repeat. */
function tell(cells: readonly Cell[], found: Found): string[] {
  const count = (of: readonly Cell[]): string => {
    const passed = of.filter(({ number }) => !found.has(number)).length
    return `${passed}/${of.length}`.padStart(6)
  }
  const columns = [...TIMES, 'always', 'takeover'] as const
  const lines = KINDS.flatMap((kind) => {
    const own = cells.filter((cell) => cell.kind === kind)
    if (own.length === 0) return []
    const counts = columns.map((time) => count(own.filter((cell) => cell.time === time)))
    return [`${String(kind.number).padStart(2)} ${kind.name.padEnd(30)}${counts.join('  ')}`]
  })
  const head = `${''.padEnd(33)}${columns.map((name) => name.padStart(6)).join('  ')}`
  const variants = new Set(cells.map(({ fault }) => fault)).size
  const first = `${cells.length} cells of ${variants} faults, each an operation on an installation of its own`
  return [first, head, ...lines]
}
