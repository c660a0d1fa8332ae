import type { Violation } from '../suite.ts'
import { checkAuditChain } from '../invariants/audit-chain.ts'
import { checkCanary } from '../invariants/canaries.ts'
import { cellsOf } from './coverage.ts'
import { liveHistory } from './history.ts'
import type { History, HistoryOptions } from './history.ts'
import { CANARY } from './plugins.ts'
import { openSimulation } from './simulation.ts'
import type { Simulation } from './simulation.ts'
import { SOMETIMES } from './sometimes.ts'

/** A part of the histories, lived by one process. */
export interface Share {
  databaseUrl: string
  seeds: readonly number[]
  /** How many of them are lived once more, to see that they come out the same. */
  repeats: number
  isBailing: boolean
}

/** Plans of statements are kept from the first history on, when all tables are empty: with more each takes longer and longer. */
const MOST_IN_ONE_DATABASE = 250

export interface Shared {
  lived: number
  failed: number
  violations: Violation[]
  /** In how many histories. */
  cells: Record<string, number>
  details: Record<string, number>
  sometimes: Record<string, number>
  faults: number
  virtualMs: number
  statements: number
  repeated: number
  clocks: number
}

/** Lives a share and tells of it; with `isBailing` up to the first violation. */
export async function liveShare(share: Share): Promise<Shared> {
  const shared: Shared = {
    lived: 0,
    failed: 0,
    violations: [],
    cells: {},
    details: {},
    sometimes: {},
    faults: 0,
    virtualMs: 0,
    statements: 0,
    repeated: 0,
    clocks: 0,
  }
  const hashes = new Map<number, string>()
  for (let lived = 0; lived < share.seeds.length; lived += MOST_IN_ONE_DATABASE) {
    if (share.isBailing && shared.failed > 0) break
    await liveInOneDatabase(share, share.seeds.slice(lived, lived + MOST_IN_ONE_DATABASE), { hashes, shared })
  }
  if (!share.isBailing || shared.failed === 0)
    await repeat(share.databaseUrl, share.seeds.slice(0, share.repeats), { hashes, shared })
  return shared
}

async function liveInOneDatabase(
  { databaseUrl, isBailing }: Share,
  seeds: readonly number[],
  { hashes, shared }: { hashes: Map<number, string>; shared: Shared },
): Promise<void> {
  const simulation = await openSimulation(databaseUrl)
  for (const seed of seeds) {
    const history = await liveHistory({ seed, ...simulation })
    hashes.set(seed, history.hash)
    add(shared, history)
    if (history.violations.length > 0) await simulation.database.leaveAlone()
    if (isBailing && shared.failed > 0) break
  }
  shared.violations.push(
    ...(await checkAuditChain(simulation.database)),
    ...(await checkCanary(simulation.database, CANARY)),
  )
  await simulation.close()
}

function add(shared: Shared, history: History): void {
  shared.lived += 1
  shared.faults += history.faults
  shared.virtualMs += history.virtualMs
  shared.statements += history.statements
  if (history.violations.length > 0) shared.failed += 1
  shared.violations.push(...history.violations)
  const { facts } = history
  if (facts === null) return
  const { cells, details } = cellsOf(history.flights, facts)
  for (const cell of cells) count(shared.cells, cell)
  for (const detail of details) count(shared.details, detail)
  for (const [name, happened] of Object.entries(SOMETIMES))
    if (happened(facts, history)) count(shared.sometimes, name)
}

/** The same seed is the same history; and (I18) what comes of it does not depend on the wall time of the processes. */
async function repeat(
  databaseUrl: string,
  seeds: readonly number[],
  { hashes, shared }: { hashes: ReadonlyMap<number, string>; shared: Shared },
): Promise<void> {
  if (seeds.length === 0) return
  const live = (simulation: Simulation, options: Omit<HistoryOptions, 'database' | 'vault'>) =>
    liveHistory({ ...options, ...simulation })
  const again = await openSimulation(databaseUrl)
  for (const seed of seeds) {
    const { hash } = await live(again, { seed })
    shared.repeated += 1
    if (hash !== hashes.get(seed)) fail(shared, seed, 'determinism', 'the same seed gave another history')
  }
  await again.close()
  const [right, wrong] = [await openSimulation(databaseUrl), await openSimulation(databaseUrl)]
  for (const seed of seeds.filter((_, index) => index % 2 === 0)) {
    const one = await live(right, { seed, clocks: 'right' })
    const other = await live(wrong, { seed, clocks: 'wall time wrong' })
    shared.clocks += 1
    if (one.outcome !== other.outcome) fail(shared, seed, 'I18', 'other clocks, and it came out otherwise')
  }
  await right.close()
  await wrong.close()
}

function fail(shared: Shared, seed: number, promise: string, seen: string): void {
  shared.failed += 1
  shared.violations.push({ promise, seen, seed })
}

function count(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1
}
