import { fork } from 'node:child_process'
import pg from 'pg'
import { median } from '../report.ts'
import { createEngine, type Engine, type EngineContext, CONCURRENCY } from './operations.ts'
import { type PeerOptions, createPeer } from './peers.ts'
import { Watch } from './watch.ts'

const DURATION_MS = 2_000

/** Commits per second, each of one small row, over as many connections as the worker uses concurrently. */
async function plainCommits(databaseUrl: string): Promise<number> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: CONCURRENCY })
  await pool.query(
    'create table plain_commit (id bigint generated always as identity primary key, at timestamptz)',
  )
  const end = performance.now() + DURATION_MS
  let commits = 0
  const loop = async (): Promise<void> => {
    while (performance.now() < end) {
      await pool.query('insert into plain_commit (at) values (clock_timestamp())')
      commits++
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, loop))
  await pool.end()
  return commits / (DURATION_MS / 1000)
}

/** What one process measures: its first argument, as JSON. */
export type Task = EngineContext & {
  /** Default: our engine. */
  peer?: PeerOptions
} & (
    | { kind: 'full-speed'; warmUp: number; count: number; workers: number }
    | { kind: 'work' }
    | { kind: 'paced'; warmUp: number; count: number; perSecond: number }
    | { kind: 'plain-commits' }
  )

export interface Measurement {
  perSecond?: number
  commitsPerOperation?: number
  /** CPU time of all processes that work, per operation. */
  cpuMs?: number
  medianMs?: number
}

const task = JSON.parse(process.argv[2] ?? '') as Task
if (task.kind === 'work') await workForAnother(task)
else {
  process.send?.(await measure(task))
  process.exit(0)
}

async function engineOf(what: Task): Promise<Engine> {
  return what.peer === undefined ? createEngine(what) : createPeer(what.peer, what)
}

async function measure(what: Exclude<Task, { kind: 'work' }>): Promise<Measurement> {
  if (what.kind === 'plain-commits') return { perSecond: await plainCommits(what.databaseUrl) }
  const engine = await engineOf(what)
  await engine.prepare()
  return what.kind === 'full-speed' ? fullSpeed(engine, what) : paced(engine, what)
}

/** Processes a backlog, and measures from the end of the warm-up to the last operation. */
async function fullSpeed(engine: Engine, what: Extract<Task, { kind: 'full-speed' }>): Promise<Measurement> {
  const total = what.warmUp + what.count
  await engine.fill?.(total)
  const others = Array.from({ length: what.workers - 1 }, () => otherWorker(what))
  const ownCpu = (): number => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1000
  }
  const cpuOfAll = async (): Promise<number> =>
    (await Promise.all(others.map((other) => other.cpuMs()))).reduce((sum, one) => sum + one, ownCpu())
  await Promise.all(others.map((other) => other.ready))
  const before = await commitsOf(what.databaseUrl)
  const finished = Promise.withResolvers<void>()
  let [done, startedAt, endedAt] = [0, 0, 0]
  let [startedCpu, endedCpu] = [Promise.resolve(0), Promise.resolve(0)]
  const onDone = (): void => {
    done++
    if (done === what.warmUp) {
      startedAt = performance.now()
      startedCpu = cpuOfAll()
    }
    if (done === total) {
      endedAt = performance.now()
      endedCpu = cpuOfAll()
      finished.resolve()
    }
  }
  for (const other of others) other.start(onDone)
  await engine.start(onDone)
  await finished.promise
  const stored = await waitUntilStored(engine, total)
  const cpuMs = ((await endedCpu) - (await startedCpu)) / what.count
  for (const other of others) other.end()
  await engine.stop()
  const commits = (await commitsOf(what.databaseUrl)) - before
  return {
    perSecond: what.count / ((endedAt - startedAt) / 1000),
    commitsPerOperation: commits / stored,
    cpuMs,
  }
}

interface OtherWorker {
  ready: Promise<void>
  start(onDone: () => void): void
  /** The CPU time that it has used. */
  cpuMs(): Promise<number>
  end(): void
}

/** A worker in another process, on the same database. */
function otherWorker({ databaseUrl, pluginUrl, peer }: Task): OtherWorker {
  const work: Task = { kind: 'work', databaseUrl, pluginUrl, ...(peer !== undefined && { peer }) }
  const ready = Promise.withResolvers<void>()
  let answered = Promise.withResolvers<number>()
  let onEach = (): void => {}
  const child = fork(new URL(import.meta.url), [JSON.stringify(work)])
  child.on('message', (message: { done: number } | { cpuMs: number } | 'ready') => {
    if (message === 'ready') ready.resolve()
    else if ('cpuMs' in message) answered.resolve(message.cpuMs)
    else for (let index = 0; index < message.done; index++) onEach()
  })
  return {
    ready: ready.promise,
    start(onDone) {
      onEach = onDone
      child.send('start')
    },
    cpuMs() {
      answered = Promise.withResolvers<number>()
      child.send('cpu')
      return answered.promise
    },
    end: () => void child.kill('SIGKILL'),
  }
}

/** Works in the tables that another process has made, and reports every 5 ms how many operations have ended. */
async function workForAnother(what: Extract<Task, { kind: 'work' }>): Promise<void> {
  const engine = await engineOf(what)
  let done = 0
  process.on('message', (message) => {
    if (message === 'cpu') {
      const { user, system } = process.cpuUsage()
      process.send?.({ cpuMs: (user + system) / 1000 })
      return
    }
    void engine.start(() => done++)
    setInterval(() => {
      if (done > 0) process.send?.({ done })
      done = 0
    }, 5)
  })
  await engine.connect?.()
  process.send?.('ready')
}

/**
 * Creates operations at a steady rate, and times each from its creation until the database shows it as completed. Does not
 * count the warm-up.
 */
async function paced(engine: Engine, what: Extract<Task, { kind: 'paced' }>): Promise<Measurement> {
  const { createOne, completedOf } = engine
  // without a backlog there is nothing to look for: creating work starts it
  if (engine.fill !== undefined) await engine.start(() => {})
  const watch = completedOf === undefined ? undefined : new Watch(what.databaseUrl, completedOf)
  const runOne = async (): Promise<number> => {
    const requestedAt = performance.now()
    if (createOne === undefined || watch === undefined) {
      await engine.runOne?.()
      return performance.now() - requestedAt
    }
    const id = await createOne()
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
  await watch?.stop()
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
