import { fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { createDatabaseIfMissing, startEmbedded } from '#database/embedded.ts'
import { clientConfig, toUrl } from '#database/settings.ts'
import type { ConnectionSettings } from '#database/settings.ts'
import type { Measurement, Task } from './engine/measure.ts'
import { median, round } from './report.ts'
import type { Result } from './report.ts'

const ROUNDS = 3
const FULL_SPEED = { kind: 'full-speed', warmUp: 300, count: 2_000 } as const
const PER_SECOND = 50
const PACED = { kind: 'paced', warmUp: 300, count: 300, perSecond: PER_SECOND } as const
const HANGING_COUNT = 5_000

/**
 * Operations with two plugin calls each: two sequential POSTs to a plugin in a separate process that responds in about a
 * millisecond. The first response is durable before the second call is made, both are kept, and each call is recorded
 * before it is made.
 *
 * PostgreSQL is the embedded one, as `npm start` runs it and with synchronous_commit on; each measurement has its own
 * process and a new database. Full speed: a prepared backlog is processed, 20 at a time; commits are those of the database
 * during processing. Paced: 50 per second, from the commit that creates the operation until the database shows it as
 * completed, polled every 2 ms, starting with the seventh second; also with 5,000 operations that are due at a plugin
 * that never responds.
 */
export async function benchEngine(): Promise<Result[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'bundle-console-bench-'))
  const log = { info: () => {}, warn: () => {}, error: console.error }
  const server = await startEmbedded({ dataDir, log, transport: 'tcp' })
  await requireDurableCommits(server.connection)
  const plugin = fork(new URL('./engine/plugin.ts', import.meta.url))
  const [{ url: pluginUrl }] = await once<{ url: string }>(plugin, 'message')
  let databases = 0
  const measure = async (task: DistributiveOmit<Task, 'databaseUrl' | 'pluginUrl'>): Promise<Measurement> => {
    const connection = await createDatabaseIfMissing(server.connection, `bench_${databases++}`)
    return runInProcess({ ...task, databaseUrl: toUrl(connection), pluginUrl })
  }
  const rounds: Measurement[] = []
  const commits: number[] = []
  const mediansByHanging = new Map<number, number[]>([
    [0, []],
    [HANGING_COUNT, []],
  ])
  try {
    // interleaved, so that other load on the machine affects all of them equally
    for (let index = 0; index < ROUNDS; index++) {
      commits.push((await measure({ kind: 'plain-commits' })).perSecond ?? Number.NaN)
      rounds.push({ ...(await measure(FULL_SPEED)), ...(await measure(PACED)) })
      for (const [hanging, medians] of mediansByHanging) {
        medians.push((await measure({ ...PACED, hanging })).medianMs ?? Number.NaN)
      }
    }
  } finally {
    plugin.disconnect()
    await server.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
  return [...results(rounds, commits), hangingPluginResult(mediansByHanging)]
}

function results(rounds: readonly Measurement[], commits: readonly number[]): Result[] {
  const of = (figure: keyof Measurement): number =>
    median(rounds.map((measured) => measured[figure] ?? Number.NaN))
  const perSecond = (all: readonly (number | undefined)[]): string =>
    all.map((one) => Math.round(one ?? Number.NaN)).join(' ')
  const rows = [
    {
      work: 'operations',
      'per second': Math.round(of('perSecond')),
      rounds: perSecond(rounds.map((measured) => measured.perSecond)),
      'commits each': round(of('commitsPerOperation')),
      'paced ms': round(of('medianMs')),
      'CPU ms each': round(of('cpuMs')),
    },
    {
      work: 'plain commits',
      'per second': Math.round(median(commits)),
      rounds: perSecond(commits),
      'commits each': 1,
    },
  ]
  return [
    {
      name: 'engine throughput',
      rows,
      figure: of('perSecond'),
      goal: 700,
      meaning:
        'Operations per second on two idle cores; at least the goal. Compare machines by the plain commits.',
    },
    {
      name: 'engine commits',
      rows: [],
      figure: of('commitsPerOperation'),
      goal: 1,
      meaning: 'Database commits for an operation with two calls; at most the goal.',
    },
    {
      name: 'engine latency',
      rows: [],
      figure: of('medianMs'),
      goal: 15,
      meaning: `Median milliseconds to completion at ${PER_SECOND} per second; at most the goal.`,
    },
  ]
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

async function runInProcess(task: Task): Promise<Measurement> {
  const child = fork(new URL('./engine/measure.ts', import.meta.url), [JSON.stringify(task)])
  const [measured] = await once<Measurement>(child, 'message')
  return measured
}

/** The next message of a process; rejects if it ends without one. */
function once<Message>(child: ReturnType<typeof fork>, event: 'message'): Promise<[Message]> {
  return new Promise((resolve, reject) => {
    child.once(event, (message) => resolve([message as Message]))
    child.once('exit', (code) => reject(new Error(`A process of the benchmark exited with ${code}`)))
  })
}
