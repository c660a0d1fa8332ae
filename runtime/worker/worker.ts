import { isUnavailable } from '#database/unreachable.ts'
import type { RuntimeDeps } from '../deps/runtime-deps.ts'
import type { WorkerStatus, WorkerCounters } from '../model/worker-status.ts'
import { acquireOperations, QueueReader, Backlog } from './acquire-operations.ts'
import type { LeasedOperation } from './acquire-operations.ts'
import { Advancer } from './advancer.ts'
import { Bulkhead } from './bulkhead.ts'
import { Leases } from './leases.ts'
import { runOperation } from './run-operation.ts'
import type { WorkerContext } from './run-operation.ts'
import { WakeableTimer } from './wakeable-timer.ts'

export const DEFAULT_LEASE_MS = 60_000

export interface WorkerOptions {
  /** Unique among all workers on the database. */
  owner: string
  /** Maximum number of operations at once, without those whose release is being written; default 32. */
  concurrency?: number
  /** Maximum number of calls in flight at one plugin; default a quarter of `concurrency`. */
  callsPerPlugin?: number
  /** Duration of a lease in milliseconds, unless it is renewed; default 60,000. */
  leaseMs?: number
  /** How often to look for operations that others created or released, in milliseconds; default 1,000. */
  pollMs?: number
  /** How long `stop` waits for calls in flight before it aborts them, in milliseconds; default 10,000. */
  graceMs?: number
  /** No operation is leased while it resolves to true; by default never. */
  isPaused?: () => Promise<boolean>
  /** Called after each commit that recorded an event. */
  onProgress?: () => void
}

export interface Worker {
  /** Looks for due operations now. Call it after a commit that created one. */
  wake(): void
  /** Leases nothing more, lets calls in flight complete, and releases the remaining operations. */
  stop(): Promise<void>
  status(): WorkerStatus
}

const TROUBLE_MS = 1_000

/** Starts a worker. Any number of workers, in any number of processes, may share one database. */
export function startWorker(deps: RuntimeDeps, options: WorkerOptions): Worker {
  const { owner, concurrency = 32, leaseMs = DEFAULT_LEASE_MS, pollMs = 1_000, graceMs = 10_000 } = options
  const { onProgress = () => {}, isPaused = async () => false } = options
  const leases = new Leases(deps, leaseMs)
  const counters = zeroCounters()
  const stopped = new AbortController()
  const abandon = new AbortController()
  const finished = new AbortController()
  const running = new Map<LeasedOperation, Promise<void>>()
  const timer = new WakeableTimer(deps.clock)
  const backlog = new Backlog()
  const noteFreed = (pluginIds: readonly string[]): void => {
    if (backlog.noteFreed(pluginIds)) timer.wake()
  }
  const bulkhead = new Bulkhead(options.callsPerPlugin ?? Math.max(1, Math.ceil(concurrency / 4)), noteFreed)
  const isStopping = () => stopped.signal.aborted
  const operationCount = () => [...running.keys()].filter(({ isLeaving }) => !isLeaving).length
  const advancer = new Advancer({
    deps,
    leases,
    counters,
    leaseMs,
    isStopping,
    onProgress,
    operationCount,
  })
  const context: WorkerContext = {
    deps,
    advancer,
    leases,
    bulkhead,
    counters,
    stopping: stopped.signal,
    abandon: abandon.signal,
  }

  const start = (leased: LeasedOperation, since: number): void => {
    const { lease, operation } = leased
    leases.add(lease, since)
    const run = runOperation(context, leased)
      .catch((error: unknown) => {
        // its lease expires, and a worker leases it again
        deps.log.error('an operation was dropped', { operationId: lease.operationId }, error)
        return null
      })
      .then((released) => {
        leases.remove(lease)
        running.delete(leased)
        // a timer may fire slightly before the database's time
        if (released !== null && released.dueInMs !== null) timer.wakeIn(released.dueInMs + 5)
        // the next operation of this plugin would not get further now
        const isPaused = released?.state === 'give-back' || released?.state === 'rest'
        if (!isPaused) noteFreed([operation.next_plugin])
      })
    running.set(leased, run)
  }

  const queue = new QueueReader(deps)
  const acquireDue = async (): Promise<void> => {
    const limit = concurrency - operationCount()
    if (limit <= 0) return
    const since = deps.clock.monotonic()
    const due = { owner, leaseMs, limit, ...bulkhead.room() }
    backlog.noteRequested()
    const leased = await acquireOperations(deps, due, queue)
    if (backlog.noteLeased(due, leased)) timer.wake()
    if (leased.length === 0) return
    counters.leasePolls++
    counters.leased += leased.length
    for (const operation of leased) start(operation, since)
    onProgress()
  }

  const acquireUnlessPaused = async (): Promise<number> => {
    if (await isPaused()) return TROUBLE_MS
    await acquireDue()
    counters.polls++
    return pollMs
  }

  const poll = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      const resting = await acquireUnlessPaused().then(
        (restMs) => restMs,
        (error: unknown) => {
          const level = isUnavailable(error) ? 'warn' : 'error'
          deps.log[level]('no operations could be leased', {}, error)
          return TROUBLE_MS
        },
      )
      if (!stopped.signal.aborted) await timer.sleep(resting)
    }
  }

  const polling = poll()
  const renewing = leases.keepRenewing(finished.signal)

  const stop = async (): Promise<void> => {
    stopped.abort()
    timer.wake()
    await polling
    const ended = Promise.all(running.values())
    const graceOver = new AbortController()
    await Promise.race([ended, deps.clock.sleep(graceMs, graceOver.signal).catch(() => {})])
    graceOver.abort()
    abandon.abort()
    await ended
    finished.abort()
    await renewing
  }

  let stopping: Promise<void> | undefined
  return {
    wake: () => timer.wake(),
    stop: () => (stopping ??= stop()),
    status: () => ({ ...counters, held: running.size, troubledPlugins: bulkhead.troubled() }),
  }
}

export const zeroCounters = (): WorkerCounters => ({
  polls: 0,
  leasePolls: 0,
  leased: 0,
  batches: 0,
  advanced: 0,
  advancedAlone: 0,
  ended: 0,
  calls: 0,
  leasesLost: 0,
})
