import { setTimeout as sleep } from 'node:timers/promises'
import { mapConcurrently } from '../concurrency.ts'
import { PASSED, REACHED, type Moment, type Order } from '../processes/boundary.ts'
import { beginTrial, type BoundaryTrial } from '../processes/boundary-trial.ts'
import { runLifecycle } from '../processes/lifecycle.ts'
import { createPluginProcess, type PluginProcess } from '../processes/plugin-process.ts'
import type { Suite, SuiteReport, Violation } from '../suite.ts'
import { readJson, type Reader } from '../invariants/reader.ts'

const QUICK = { kills: 6, pauses: 10 }
const FULL_PAUSES = 200
const CONCURRENT_TRIALS = 4
/** How long a resumed replica has to do damage. */
const DAMAGE_MS = 1_500

/** Seeds of kills begin here: each is a boundary and a moment. Smaller seeds are pauses. */
const FIRST_KILL = 1_000
const KILL_MOMENTS: readonly Moment[] = ['before', 'lost', 'after']
/** Where a replica is paused; the lifecycle reaches each at least `times` times. */
const PAUSES: readonly { name: string; order: Omit<Order, 'number' | 'signal'>; times: number }[] = [
  { name: 'before a call', order: { kind: 'call', moment: 'before' }, times: 16 },
  { name: 'during a call', order: { kind: 'call', moment: 'lost' }, times: 16 },
  { name: 'after a call', order: { kind: 'call', moment: 'after' }, times: 16 },
  ...(['before', 'inside', 'lost', 'after'] as const).map((moment) => ({
    name: `${moment} a commit of the worker`,
    order: { kind: 'commit' as const, where: 'worker' as const, moment },
    times: 12,
  })),
  ...(['before', 'inside', 'after'] as const).map((moment) => ({
    name: `${moment} a commit of the API`,
    order: { kind: 'commit' as const, where: 'api' as const, moment },
    times: 4,
  })),
]

interface Trial {
  seed: number
  /** The moment of a kill, or the place of a pause. */
  name: string
  order: Order
}

interface Tried extends Trial {
  /** What a replica does without requests varies, so it may not reach the end of its order. */
  isReached: boolean
  violations: Violation[]
}

/** A real replica sends itself a signal at a boundary, and another one takes over. */
export const SIGNALS: Suite = {
  name: 'signals',
  title: 'SIGKILL at every boundary of a replica, SIGSTOP at named ones, and another replica takes over',
  async run({ size, seed, databaseUrl }) {
    const settings = { platformApiBase: null, seed: 1, faults: {}, timeoutMs: 1_000, maxDelayMs: 2 }
    const plugins = await createPluginProcess(settings)
    try {
      await plugins.start()
      const boundaries = await listBoundaries(databaseUrl, plugins)
      const kills = killsOf(boundaries)
      const trials =
        seed !== null
          ? [...kills.filter((kill) => kill.seed === seed), ...(seed < FIRST_KILL ? [pauseOf(seed)] : [])]
          : size === 'full'
            ? [...kills, ...pauses(FULL_PAUSES)]
            : [...sample(kills, QUICK.kills), ...pauses(QUICK.pauses)]
      const results = await mapConcurrently(trials, CONCURRENT_TRIALS, (trial) =>
        tryTrial(trial, databaseUrl, plugins),
      )
      return report(boundaries, results)
    } finally {
      await plugins.remove()
    }
  },
}

/** The boundaries of an undisturbed run, in order. */
async function listBoundaries(serverUrl: string, plugins: PluginProcess): Promise<string[]> {
  const trial = await beginTrial(serverUrl, plugins, { moment: 'before', number: 0, signal: 'SIGKILL' })
  try {
    await runLifecycle(trial.client)
    const output = trial.replica.child().output()
    return output.flatMap((line) => (line.startsWith(PASSED) ? [line.slice(PASSED.length)] : []))
  } finally {
    await trial.close()
  }
}

function killsOf(boundaries: readonly string[]): Trial[] {
  return boundaries.flatMap((_, at) =>
    KILL_MOMENTS.map((moment, index) => ({
      seed: FIRST_KILL + at * KILL_MOMENTS.length + index,
      name: moment,
      order: { moment, number: at + 1, signal: 'SIGKILL' },
    })),
  )
}

function pauseOf(seed: number): Trial {
  const place = PAUSES[seed % PAUSES.length]
  if (place === undefined) throw new RangeError('a seed must be 0 or more')
  // 5 is coprime to all `times`, so every occurrence is used, the first one first
  const number = 1 + ((Math.floor(seed / PAUSES.length) * 5) % place.times)
  return { seed, name: place.name, order: { ...place.order, number, signal: 'SIGSTOP' } }
}

const pauses = (count: number): Trial[] => Array.from({ length: count }, (_, seed) => pauseOf(seed))

/** About this many of the kills, evenly distributed, with all moments. */
function sample(kills: readonly Trial[], count: number): Trial[] {
  const step = Math.ceil(kills.length / count)
  const coprime = step % KILL_MOMENTS.length === 0 ? step + 1 : step
  return kills.filter((_, index) => index % coprime === 0)
}

async function tryTrial(trial: Trial, serverUrl: string, plugins: PluginProcess): Promise<Tried> {
  const { seed, order } = trial
  const running = await beginTrial(serverUrl, plugins, order)
  const { replica, client } = running
  try {
    const violations: Violation[] = []
    const lifecycle = runLifecycle(client).catch((error: unknown) => {
      violations.push({ promise: 'the lifecycle completes', seen: String(error) })
    })
    const child = replica.child()
    const interrupted =
      order.signal === 'SIGKILL'
        ? child.exited
        : child.line((line) => line === REACHED).then(() => child.paused())
    // a replica that never reaches it is killed in the end
    interrupted.catch(() => undefined)
    const isReached = await Promise.race([interrupted.then(() => true), lifecycle.then(() => false)])
    if (isReached) {
      await running.startSuccessor()
      await lifecycle
      if (order.signal === 'SIGSTOP') violations.push(...(await resume(running)))
    }
    violations.push(...(await running.violations()))
    return { ...trial, isReached, violations: violations.map((violation) => ({ ...violation, seed })) }
  } finally {
    await replica.kill()
    await running.close()
  }
}

/** Lets the replica do what it was about to do, long after another one has done it. */
async function resume({ replica, reader }: BoundaryTrial): Promise<Violation[]> {
  const before = await readContents(reader)
  replica.resume()
  await sleep(DAMAGE_MS)
  const found = changedTables(before, await readContents(reader)).map((table): Violation => ({
    promise: 'I6',
    seen: `a resumed replica has changed ${table}`,
  }))
  // it gives up its leases, and continues as a normal replica
  await replica.ready().catch((error: unknown) => {
    found.push({ promise: 'a resumed replica serves again', seen: String(error) })
  })
  return found
}

function report(boundaries: readonly string[], results: readonly Tried[]): SuiteReport {
  const reached = results.filter(({ isReached }) => isReached)
  const killed = reached.filter(({ order }) => order.signal === 'SIGKILL')
  const paused = reached.filter(({ order }) => order.signal === 'SIGSTOP')
  const count = (of: readonly Tried[], name: string): number => of.filter((one) => one.name === name).length
  const kinds = [...Map.groupBy(boundaries, (kind) => kind)].map(([kind, all]) => `${all.length} × ${kind}`)
  const moments = KILL_MOMENTS.map((moment) => `${count(killed, moment)} ${moment}`)
  const places = PAUSES.map(({ name }) => `${count(paused, name)} ${name}`)
  // with enough trials every place must have been tried
  const missing = results.length < PAUSES.length ? [] : PAUSES.filter(({ name }) => count(paused, name) === 0)
  return {
    lines: [
      `${boundaries.length} boundaries in the lifecycle of an installation: ${kinds.join(', ')}`,
      `${results.length} trials: ${killed.length} replicas killed (${moments.join(', ')})`,
      `and ${paused.length} paused and resumed (${places.join(', ')})`,
    ],
    trials: { 'killed replicas': killed.length, 'paused replicas': paused.length },
    violations: [
      ...results.flatMap(({ violations }) => violations),
      ...missing.map(({ name }) => ({ promise: 'every place is tried', seen: `no replica paused ${name}` })),
    ],
  }
}

/** Everything that a worker may change: each row as a text, by table. */
type TableContents = Record<string, string[]>

const TABLES = [
  'operation',
  'plugin_call',
  'installation',
  'installed_resource',
  'configuration_property',
  'scope',
  'snapshot',
  'snapshot_change',
  'audit_entry',
  'event',
] as const

async function readContents(reader: Reader): Promise<TableContents> {
  const rowsOf = (table: string, where = ''): string =>
    `'${table}', (select coalesce(json_agg(t::text order by t::text), '[]') from runtime.${table} t ${where})`
  // attempts that have ended; an open one may still be recorded as late
  const attempts = rowsOf('attempt', 'where finished_at is not null and not late')
  const parts = [...TABLES.map((table) => rowsOf(table)), attempts]
  // the statement builds exactly this shape
  return (await readJson(
    reader,
    `select json_build_object(${parts.join(', ')})::text as json`,
    [],
  )) as TableContents
}

function changedTables(before: TableContents, after: TableContents): string[] {
  return Object.keys(before).filter((table) => before[table]?.join('\n') !== after[table]?.join('\n'))
}
