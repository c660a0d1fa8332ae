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

/** What one process measures; its first argument is this as JSON. */
export type Task = ArmContext &
  (
    | { kind: 'full-speed'; arm: ArmName; warmUp: number; count: number }
    | { kind: 'paced'; arm: ArmName; warmUp: number; count: number; perSecond: number }
    | { kind: 'plain-commits' }
  )

export interface Measured {
  perSecond?: number
  commitsPerJob?: number
  /** CPU time of the process that does the work, per job. */
  cpuMs?: number
  medianMs?: number
}

const task = JSON.parse(process.argv[2] ?? '') as Task
process.send?.(await measure(task))
process.exit(0)

async function measure(what: Task): Promise<Measured> {
  if (what.kind === 'plain-commits') return { perSecond: await plainCommits(what.databaseUrl) }
  const arm = await ARMS[what.arm](what)
  await arm.prepare()
  return what.kind === 'full-speed' ? fullSpeed(arm, what) : paced(arm, what)
}

/** Processes a backlog, and measures from the end of the warm-up to the last job. */
async function fullSpeed(arm: Arm, what: Extract<Task, { kind: 'full-speed' }>): Promise<Measured> {
  const total = what.warmUp + what.count
  await arm.fill?.(total)
  const before = await commitsOf(what.databaseUrl)
  const finished = Promise.withResolvers<void>()
  const now = { at: performance.now(), cpu: process.cpuUsage() }
  let [done, began, ended] = [0, now, now]
  await arm.start(() => {
    done++
    if (done === what.warmUp) began = { at: performance.now(), cpu: process.cpuUsage() }
    if (done === total) {
      ended = { at: performance.now(), cpu: process.cpuUsage(began.cpu) }
      finished.resolve()
    }
  })
  await finished.promise
  const stored = await storedAtLeast(arm, total)
  await arm.stop()
  const commits = (await commitsOf(what.databaseUrl)) - before
  return {
    perSecond: what.count / ((ended.at - began.at) / 1000),
    commitsPerJob: commits / stored,
    cpuMs: (ended.cpu.user + ended.cpu.system) / 1000 / what.count,
  }
}

/**
 * Creates jobs at a steady rate, and times each from its creation until the database shows it as completed. The warm-up is
 * not counted.
 */
async function paced(arm: Arm, what: Extract<Task, { kind: 'paced' }>): Promise<Measured> {
  if (arm.fill !== undefined) await arm.start(() => {})
  const watch = new Watch(what.databaseUrl, arm.completedOf)
  const runOne = async (): Promise<number> => {
    const id = await arm.makeOne()
    const made = performance.now()
    return (await watch.completed(id)) - made
  }
  const running: Promise<number>[] = []
  const began = performance.now()
  for (let index = 0; index < what.warmUp + what.count; index++) {
    const at = began + (index * 1000) / what.perSecond
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, at - performance.now())))
    running.push(runOne())
  }
  const times = await Promise.all(running)
  await watch.stop()
  await arm.stop()
  return { medianMs: median(times.slice(what.warmUp)) }
}

/** Waits until the jobs that were reported as done are in the database: some engines report before they commit. */
async function storedAtLeast(arm: Arm, total: number): Promise<number> {
  for (let tries = 0; tries < 100; tries++) {
    const stored = await arm.countStored()
    if (stored >= total) return stored
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error('Not everything that was reported as done is stored')
}

async function commitsOf(databaseUrl: string): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  // a session publishes its statistics when it has been idle for a while, or ends
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  const { rows } = await client.query<{ commits: string }>(
    'select xact_commit as commits from pg_stat_database where datname = current_database()',
  )
  await client.end()
  return Number(rows[0]?.commits)
}
