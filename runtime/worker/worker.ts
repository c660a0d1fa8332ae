import { WakeableTimer } from './wakeable-timer.ts'
import { Advancer } from './advancer.ts'
import { acquireOperations } from './acquire-operations.ts'
import type { LeasedOperation } from './leased-operation.ts'
import { Leases } from './leases.ts'
import { Bulkhead } from './bulkhead.ts'
import { runOperation } from './run-operation.ts'
import type { WorkerContext } from './run-operation.ts'
import { zeroCounters } from './counters.ts'
import type { LeaseRequest } from '../store/operations/lease-operations.ts'
import type { RuntimeDeps } from '../deps/runtime-deps.ts'
import type { WorkerStatus } from '../model/worker-status.ts'

export interface WorkerOptions {
  /** Unique among all workers on the database. */
  owner: string
  /** Operations at once; default 32. */
  concurrency?: number
  /** Calls at once at one plugin, default a quarter of `concurrency`. */
  callsPerPlugin?: number
  /** How long an operation is held without a word from its worker; default 60,000. */
  leaseMs?: number
  /** How often to look for operations that others made, or left; default 1,000. */
  pollMs?: number
  /** How long `stop` waits for calls under way before it breaks them off; default 10,000. */
  graceMs?: number
  /** While it answers true nothing more is claimed; by default never. */
  isPaused?: () => Promise<boolean>
  /** Called after each commit that told of something in `runtime.event`. */
  onProgress?: () => void
}

export interface Worker {
  /** Looks for due operations now: to be called after the commit that made one. */
  wake(): void
  /** Claims nothing more, lets calls under way end, gives the rest back; resolves when nothing is going on. */
  stop(): Promise<void>
  status(): WorkerStatus
}

const TROUBLE_MS = 1_000

/** Starts working on operations. Any number of workers, in any number of processes, may share one database. */
export function startWorker(deps: RuntimeDeps, options: WorkerOptions): Worker {
  const { owner, concurrency = 32, leaseMs = 60_000, pollMs = 1_000, graceMs = 10_000 } = options
  const { onProgress = () => {}, isPaused = async () => false } = options
  const leases = new Leases(deps, leaseMs)
  const counters = zeroCounters()
  const stopped = new AbortController()
  const abandon = new AbortController()
  const finished = new AbortController()
  const running = new Set<Promise<void>>()
  const timer = new WakeableTimer(deps.clock)
  let more: MoreDue = { everywhere: false, at: new Set() }
  /** Where room came since the last claim was sent: until its answer is there, nobody knows what it left. */
  let room = new Set<string>()
  const noteRoom = (pluginIds: readonly string[]): void => {
    for (const pluginId of pluginIds) room.add(pluginId)
    if (isMoreFor(more, pluginIds)) timer.wake()
  }
  const bulkhead = new Bulkhead(options.callsPerPlugin ?? Math.max(1, Math.ceil(concurrency / 4)), noteRoom)
  const isStopping = () => stopped.signal.aborted
  const advancer = new Advancer({
    deps,
    leases,
    counters,
    leaseMs,
    isStopping,
    onProgress,
    held: () => running.size,
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

  const start = (held: LeasedOperation, since: number): void => {
    const { lease, operation } = held
    leases.add(lease, since)
    const run = runOperation(context, held)
      .catch((error: unknown) => {
        // its lease runs out, and it is claimed again
        deps.log.error('an operation was dropped', { operationId: lease.operationId }, error)
        return null
      })
      .then((letGo) => {
        leases.remove(lease)
        running.delete(run)
        // a timer may fire a moment before the database thinks that it is time
        if (letGo !== null && letGo.dueInMs !== null) timer.wakeIn(letGo.dueInMs + 5)
        // what comes after one that was given back, or that rests, would fare no better at this moment
        const isPaused = letGo?.state === 'give-back' || letGo?.state === 'rest'
        if (!isPaused) noteRoom([operation.next_plugin])
      })
    running.add(run)
  }

  const acquireDue = async (): Promise<void> => {
    const limit = concurrency - running.size
    if (limit <= 0) return
    const since = deps.clock.monotonic()
    const due = { owner, leaseMs, limit, ...bulkhead.room() }
    room = new Set()
    const claimed = await acquireOperations(deps, due)
    more = moreDueAfter(due, claimed)
    if (isMoreFor(more, [...room])) timer.wake()
    if (claimed.length === 0) return
    counters.claims++
    counters.claimed += claimed.length
    for (const held of claimed) start(held, since)
    onProgress()
  }

  const acquireUnlessPaused = async (): Promise<number> => {
    if (await isPaused()) return TROUBLE_MS
    await acquireDue()
    return pollMs
  }

  const poll = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      const resting = await acquireUnlessPaused().then(
        (restMs) => restMs,
        (error: unknown) => {
          deps.log.error('no operations could be claimed', {}, error)
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
    const ended = Promise.all(running)
    const patience = new AbortController()
    await Promise.race([ended, deps.clock.sleep(graceMs, patience.signal).catch(() => {})])
    patience.abort()
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

/** Where a claim left operations that are due, for all that it knows, since it took as many as it might. */
interface MoreDue {
  everywhere: boolean
  /** At these plugins, which are called next. */
  at: ReadonlySet<string>
}

function isMoreFor({ everywhere, at }: MoreDue, pluginIds: readonly string[]): boolean {
  return pluginIds.some((pluginId) => everywhere || at.has(pluginId))
}

function moreDueAfter(
  { limit, perPlugin, rooms }: LeaseRequest,
  claimed: readonly LeasedOperation[],
): MoreDue {
  const taken = Map.groupBy(claimed, ({ operation }) => operation.next_plugin)
  const room = new Map(rooms.map((known) => [known.pluginId, known.room]))
  const full = [...new Set([...room.keys(), ...taken.keys()])].filter(
    (pluginId) => pluginId !== '' && (taken.get(pluginId)?.length ?? 0) >= (room.get(pluginId) ?? perPlugin),
  )
  return { everywhere: claimed.length >= limit, at: new Set(full) }
}
