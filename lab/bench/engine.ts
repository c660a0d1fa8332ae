import { fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { createDatabaseIfMissing, startEmbedded } from '#database/embedded.ts'
import { clientConfig, toUrl } from '#database/settings.ts'
import type { ConnectionSettings } from '#database/settings.ts'
import type { ArmName, Measurement, Task } from './engine/measure.ts'
import { median, round } from './report.ts'
import type { Result } from './report.ts'

const ROUNDS = 3
const WARM_UP = 300
const COUNT = 2_000
const PER_SECOND = 50
const PACE = { kind: 'paced', warmUp: 300, count: 300, perSecond: PER_SECOND } as const
const HANGING_COUNT = 5_000
const OUR_ARM: ArmName = 'bundle-console'
const PACED_RIVAL: ArmName = 'graphile-worker'
const OTHERS: ArmName[] = [
  'graphile-worker',
  'graphile-worker, batching',
  'pg-boss, batches',
  'pg-boss, 20 loops',
  'DBOS',
]

/**
 * Operations with two plugin calls each, compared with the same durable work on graphile-worker, pg-boss and DBOS: two
 * sequential POSTs to a plugin in a separate process that responds in about a millisecond. The first response is durable
 * before the second call is made, and both are kept. Our runtime also records each call before it makes it.
 *
 * All engines use the embedded PostgreSQL, as `npm start` runs it and with synchronous_commit on. Each has its own
 * process and a new database for every round. Full speed: a prepared backlog is processed, 20 at a time; DBOS has no
 * backlog and creates each workflow when it runs it. Commits are those of the database during processing. Paced: 50 per
 * second, from the commit that creates the job until the database shows it as completed, polled every 2 ms, starting
 * with the seventh second; ours also with 5,000 operations that are due at a plugin that never responds.
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
  const found = new Map<ArmName, Measurement[]>([OUR_ARM, ...OTHERS].map((arm) => [arm, []]))
  const commits: number[] = []
  const mediansByHanging = new Map<number, number[]>([
    [0, []],
    [HANGING_COUNT, []],
  ])
  try {
    // interleaved, so that other load on the machine affects all of them equally
    for (let index = 0; index < ROUNDS; index++) {
      commits.push((await measure({ kind: 'plain-commits' })).perSecond ?? Number.NaN)
      for (const [arm, measured] of found) {
        const fullSpeed = await measure({ kind: 'full-speed', arm, warmUp: WARM_UP, count: COUNT })
        const paced = await measure({ ...PACE, arm })
        measured.push({ ...fullSpeed, ...paced })
      }
      for (const [hanging, medians] of mediansByHanging) {
        medians.push((await measure({ ...PACE, arm: OUR_ARM, hanging })).medianMs ?? Number.NaN)
      }
    }
  } finally {
    plugin.disconnect()
    await server.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
  return [...results(found, commits), hangingPluginResult(mediansByHanging)]
}

function results(found: ReadonlyMap<ArmName, readonly Measurement[]>, commits: readonly number[]): Result[] {
  const of = (arm: ArmName, figure: keyof Measurement): number =>
    median((found.get(arm) ?? []).map((measured) => measured[figure] ?? Number.NaN))
  const rows = [...found].map(([arm, measured]) => ({
    engine: arm,
    'per second': Math.round(of(arm, 'perSecond')),
    rounds: measured.map(({ perSecond }) => Math.round(perSecond ?? Number.NaN)).join(' '),
    'commits per job': round(of(arm, 'commitsPerJob')),
    'paced ms': round(of(arm, 'medianMs')),
    'CPU ms per job': round(of(arm, 'cpuMs')),
  }))
  const plain = {
    engine: 'plain commits',
    'per second': Math.round(median(commits)),
    rounds: commits.map(Math.round).join(' '),
    'commits per job': 1,
    'paced ms': '',
  }
  const best = OTHERS.toSorted((a, b) => of(b, 'perSecond') - of(a, 'perSecond'))[0]!
  return [
    {
      name: 'engine throughput',
      rows: [...rows, plain],
      figure: of(OUR_ARM, 'perSecond') / of(best, 'perSecond'),
      goal: 1.3,
      meaning: `Our operations per second divided by those of the best other engine, ${best}; at least the goal.`,
    },
    {
      name: 'engine commits',
      rows: [],
      figure: of(OUR_ARM, 'commitsPerJob'),
      goal: 6,
      meaning: 'Database commits for one of our operations with two calls; at most the goal.',
    },
    {
      name: 'engine latency',
      rows: [],
      figure: of(OUR_ARM, 'medianMs') / of(PACED_RIVAL, 'medianMs'),
      goal: 1.5,
      meaning: `Median time to completion at ${PER_SECOND} per second, ours divided by ${PACED_RIVAL}'s; at most the goal.`,
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
