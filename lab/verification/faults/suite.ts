import { mapConcurrently } from '../concurrency.ts'
import type { Suite, SuiteOptions, SuiteReport, Violation } from '../suite.ts'
import { openBadEndpoints } from './bad-endpoints.ts'
import { allCells, cellName, KINDS, TIMES } from './cells.ts'
import type { Cell } from './cells.ts'
import { POISON } from './fault.ts'
import { Platform } from './platform.ts'
import { openPluginServer } from './plugin-server.ts'
import { CellRun } from './run-cell.ts'

/** Each begins with writes: more at once than the runtime serves in time would be refused. */
const CONCURRENT_CELLS = 64
const PATIENCE_MS = 120_000

/** Every kind of fault of a plugin, its host or the network, in both stages of every operation type. */
export const FAULTS: Suite = {
  name: 'faults',
  title: '36 kinds of faults × stage × operation type × first attempt or repeat, over real sockets',
  run: runFaults,
}

async function runFaults({ size, seed, databaseUrl }: SuiteOptions): Promise<SuiteReport> {
  const cells = seed === null ? allCells(size) : allCells('full').filter(({ number }) => number === seed)
  if (cells.length === 0) throw new RangeError(`there is no cell ${seed}`)
  const { endpoints, witnessed, close: closeEndpoints } = await openBadEndpoints()
  const server = await openPluginServer()
  const platform = await Platform.open(databaseUrl, PATIENCE_MS)
  try {
    const results = await mapConcurrently(cells, CONCURRENT_CELLS, async (cell) => {
      const run = new CellRun(cell, { platform, server, endpoints })
      return { cell, plugin: run.plugin, problems: await problemsOf(run) }
    })
    const deliveries = results.flatMap(({ plugin }) => plugin.deliveries)
    const failed = new Set(results.flatMap(({ cell, problems }) => (problems.length > 0 ? [cell] : [])))
    return {
      lines: table(cells, failed),
      trials: { 'fault cells': cells.length },
      violations: [
        ...results.flatMap(({ cell, problems }) =>
          problems.map((seen) => ({ promise: cellName(cell), seen, seed: cell.number })),
        ),
        ...(await platform.checkInvariants(deliveries)),
        ...(await checkAll(platform, witnessed())),
      ],
    }
  } finally {
    await platform.close()
    await server.close()
    await closeEndpoints()
  }
}

async function problemsOf(run: CellRun): Promise<string[]> {
  try {
    return await run.run()
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)]
  } finally {
    run.releaseCalls()
  }
}

/** Checks of all cells together. */
async function checkAll(platform: Platform, witnessed: number): Promise<Violation[]> {
  const tables = await platform.tablesWith(POISON)
  const broken = (isBroken: boolean, promise: string, seen: string): Violation[] =>
    isBroken ? [{ promise, seen }] : []
  return [
    ...broken(tables.length > 0, 'nothing of an invalid answer is stored', `it is in ${tables.join(', ')}`),
    ...broken(witnessed > 0, 'no redirect is followed', `${witnessed} requests arrived at the witness`),
    ...broken('polluted' in {}, 'no answer changes Object.prototype', 'it has a new property'),
  ]
}

/** A line for each kind: how many of its cells passed, by time. */
function table(cells: readonly Cell[], failed: ReadonlySet<Cell>): string[] {
  const passed = (of: readonly Cell[]): string =>
    `${of.filter((cell) => !failed.has(cell)).length}/${of.length}`.padStart(6)
  const lines = KINDS.flatMap((kind) => {
    const ofKind = cells.filter((cell) => cell.kind === kind)
    if (ofKind.length === 0) return []
    const counts = TIMES.map((time) => passed(ofKind.filter((cell) => cell.time === time)))
    return [`${String(kind.number).padStart(2)} ${kind.name.padEnd(30)}${counts.join('  ')}`]
  })
  const variants = new Set(cells.map(({ fault }) => fault)).size
  return [
    `${cells.length} cells of ${variants} faults, each an operation on a separate installation`,
    `${''.padEnd(33)}${TIMES.map((time) => time.padStart(6)).join('  ')}`,
    ...lines,
  ]
}
