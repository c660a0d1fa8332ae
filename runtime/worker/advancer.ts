import type { RuntimeDeps } from '../deps/runtime-deps.ts'
import { advanceSingle, advanceTogether, advanceWideBatch, isWide } from './advance.ts'
import { KnownRegistrations } from './known-registrations.ts'
import type { LeasedOperation } from './acquire-operations.ts'
import type { Leases } from './leases.ts'
import type { Judgement } from '../model/call.ts'
import type { WorkerCounters } from '../model/worker-status.ts'
import type { AdvanceOptions, Advanced, Ready } from './decide-batch.ts'

interface Waiting {
  ready: Ready
  /** Whether this step writes so much that it takes long. */
  /** What its success writes, as `lengthWritten`. */
  length: number
  hasMany: boolean
  resolve(advanced: Advanced): void
}

export interface AdvancerOptions {
  deps: RuntimeDeps
  leases: Leases
  counters: WorkerCounters
  leaseMs: number
  isStopping(): boolean
  /** The number of operations that the worker has leased, without those whose release is being written. */
  operationCount(): number
  /** Called after each commit that recorded an event. */
  onProgress(): void
}

/** Operations that wait for the next batch; one transaction at a time. */
interface Queue {
  waiting: Waiting[]
  isRunning: boolean
  /** The size of the last batch that others could join. */
  lastBatchSize: number
  /** Whether the last batch was one operation with much to write. */
  wasMany: boolean
  /** Ends the wait for others, once there are none. */
  gathered: AbortController | null
  advance(deps: RuntimeDeps, batch: readonly Ready[], options: AdvanceOptions): Promise<Map<Ready, Advanced>>
}

function emptyQueue(advance: Queue['advance']): Queue {
  return { waiting: [], isRunning: false, lastBatchSize: 0, wasMany: false, gathered: null, advance }
}

/** The maximum number of operations in one transaction. */
const BATCH_LIMIT = 100
/** With more than this, such as 500 changes, an operation is not advanced together with others, who would wait until all is written. */
const MANY_CHARACTERS = 131_072
/** With this much, no more operations join a transaction. */
const TOGETHER_CHARACTERS = 4 * MANY_CHARACTERS
/** What one value costs beside its text: its row, its name and its index. */
const PART_CHARACTERS = 256
/** Concurrent transactions that advance a single operation. */
const SINGLE_CONCURRENCY = 3
const RETRY_MS = 200
/**
 * With at least this many leased operations others become ready soon, so a batch waits for them, but not longer than a
 * transaction takes, and not if the last batch was a single operation: then the others are waiting for a plugin that does
 * not respond. Larger batches save more than they cost, because operations that are advanced together also make their next
 * calls together.
 */
const GATHER_THRESHOLD = 6
const GATHER_MS = 5
/** Made once: a new reason collects its stack. */
const ALL_IN = new Error('no other operation could join the batch')

/**
 * Advances the operations of one worker. Operations that become ready during a transaction are advanced together in the
 * next one, so the cost per operation falls as the load rises. Operations that cannot join a batch are advanced on
 * their own.
 */
export class Advancer {
  private readonly options: AdvancerOptions
  private readonly plain = emptyQueue(advanceTogether)
  private readonly wide = emptyQueue(advanceWideBatch)
  private readonly singles: Waiting[] = []
  private activeSingles = 0
  private readonly registrations: KnownRegistrations

  constructor(options: AdvancerOptions) {
    this.options = options
    this.registrations = new KnownRegistrations(options.deps.clock)
  }

  /** Never throws: retries while the lease may be valid, so that a short outage of the database loses no response. */
  advance(ready: Ready): Promise<Advanced> {
    return new Promise((resolve) => {
      const queue = isWide(ready) ? this.wide : this.plain
      const length = queue === this.wide ? lengthWritten(ready, MANY_CHARACTERS) : 0
      queue.waiting.push({ ready, resolve, length, hasMany: length > MANY_CHARACTERS })
      if (!queue.isRunning) void this.runQueue(queue)
      else if (this.areAllIn(queue)) queue.gathered?.abort(ALL_IN)
    })
  }

  private async runQueue(queue: Queue): Promise<void> {
    queue.isRunning = true
    // operations that become ready at the same time join this batch
    await Promise.resolve()
    while (queue.waiting.length > 0) {
      await this.gather(queue)
      const batch = nextBatch(queue)
      queue.waiting = queue.waiting.filter((one) => !batch.includes(one))
      queue.wasMany = hasOneOfMany(batch)
      if (!queue.wasMany) queue.lastBatchSize = batch.length
      await this.advanceTogether(queue, batch)
    }
    queue.isRunning = false
  }

  /** Waits until all leased operations are in the queue, for at most GATHER_MS. */
  private async gather(queue: Queue): Promise<void> {
    const { deps, operationCount } = this.options
    const areSeveral =
      Math.max(queue.lastBatchSize, queue.waiting.length) > 1 && !hasOneOfMany(nextBatch(queue))
    if (!areSeveral || operationCount() < GATHER_THRESHOLD || this.areAllIn(queue)) return
    queue.gathered = new AbortController()
    await deps.clock.sleep(GATHER_MS, queue.gathered.signal).catch(() => {})
    queue.gathered = null
  }

  /** Whether no other operation could join the batch. */
  private areAllIn({ waiting }: Queue): boolean {
    return waiting.length >= this.options.operationCount()
  }

  private async advanceTogether(queue: Queue, waiting: readonly Waiting[]): Promise<void> {
    const { deps, counters, onProgress } = this.options
    const able = waiting.filter((one) => this.mayWork(one))
    const batch = able.filter((one) => isLatest(one, able))
    // lost, and leased again by this worker: a batch must not contain two leases of one operation
    for (const one of able) if (!batch.includes(one)) this.enqueueSingle(one)
    if (batch.length === 0) return
    const since = deps.clock.monotonic()
    try {
      const ready = batch.map((one) => one.ready)
      const options = this.advanceOptions(batch)
      const advanced = await queue.advance(deps, ready, options)
      counters.batches++
      counters.advanced += advanced.size
      for (const one of batch) {
        const done = advanced.get(one.ready)
        if (done === undefined) this.enqueueSingle(one)
        else this.done(one, done, options.leaseMs === null ? null : since)
      }
      if (advanced.size > 0) onProgress()
    } catch (error) {
      deps.log.warn('operations could not be advanced together', { operations: batch.length }, error)
      for (const one of batch) this.enqueueSingle(one)
    }
  }

  private enqueueSingle(one: Waiting): void {
    this.singles.push(one)
    if (this.activeSingles < SINGLE_CONCURRENCY) void this.runSingles()
  }

  private async runSingles(): Promise<void> {
    this.activeSingles++
    for (let next = this.singles.shift(); next !== undefined; next = this.singles.shift())
      await this.advanceOne(next)
    this.activeSingles--
  }

  private async advanceOne(one: Waiting): Promise<void> {
    if (!this.mayWork(one)) return
    const { deps, counters, onProgress } = this.options
    const since = deps.clock.monotonic()
    try {
      const { leaseMs, isStopping } = this.options
      const { registrations } = this
      // it may have waited for locks
      const options = { leaseMs, isStopping: isStopping(), registrations }
      const advanced = await advanceSingle(deps, one.ready, options)
      counters.advancedAlone++
      this.done(one, advanced, since)
      if (advanced.kind !== 'lost') onProgress()
    } catch (error) {
      const { operationId } = one.ready.leased.lease
      deps.log.error('an operation could not be advanced', { operationId }, error)
      await deps.clock.sleep(RETRY_MS)
      this.enqueueSingle(one)
    }
  }

  /** `since`: taken before the statement that renewed the lease was sent; null if none did. */
  private done({ ready, resolve }: Waiting, advanced: Advanced, since: number | null): void {
    const { leases, counters } = this.options
    if (advanced.kind !== 'lost' && since !== null) leases.renewed(ready.leased.lease, since)
    if (advanced.kind === 'released' && (advanced.state === 'succeed' || advanced.state === 'fail'))
      counters.ended++
    resolve(advanced)
  }

  private mayWork({ ready, resolve }: Waiting): boolean {
    const may = this.options.leases.mayWork(ready.leased.lease)
    if (!may) resolve({ kind: 'lost' })
    return may
  }

  private advanceOptions(batch: readonly Waiting[]): AdvanceOptions {
    const { leases, leaseMs, isStopping } = this.options
    const isFresh = batch.every(({ ready }) => leases.isFresh(ready.leased.lease))
    const { registrations } = this
    return { leaseMs: isFresh ? null : leaseMs, isStopping: isStopping(), registrations }
  }
}

/** What is advanced next: one operation with much to write, or others together. They take turns, so that neither waits for long. */
export function nextBatch<One extends { length: number; hasMany: boolean }>({
  waiting,
  wasMany,
}: {
  waiting: readonly One[]
  wasMany: boolean
}): One[] {
  const one = waiting.find(({ hasMany }) => hasMany)
  const others: One[] = []
  let length = 0
  for (const other of waiting) {
    if (others.length === BATCH_LIMIT || length > TOGETHER_CHARACTERS) break
    if (other.hasMany) continue
    others.push(other)
    length += other.length
  }
  return one === undefined || (wasMany && others.length > 0) ? others : [one]
}

const hasOneOfMany = (batch: readonly { hasMany: boolean }[]): boolean => batch.some(({ hasMany }) => hasMany)

/**
 * How much the success of an operation writes, with what its plugins wrote. The plan of a CONFIGURE contains all present values.
 *
 * @param most at which it stops counting.
 */
export function lengthWritten(
  {
    leased: { operation, plan, calls },
    answered,
  }: {
    leased: Pick<LeasedOperation, 'operation' | 'plan' | 'calls'>
    answered: readonly { judgement: Pick<Judgement, 'writes'> }[]
  },
  most = Infinity,
): number {
  const planned =
    operation.operation_type === 'CONFIGURE'
      ? plan.changes
      : plan.resources.flatMap(({ properties }) => Object.values(properties))
  const written = [...(calls ?? []), ...answered.map(({ judgement }) => judgement)].flatMap(({ writes }) =>
    Object.values(writes ?? {}).flatMap((properties) => Object.values(properties)),
  )
  let length = 0
  for (const part of [...planned, ...written]) {
    if (length > most) break
    length += PART_CHARACTERS + JSON.stringify(part).length
  }
  return length
}

/** Whether none of the others holds a later lease of the same operation. */
function isLatest({ ready }: Waiting, others: readonly Waiting[]): boolean {
  const { operationId, epoch } = ready.leased.lease
  return !others.some(
    ({ ready: { leased } }) => leased.lease.operationId === operationId && leased.lease.epoch > epoch,
  )
}
