import pg from 'pg'
import { median } from '../report.ts'
import { createEngine } from './operations.ts'
import type { Engine, EngineContext } from './operations.ts'
import { plainCommits } from './plain-commits.ts'
import { Watch } from './watch.ts'

/** What one process measures: its first argument, as JSON. */
export type Task = EngineContext &
  (
    | { kind: 'full-speed'; warmUp: number; count: number }
    | { kind: 'paced'; warmUp: number; count: number; perSecond: number }
    | { kind: 'plain-commits' }
  )

export interface Measurement {
  perSecond?: number
  commitsPerOperation?: number
  /** CPU time of the worker's process, per operation. */
  cpuMs?: number
  medianMs?: number
}

const task = JSON.parse(process.argv[2] ?? '') as Task
process.send?.(await measure(task))
process.exit(0)

async function measure(what: Task): Promise<Measurement> {
  if (what.kind === 'plain-commits') return { perSecond: await plainCommits(what.databaseUrl) }
  const engine = await createEngine(what)
  await engine.prepare()
  return what.kind === 'full-speed' ? fullSpeed(engine, what) : paced(engine, what)
}

/** Processes a backlog, and measures from the end of the warm-up to the last operation. */
async function fullSpeed(engine: Engine, what: Extract<Task, { kind: 'full-speed' }>): Promise<Measurement> {
  const total = what.warmUp + what.count
  await engine.fill(total)
  const before = await commitsOf(what.databaseUrl)
  const finished = Promise.withResolvers<void>()
  const now = { at: performance.now(), cpu: process.cpuUsage() }
  let [done, started, ended] = [0, now, now]
  engine.start(() => {
    done++
    if (done === what.warmUp) started = { at: performance.now(), cpu: process.cpuUsage() }
    if (done === total) {
      ended = { at: performance.now(), cpu: process.cpuUsage(started.cpu) }
      finished.resolve()
    }
  })
  await finished.promise
  const stored = await waitUntilStored(engine, total)
  await engine.stop()
  const commits = (await commitsOf(what.databaseUrl)) - before
  return {
    perSecond: what.count / ((ended.at - started.at) / 1000),
    commitsPerOperation: commits / stored,
    cpuMs: (ended.cpu.user + ended.cpu.system) / 1000 / what.count,
  }
}

/**
 * Creates operations at a steady rate, and times each from its creation until the database shows it as completed. Does not
 * count the warm-up.
 */
async function paced(engine: Engine, what: Extract<Task, { kind: 'paced' }>): Promise<Measurement> {
  engine.start(() => {})
  const watch = new Watch(what.databaseUrl)
  const runOne = async (): Promise<number> => {
    const id = await engine.createOne()
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
  await engine.stop()
  return { medianMs: median(times.slice(what.warmUp)) }
}

/** Waits until the database has all operations that were reported as done. */
async function waitUntilStored(engine: Engine, total: number): Promise<number> {
  for (let tries = 0; tries < 100; tries++) {
    const stored = await engine.countStored()
    if (stored >= total) return stored
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error('Operations that were reported as done are not in the database')
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
