import { STAGES } from '#contract/protocol/vocabulary.ts'
import { asError } from '#http-kit/text/as-error.ts'
import type { RuntimeDeps } from '../deps/runtime-deps.ts'
import { begin, EMPTY_PLAN } from '../engine/steps/decide.ts'
import { callLimits, needsAddresses } from '../engine/steps/prepare-call.ts'
import type { PreparedCall } from '../engine/steps/prepare-call.ts'
import type { CompletedAttempt, Call, Lease } from '../model/call.ts'
import type { OperationRow } from '../model/operation.ts'
import type { FrozenPlan } from '../model/plan.ts'
import type { RegistrationRow } from '../model/plugin.ts'
import { openCalls, callOf } from '../store/operations/calls.ts'
import { leaseOperations, findQueueStart } from '../store/operations/lease-operations.ts'
import type { LeaseRequest, LeasedRow, QueueStart } from '../store/operations/lease-operations.ts'
import { openPlans } from '../store/operations/plans.ts'
import { readServiceAddresses } from '../store/services/services.ts'
import { unsent } from './send-call.ts'

/** An operation leased by this worker. */
export interface LeasedOperation {
  lease: Lease
  /** As last read; the row in the database is authoritative. */
  operation: OperationRow
  plan: FrozenPlan
  /**
   * As the last transaction left them: while the lease is valid nobody else changes them. Null: they must be read
   * again.
   */
  calls: readonly Call[] | null
  /** Attempts that the lease statement recorded as started and that are still to be sent. */
  begun: readonly PreparedCall[]
  /** Recorded attempts whose request could not be read: to be recorded as not made. */
  unmade: readonly CompletedAttempt[]
  /** Why the plan or the calls cannot be read. The operation can then only be tried again later. */
  unread: Error | null
  /** Its release is being written: it makes no further call, and leaves its place in the worker to another operation. */
  isLeaving: boolean
}

const [FIRST_STAGE] = STAGES

/** Leases due operations and reads everything needed to advance them. */
export async function acquireOperations(
  deps: RuntimeDeps,
  due: LeaseRequest,
  queue: Pick<QueueReader, 'lease'> = { lease: (request) => leaseOperations(deps.db, request) },
): Promise<LeasedOperation[]> {
  const leased = await queue.lease(due)
  if (leased.length === 0) return []
  const read = await readAll(deps, leased)
  const addresses = await addressesFor(deps, read)
  return read.map(({ operation, begun, plan, calls }): LeasedOperation => {
    const { operation_id: operationId, lease_epoch: epoch } = operation
    const known = {
      lease: { operationId, owner: due.owner, epoch },
      operation,
      begun: [],
      unmade: [],
      unread: null,
      isLeaving: false,
    }
    const unmade = () => (begun === null ? [] : [unsent(firstAttempt(operationId, begun))])
    try {
      if (plan instanceof Error) throw plan
      if (calls instanceof Error) throw calls
      if (begun === null) return { ...known, plan, calls }
      // the first step reads what is missing
      if (addresses instanceof Error) return { ...known, plan, calls: null, unmade: unmade() }
      const context = { operation, plan, calls, serviceAddresses: addresses }
      const first = { stage: FIRST_STAGE, pluginIds: [begun.plugin_id] }
      const { attempts, calls: after } = begin(context, first, new Map([[begun.plugin_id, begun]]))
      return { ...known, plan, calls: after, begun: attempts }
    } catch (error) {
      return { ...known, plan: EMPTY_PLAN, calls: [], unmade: unmade(), unread: asError(error) }
    }
  })
}

/** The attempt that the lease statement recorded, even if nothing of the operation can be read. */
function firstAttempt(operationId: string, registration: RegistrationRow): Parameters<typeof unsent>[0] {
  const { plugin_id: pluginId } = registration
  return {
    operationId,
    stage: FIRST_STAGE,
    pluginId,
    attempt: 1,
    runAttempt: 1,
    limits: callLimits(registration),
  }
}

interface Read extends Pick<LeasedRow, 'operation' | 'begun'> {
  plan: FrozenPlan | Error
  calls: Call[] | Error
}

async function readAll({ db, vault }: RuntimeDeps, leased: readonly LeasedRow[]): Promise<Read[]> {
  const planned = leased.flatMap(({ operation: { operation_id }, plan }) =>
    plan === null ? [] : [{ operation_id, plan }],
  )
  const plans = await openPlans(db, vault, planned)
  const called = await openCalls(
    db,
    vault,
    leased.flatMap((one) => one.calls),
  )
  return leased.map(({ operation, begun }) => {
    const plan = plans.get(operation.operation_id) ?? new Error('it has no frozen plan')
    const rows = called.get(operation.operation_id) ?? []
    const calls = rows instanceof Error ? rows : rows.map(callOf)
    const isWhole = plan instanceof Error || calls instanceof Error || hasAllCalls(plan, calls)
    const missing = new Error('plugin calls of its frozen plan are missing')
    return { operation, begun, plan, calls: isWhole ? calls : missing }
  })
}

/**
 * Whether each plugin of a plan has its calls. Without this check an operation would pass a stage without calling its
 * plugins.
 */
function hasAllCalls(plan: FrozenPlan, calls: readonly Call[]): boolean {
  return plan.plugins.every(({ pluginId }) =>
    STAGES.every((stage) => calls.some((call) => call.stage === stage && call.pluginId === pluginId)),
  )
}

/** The URLs that no plugin may write or tell, if a plugin that is called may do either. */
async function addressesFor({ db }: RuntimeDeps, read: readonly Read[]): Promise<string[] | Error> {
  const areNeeded = read.some(
    ({ begun, plan }) =>
      !(plan instanceof Error) &&
      plan.plugins.some((plugin) => plugin.pluginId === begun?.plugin_id && needsAddresses(plugin)),
  )
  if (!areNeeded) return []
  // the operations are leased already: those that need no addresses continue
  return readServiceAddresses(db).catch(asError)
}

/** A request that takes longer has read much that is no longer in the queue. */
const SLOW_MS = 10
/** The whole queue is read again after this many times as long as it took, at most a minute. */
const REST = 100
const MAX_REST_MS = 60_000
/** How often the beginning is found again: what leaves the queue meanwhile is read by each request. */
const ADVANCE_MS = 250
/** How often, and how far, it is looked for earlier too, for operations whose transaction took long. */
const LOOK_BACK_EVERY_MS = 2_000
const LOOK_BACK_MS = 30_000

/**
 * Leases due operations at a nearly constant cost, also while an open transaction keeps the database from removing what has
 * left the queue. After a slow request it remembers where the queue begins, and looks only from there for a while. If an
 * operation becomes visible before that place, because its transaction took long, the beginning moves back to it, or the
 * next look at the whole queue finds it.
 */
export class QueueReader {
  private readonly deps: Pick<RuntimeDeps, 'db' | 'clock'>
  private start: QueueStart | null = null
  private readAgainAt = 0
  private advanceAt = 0
  private lookBackAt = 0

  constructor(deps: Pick<RuntimeDeps, 'db' | 'clock'>) {
    this.deps = deps
  }

  async lease(request: LeaseRequest): Promise<LeasedRow[]> {
    const { db, clock } = this.deps
    const began = clock.monotonic()
    if (this.start !== null && began < this.readAgainAt) return this.leaseAt(this.start, request)
    const leased = await leaseOperations(db, request)
    this.start = null
    if (clock.monotonic() - began < SLOW_MS) return leased
    await this.findStart(null, 0)
    const now = clock.monotonic()
    this.readAgainAt = now + Math.min(MAX_REST_MS, REST * (now - began))
    this.lookBackAt = now + LOOK_BACK_EVERY_MS
    return leased
  }

  private async leaseAt(start: QueueStart, request: LeaseRequest): Promise<LeasedRow[]> {
    const { db, clock } = this.deps
    const began = clock.monotonic()
    const leased = await leaseOperations(db, request, start)
    if (began < this.advanceAt) return leased
    const looksBack = began >= this.lookBackAt
    if (looksBack) this.lookBackAt = began + LOOK_BACK_EVERY_MS
    await this.findStart(start, looksBack ? LOOK_BACK_MS : 0)
    return leased
  }

  private async findStart(from: QueueStart | null, lookBackMs: number): Promise<void> {
    const { db, clock } = this.deps
    // without it the next request reads the whole queue
    this.start = await findQueueStart(db, from, lookBackMs).catch(() => null)
    this.advanceAt = clock.monotonic() + ADVANCE_MS
  }
}

/**
 * What a worker knows of due operations that it left in the queue: it decides when freed capacity is worth another look
 * at the queue before the next poll.
 */
export class Backlog {
  private leftEverywhere = false
  /** The plugins that the operations left in the queue call next. */
  private leftAt: ReadonlySet<string> = new Set()
  /** Capacity freed since the last request was sent; what that request left is unknown until its result arrives. */
  private freed = new Set<string>()

  /** Notes free capacity at these plugins. Returns whether operations are waiting for it. */
  noteFreed(pluginIds: readonly string[]): boolean {
    for (const pluginId of pluginIds) this.freed.add(pluginId)
    return this.isWaitingFor(pluginIds)
  }

  /** Call this when a request for operations is sent. */
  noteRequested(): void {
    this.freed = new Set()
  }

  /** Notes the result of a request. Returns whether operations are waiting for capacity that was freed meanwhile. */
  noteLeased({ limit, perPlugin, rooms }: LeaseRequest, leased: readonly LeasedOperation[]): boolean {
    const taken = Map.groupBy(leased, ({ operation }) => operation.next_plugin)
    const room = new Map(rooms.map((known) => [known.pluginId, known.room]))
    const full = [...new Set([...room.keys(), ...taken.keys()])].filter(
      (pluginId) =>
        pluginId !== '' && (taken.get(pluginId)?.length ?? 0) >= (room.get(pluginId) ?? perPlugin),
    )
    // a request that was filled may have left more
    this.leftEverywhere = leased.length >= limit
    this.leftAt = new Set(full)
    return this.isWaitingFor([...this.freed])
  }

  private isWaitingFor(pluginIds: readonly string[]): boolean {
    return pluginIds.some((pluginId) => this.leftEverywhere || this.leftAt.has(pluginId))
  }
}
