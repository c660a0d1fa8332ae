import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { createDatabaseIfMissing, startEmbedded } from '#database/embedded.ts'
import { clientConfig, toUrl } from '#database/settings.ts'
import type { ConnectionSettings } from '#database/settings.ts'
import type { Measurement, Task } from './engine/measure.ts'
import type { EngineContext } from './engine/operations.ts'
import { installPeers, PEERS } from './engine/peers.ts'
import type { Peer } from './engine/peers.ts'
import { retentionResults } from './engine/retention.ts'
import { median, round, selectParts } from './report.ts'
import type { Result } from './report.ts'

const FULL_SPEED = { kind: 'full-speed', warmUp: 300, count: 2_000 } as const
const PER_SECOND = 50
const PACED = { kind: 'paced', warmUp: 300, count: 300, perSecond: PER_SECOND } as const
const HANGING_COUNT = 5_000
const OURS = 'ours'
const BARE = 'graphile-worker'

export interface EngineOptions {
  rounds: number
  /** Also measures the engines of PEERS. */
  peers: boolean
  /** How much longer each commit takes, in milliseconds; 0 to 100. */
  commitMs: number
  /** Worker processes at full speed; engines that have no such thing are left out beyond 1. */
  workers: number
  /** Operations at once in each worker at full speed. */
  atOnce: number
}

/** A plugin in a process of its own, and a new database. */
type NewContext = () => Promise<EngineContext>

const PARTS: Record<string, (newContext: NewContext, options: EngineOptions) => Promise<Result[]>> = {
  operations: measureOperations,
  retention: async (newContext) =>
    retentionResults(await runInProcess('./engine/measure-retention.ts', await newContext())),
}

/**
 * How fast operations are, and how much retention slows them down, on the embedded PostgreSQL, as `npm start` runs it and
 * with synchronous_commit on.
 */
export async function benchEngine({ only, ...options }: EngineOptions & { only: string }): Promise<Result[]> {
  const parts = selectParts(PARTS, only)
  if (options.peers) installPeers()
  const dataDir = mkdtempSync(join(tmpdir(), 'bundle-console-bench-'))
  const log = { info: () => {}, warn: () => {}, error: console.error }
  const server = await startEmbedded({ dataDir, log, transport: 'tcp' })
  await requireDurableCommits(server.connection)
  await slowCommits(server.connection, options.commitMs)
  const plugin = fork(new URL('./engine/plugin.ts', import.meta.url))
  try {
    const { url: pluginUrl } = await messageOf<{ url: string }>(plugin)
    let databases = 0
    const newContext = async (): Promise<EngineContext> => {
      const connection = await createDatabaseIfMissing(server.connection, `bench_${databases++}`)
      return { databaseUrl: toUrl(connection), pluginUrl }
    }
    const results: Result[] = []
    for (const measure of parts) results.push(...(await measure(newContext, options)))
    return results
  } finally {
    plugin.disconnect()
    await server.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/**
 * Operations with two plugin calls each: two sequential POSTs to a plugin in a separate process that responds in about a
 * millisecond. The first response is durable before the second call is made, both are kept, and each call is recorded
 * before it is made. Peers do the same work: with the same record, or without one.
 *
 * Each measurement has its own process and a new database. Full speed: a prepared backlog is processed, `atOnce` (by default 20) at a time by each worker; commits are those of
 * the database during processing. Paced: 50 per second, from the commit that creates the operation until the database
 * shows it as completed, polled every 2 ms, starting with the seventh second; also with 5,000 operations that are due at a
 * plugin that never responds. Slower commits: PostgreSQL waits before it syncs its log (`commit_delay`, with
 * `commit_siblings = 0`); commits that arrive meanwhile are synced together, as on a slow disk.
 */
async function measureOperations(newContext: NewContext, options: EngineOptions): Promise<Result[]> {
  process.env.BENCH_AT_ONCE = String(options.atOnce)
  const measure = async (task: DistributiveOmit<Task, 'databaseUrl' | 'pluginUrl'>): Promise<Measurement> =>
    runInProcess('./engine/measure.ts', { ...task, ...(await newContext()) })
  const peers = options.peers ? PEERS.filter((peer) => isComparable(peer, options)) : []
  const arms = [{ name: OURS, peer: undefined }, ...peers.map((peer) => ({ name: peer.name, peer }))]
  const found = new Map<string, Measurement[]>(arms.map(({ name }) => [name, []]))
  const commits: number[] = []
  const mediansByHanging = new Map<number, number[]>([
    [0, []],
    [HANGING_COUNT, []],
  ])
  // interleaved, so that other load on the machine affects all of them equally
  for (let index = 0; index < options.rounds; index++) {
    commits.push((await measure({ kind: 'plain-commits' })).perSecond ?? Number.NaN)
    for (const { name, peer } of arms) {
      const which = peer === undefined ? {} : { peer }
      const fullSpeed = await measure({ ...FULL_SPEED, ...which, workers: options.workers })
      const paced = await measure({ ...PACED, ...which })
      found.get(name)?.push({ ...fullSpeed, ...paced })
    }
    for (const [hanging, medians] of mediansByHanging) {
      medians.push((await measure({ ...PACED, hanging })).medianMs ?? Number.NaN)
    }
  }
  const compared = peers.length > 0 ? comparisons(found, peers) : []
  return [...results(found, commits), ...compared, hangingPluginResult(mediansByHanging)]
}

/** A journal of its own is not delayed by PostgreSQL. */
const isComparable = (peer: Peer, { commitMs, workers }: EngineOptions): boolean =>
  !(peer.hasOwnJournal === true && commitMs > 0) && !(peer.isSingle === true && workers > 1)

const figureOf = (
  found: ReadonlyMap<string, readonly Measurement[]>,
  name: string,
  figure: keyof Measurement,
) => median((found.get(name) ?? []).map((measured) => measured[figure] ?? Number.NaN))

function results(found: ReadonlyMap<string, readonly Measurement[]>, commits: readonly number[]): Result[] {
  const perSecond = (all: readonly (number | undefined)[]): string =>
    all.map((one) => Math.round(one ?? Number.NaN)).join(' ')
  const rows = [...found].map(([name, measured]) => ({
    engine: name,
    'per second': Math.round(figureOf(found, name, 'perSecond')),
    rounds: perSecond(measured.map((one) => one.perSecond)),
    // a journal of its own commits nothing to PostgreSQL
    ...(!PEERS.some((peer) => peer.name === name && peer.hasOwnJournal === true) && {
      'commits each': round(figureOf(found, name, 'commitsPerOperation')),
    }),
    'paced ms': round(figureOf(found, name, 'medianMs')),
    'CPU ms each': round(figureOf(found, name, 'cpuMs')),
  }))
  const plain = {
    engine: 'plain commits',
    'per second': Math.round(median(commits)),
    rounds: perSecond(commits),
    'commits each': 1,
  }
  return [
    {
      name: 'engine throughput',
      rows: [...rows, plain],
      figure: figureOf(found, OURS, 'perSecond'),
      goal: 700,
      meaning:
        'Operations per second on two idle cores; at least the goal. Compare machines by the plain commits.',
    },
    {
      name: 'engine commits',
      rows: [],
      figure: figureOf(found, OURS, 'commitsPerOperation'),
      goal: 1,
      meaning: 'Database commits for an operation with two calls; at most the goal.',
    },
    {
      name: 'engine processor time',
      rows: [],
      figure: figureOf(found, OURS, 'cpuMs'),
      goal: 0.6,
      meaning:
        'Milliseconds of processor time of the worker for an operation with two calls; at most the goal.',
    },
    {
      name: 'engine latency',
      rows: [],
      figure: figureOf(found, OURS, 'medianMs'),
      goal: 15,
      meaning: `Median milliseconds to completion at ${PER_SECOND} per second; at most the goal.`,
    },
  ]
}

function comparisons(found: ReadonlyMap<string, readonly Measurement[]>, peers: readonly Peer[]): Result[] {
  const speed = (name: string): number => figureOf(found, name, 'perSecond')
  const compared = (name: string, others: readonly string[], goal: number): Result[] => {
    const best = others.toSorted((a, b) => speed(b) - speed(a))[0]
    if (best === undefined) return []
    const meaning = `Our operations per second divided by those of ${best}; at least the goal.`
    return [{ name, rows: [], figure: speed(OURS) / speed(best), goal, meaning }]
  }
  const names = (which: (peer: Peer) => boolean): string[] => peers.filter(which).map(({ name }) => name)
  return [
    ...compared(
      'engine beside the same record',
      names(({ recorded }) => recorded === true),
      1.3,
    ),
    ...compared(
      'engine beside durable execution',
      names(({ module }) => module === 'dbos' || module === 'restate'),
      1,
    ),
    ...compared('engine beside a bare queue', [BARE], 0.8),
    {
      name: 'engine latency beside a bare queue',
      rows: [],
      figure: figureOf(found, OURS, 'medianMs') / figureOf(found, BARE, 'medianMs'),
      goal: 1.2,
      meaning: `Median time to completion at ${PER_SECOND} per second, ours divided by that of ${BARE}; at most the goal.`,
    },
  ]
}

/** Makes each commit wait for the disk at least this much longer. */
async function slowCommits(connection: ConnectionSettings, ms: number): Promise<void> {
  if (ms === 0) return
  const client = new pg.Client(clientConfig(connection))
  await client.connect()
  await client.query(`alter system set commit_delay = ${Math.round(ms * 1_000)}`)
  await client.query('alter system set commit_siblings = 0')
  await client.query('select pg_reload_conf()')
  await client.end()
}

/** How much many operations due at an unresponsive plugin delay those of a responsive one. */
function hangingPluginResult(medians: ReadonlyMap<number, readonly number[]>): Result {
  const of = (hanging: number): number => median(medians.get(hanging) ?? [])
  return {
    name: 'engine hanging plugin',
    rows: [...medians].map(([hanging, all]) => ({
      'due at an unresponsive plugin': hanging,
      'paced ms of others': round(median(all)),
      rounds: all.map(round).join(' '),
    })),
    figure: of(HANGING_COUNT) / of(0),
    goal: 1.5,
    meaning: `Median time to completion at ${PER_SECOND} per second with ${HANGING_COUNT} operations due at an unresponsive plugin, divided by that without them; at most the goal.`,
  }
}

type DistributiveOmit<Type, Keys extends PropertyKey> = Type extends unknown ? Omit<Type, Keys> : never

async function requireDurableCommits(connection: ConnectionSettings): Promise<void> {
  const client = new pg.Client(clientConfig(connection))
  await client.connect()
  for (const setting of ['synchronous_commit', 'fsync', 'full_page_writes']) {
    const { rows } = await client.query<Record<string, string>>(`show ${setting}`)
    if (rows[0]?.[setting] !== 'on') throw new Error(`${setting} is not on`)
  }
  await client.end()
}

/** What a script measures in a process of its own. Its argument is the task as JSON. */
const runInProcess = <Measured>(script: string, task: object): Promise<Measured> =>
  messageOf(fork(new URL(script, import.meta.url), [JSON.stringify(task)]))

/** The next message of a process; rejects if it ends without one. */
function messageOf<Message>(child: ChildProcess): Promise<Message> {
  return new Promise((resolve, reject) => {
    child.once('message', (message) => resolve(message as Message))
    child.once('exit', (code) => reject(new Error(`A process of the benchmark exited with ${code}`)))
  })
}
