import { fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { createDatabaseIfMissing, startEmbedded } from '#database/embedded.ts'
import { clientConfig, toUrl } from '#database/settings.ts'
import type { ConnectionSettings } from '#database/settings.ts'
import type { ArmName, Measured, Task } from './engine/measure.ts'
import { median, round } from './report.ts'
import type { Result } from './report.ts'

const ROUNDS = 3
const WARM_UP = 300
const COUNT = 2_000
const PER_SECOND = 50
const PACE = { kind: 'paced', warmUp: 300, count: 300, perSecond: PER_SECOND } as const
const HANGING = 5_000
const OURS: ArmName = 'bundle-console'
const THE_PACED: ArmName = 'graphile-worker'
const OTHERS: ArmName[] = [
  'graphile-worker',
  'graphile-worker, batching',
  'pg-boss, batches',
  'pg-boss, 20 loops',
  'DBOS',
]

/**
 * Operations with two plugin calls each, beside the same durable work on graphile-worker, pg-boss and DBOS: two POSTs, one
 * after the other, to a plugin in a process of its own that answers in about a millisecond, the first answer durable
 * before the second call is made, and both kept. Ours moreover keeps before each call that it is about to be made.
 *
 * All use the PostgreSQL that we bring, as `npm start` runs it and with synchronous_commit on, each a database of its own
 * that is new in every round, and a process of its own. Full speed: a backlog made beforehand is worked off, 20 at once;
 * DBOS has no backlog and makes each workflow when it runs it. Commits are those of the database while it is worked off.
 * Paced: 50 a second, from the commit that makes the piece until the database shows it as completed, asked every 2 ms, from
 * the seventh second on;
 * ours also beside 5,000 operations that are due at a plugin which never answers.
 */
export async function benchEngine(): Promise<Result[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'bundle-console-bench-'))
  const log = { info: () => {}, warn: () => {}, error: console.error }
  const server = await startEmbedded({ dataDir, log, transport: 'tcp' })
  await demandDurable(server.connection)
  const plugin = fork(new URL('./engine/plugin.ts', import.meta.url))
  const [{ url: pluginUrl }] = await once<{ url: string }>(plugin, 'message')
  let databases = 0
  const measure = async (task: DistributiveOmit<Task, 'databaseUrl' | 'pluginUrl'>): Promise<Measured> => {
    const connection = await createDatabaseIfMissing(server.connection, `bench_${databases++}`)
    return inOwnProcess({ ...task, databaseUrl: toUrl(connection), pluginUrl })
  }
  const found = new Map<ArmName, Measured[]>([OURS, ...OTHERS].map((arm) => [arm, []]))
  const commits: number[] = []
  const beside = new Map<number, number[]>([
    [0, []],
    [HANGING, []],
  ])
  try {
    // interleaved, so that whatever else the machine does falls on all of them
    for (let index = 0; index < ROUNDS; index++) {
      commits.push((await measure({ kind: 'plain-commits' })).perSecond ?? Number.NaN)
      for (const [arm, measured] of found) {
        const fullSpeed = await measure({ kind: 'full-speed', arm, warmUp: WARM_UP, count: COUNT })
        const paced = await measure({ ...PACE, arm })
        measured.push({ ...fullSpeed, ...paced })
      }
      for (const [hanging, medians] of beside) {
        medians.push((await measure({ ...PACE, arm: OURS, hanging })).medianMs ?? Number.NaN)
      }
    }
  } finally {
    plugin.disconnect()
    await server.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
  return [...results(found, commits), besideHanging(beside)]
}

function results(found: ReadonlyMap<ArmName, readonly Measured[]>, commits: readonly number[]): Result[] {
  const of = (arm: ArmName, figure: keyof Measured): number =>
    median((found.get(arm) ?? []).map((measured) => measured[figure] ?? Number.NaN))
  const rows = [...found].map(([arm, measured]) => ({
    engine: arm,
    'a second': Math.round(of(arm, 'perSecond')),
    rounds: measured.map(({ perSecond }) => Math.round(perSecond ?? Number.NaN)).join(' '),
    'commits each': round(of(arm, 'commitsPerPiece')),
    'paced ms': round(of(arm, 'medianMs')),
    'CPU ms each': round(of(arm, 'cpuMs')),
  }))
  const plain = {
    engine: 'plain commits',
    'a second': Math.round(median(commits)),
    rounds: commits.map(Math.round).join(' '),
    'commits each': 1,
    'paced ms': '',
  }
  const best = OTHERS.toSorted((a, b) => of(b, 'perSecond') - of(a, 'perSecond'))[0]!
  return [
    {
      name: 'engine throughput',
      rows: [...rows, plain],
      figure: of(OURS, 'perSecond') / of(best, 'perSecond'),
      goal: 1.3,
      meaning: `Operations a second of ours divided by the best of the others, ${best}; at least the goal.`,
    },
    {
      name: 'engine commits',
      rows: [],
      figure: of(OURS, 'commitsPerPiece'),
      goal: 6,
      meaning: 'Commits of the database for one of our operations with two calls; at most the goal.',
    },
    {
      name: 'engine latency',
      rows: [],
      figure: of(OURS, 'medianMs') / of(THE_PACED, 'medianMs'),
      goal: 1.5,
      meaning: `Median time to completion at ${PER_SECOND} a second, ours divided by ${THE_PACED}'s; at most the goal.`,
    },
  ]
}

/** What operations of a plugin that answers lose by the many that wait for one that does not. */
function besideHanging(medians: ReadonlyMap<number, readonly number[]>): Result {
  const of = (hanging: number): number => median(medians.get(hanging) ?? [])
  return {
    name: 'engine hanging plugin',
    rows: [...medians].map(([hanging, all]) => ({
      'due at a plugin that never answers': hanging,
      'paced ms of another': round(median(all)),
      rounds: all.map(round).join(' '),
    })),
    figure: of(HANGING) / of(0),
    goal: 1.5,
    meaning: `Median time to completion at ${PER_SECOND} a second with ${HANGING} operations due at a plugin that never answers, divided by that with none; at most the goal.`,
  }
}

type DistributiveOmit<Type, Keys extends PropertyKey> = Type extends unknown ? Omit<Type, Keys> : never

async function demandDurable(connection: ConnectionSettings): Promise<void> {
  const client = new pg.Client(clientConfig(connection))
  await client.connect()
  for (const setting of ['synchronous_commit', 'fsync', 'full_page_writes']) {
    const { rows } = await client.query<Record<string, string>>(`show ${setting}`)
    if (rows[0]?.[setting] !== 'on') throw new Error(`${setting} is not on`)
  }
  await client.end()
}

async function inOwnProcess(task: Task): Promise<Measured> {
  const child = fork(new URL('./engine/measure.ts', import.meta.url), [JSON.stringify(task)])
  const [measured] = await once<Measured>(child, 'message')
  return measured
}

/** The next message of a process, or an error when it ends without one. */
function once<Message>(child: ReturnType<typeof fork>, event: 'message'): Promise<[Message]> {
  return new Promise((resolve, reject) => {
    child.once(event, (message) => resolve([message as Message]))
    child.once('exit', (code) => reject(new Error(`A process of the benchmark ended with ${code}`)))
  })
}
