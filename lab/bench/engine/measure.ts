import pg from 'pg'
import { median } from '../report.ts'
import { bundleConsoleArm } from './bundle-console.ts'
import { dbosArm } from './dbos.ts'
import { graphileWorkerArm } from './graphile-worker.ts'
import { pgBossArm } from './pg-boss.ts'
import { plainCommits } from './plain-commits.ts'
import { Watch } from './watch.ts'
import type { Arm, ArmContext } from './arm.ts'

export const ARMS = {
  'bundle-console': bundleConsoleArm,
  'graphile-worker': (context) => graphileWorkerArm(context, { batching: false }),
  'graphile-worker, batching': (context) => graphileWorkerArm(context, { batching: true }),
  'pg-boss, 20 loops': (context) => pgBossArm(context, { batching: false }),
  'pg-boss, batches': (context) => pgBossArm(context, { batching: true }),
  DBOS: dbosArm,
} as const satisfies Record<string, (context: ArmContext) => Promise<Arm>>

export type ArmName = keyof typeof ARMS

/** What one process measures: its first argument, as JSON. */
export type Task = ArmContext &
  (
    | { kind: 'full-speed'; arm: ArmName; warmUp: number; count: number }
    | { kind: 'paced'; arm: ArmName; warmUp: number; count: number; perSecond: number }
    | { kind: 'plain-commits' }
  )

export interface Measurement {
  perSecond?: number
  commitsPerJob?: number
  /** CPU time of the process that does the work, per job. */
  cpuMs?: number
  medianMs?: number
}

const task = JSON.parse(process.argv[2] ?? '') as Task
process.send?.(await measure(task))
process.exit(0)

async function measure(what: Task): Promise<Measurement> {
  if (what.kind === 'plain-commits') return { perSecond: await plainCommits(what.databaseUrl) }
  const arm = await ARMS[what.arm](what)
  await arm.prepare()
  return what.kind === 'full-speed' ? fullSpeed(arm, what) : paced(arm, what)
}

/** Processes a backlog, and measures from the end of the warm-up to the last job. */
async function fullSpeed(arm: Arm, what: Extract<Task, { kind: 'full-speed' }>): Promise<Measurement> {
  const total = what.warmUp + what.count
  await arm.fill?.(total)
  const before = await commitsOf(what.databaseUrl)
  const finished = Promise.withResolvers<void>()
  const now = { at: performance.now(), cpu: process.cpuUsage() }
  let [done, started, ended] = [0, now, now]
  await arm.start(() => {
    done++
    if (done === what.warmUp) started = { at: performance.now(), cpu: process.cpuUsage() }
    if (done === total) {
      ended = { at: performance.now(), cpu: process.cpuUsage(started.cpu) }
      finished.resolve()
    }
  })
  await finished.promise
  const stored = await waitUntilStored(arm, total)
  await arm.stop()
  const commits = (await commitsOf(what.databaseUrl)) - before
  return {
    perSecond: what.count / ((ended.at - started.at) / 1000),
    commitsPerJob: commits / stored,
    cpuMs: (ended.cpu.user + ended.cpu.system) / 1000 / what.count,
  }
}

/**
 * Creates jobs at a steady rate, and times each from its creation until the database shows it as completed. Does not
 * count the warm-up.
 */
async function paced(arm: Arm, what: Extract<Task, { kind: 'paced' }>): Promise<Measurement> {
  if (arm.fill !== undefined) await arm.start(() => {})
  const watch = new Watch(what.databaseUrl, arm.completedOf)
  const runOne = async (): Promise<number> => {
    const id = await arm.createOne()
    const createdAt = performance.now()
    return (await watch.completed(id)) - createdAt
  }
  const running: Promise<number>[] = []
  const startedAt = performance.now()
  for (let index = 0; index < what.warmUp + what.count; index++) {
    const at = startedAt + (index * 1000) / what.perSecond
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, at - performance.now())))
    running.push(runOne())
  }
  const times = await Promise.all(running)
  await watch.stop()
  await arm.stop()
  return { medianMs: median(times.slice(what.warmUp)) }
}

/** Waits until the database has all jobs that were reported as done: some engines report before they commit. */
async function waitUntilStored(arm: Arm, total: number): Promise<number> {
  for (let tries = 0; tries < 100; tries++) {
    const stored = await arm.countStored()
    if (stored >= total) return stored
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error('Jobs that were reported as done are not in the database')
}

async function commitsOf(databaseUrl: string): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  // a session reports its statistics only when it has been idle for a while, or when it ends
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  const { rows } = await client.query<{ commits: string }>(
    'select xact_commit as commits from pg_stat_database where datname = current_database()',
  )
  await client.end()
  return Number(rows[0]?.commits)
}
