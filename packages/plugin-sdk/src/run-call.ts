import type { LifecycleRequest } from '../../../contract/protocol/lifecycle.ts'
import { admit, fence, inProgress } from './admit.ts'
import { composeAnswer, type AnswerScope } from './answer.ts'
import { describeCall, type CallResource, type LifecycleCall } from './call.ts'
import { isOwnerGone, newOwner } from './owner.ts'
import { requireResult, type HandlerResult, type ResultWith } from './result.ts'
import type { Awaitable } from './awaitable.ts'
import type { CallKey, RememberedCall, Store } from './store.ts'

/** `Name` and `Values`: the properties that it may write, and their types; by default, the compiler does not check that. */
export type Handler<Tx, Name extends string = string, Resource = CallResource, Values = unknown> = (
  call: LifecycleCall<Tx, Resource>,
) => Awaitable<string extends Name ? HandlerResult : ResultWith<Name, Values>>

export interface Run<Tx> {
  store: Store<Tx>
  request: LifecycleRequest
  fingerprint: string
  handler: Handler<Tx>
  scope: AnswerScope
  resolve: LifecycleCall<Tx>['resolve']
  /** How long other processes leave a call to this one after its last renewal. */
  leaseMs: number
  retentionMs: number
  now: () => number
}

/*
 * The life cycle of a call.
 *
 *   arrived ── admitted, mark raised, leased ──▶ running ── concluded ──▶ remembered (APPLIED, VERIFIED, NOT_APPLIED)
 *      │                                            │
 *      └─ answered from memory, or rejected         └─ FAILED, UNKNOWN, thrown, crashed ──▶ free: the same bytes run again
 *
 * Every step of a running call is one transaction that first checks ownership: no later operation has raised the
 * installation's mark, and no other process holds the lease. So the effect, the mark and the memory are committed
 * together or not at all, and two processes never both commit.
 */

/** Returns the response body: the remembered one, or the handler's. Throws a PluginFailure for a failure envelope. */
export async function runCall<Tx>(run: Run<Tx>): Promise<string> {
  const { store, request, handler, now } = run
  const owner = newOwner()
  const remembered = await store.transaction((tx) => begin(tx, run, owner))
  if (remembered !== null) return remembered

  let answer: string | null = null
  const transaction = <Result>(work: (tx: Tx) => Awaitable<Result>): Promise<Result> =>
    store.transaction(async (tx) => {
      await requireOwnership(tx, run, owner)
      return work(tx)
    })
  const conclude = async <Result extends HandlerResult>(
    work: (tx: Tx) => Awaitable<Result>,
  ): Promise<Result> => {
    if (answer !== null) throw new Error('The call is already concluded: return the result of conclude')
    const concluded = await transaction(async (tx) => {
      const result = await work(tx)
      requireResult(
        result,
        `The work of call.conclude in ${request.operation.operationType} ${request.stage}`,
      )
      return { result, body: await end(tx, run, result) }
    })
    answer = concluded.body
    return concluded.result
  }

  const renewal = setInterval(() => void renew(run, owner), run.leaseMs / 3)
  renewal.unref()
  try {
    const result = await handler({ ...describeCall(request), transaction, conclude, resolve: run.resolve })
    if (answer === null) await conclude(() => result)
  } catch (error) {
    // Once committed, the response is final, whatever the handler does afterwards.
    if (answer === null) {
      await release(run, owner)
      throw error
    }
  } finally {
    clearInterval(renewal)
  }
  return answer ?? neverConcluded()

  async function begin(tx: Tx, { fingerprint, leaseMs, retentionMs }: Run<Tx>, by: string) {
    const { operationId } = request.operation
    const { bundleInstallId } = request.installation
    const { executionSequence, stage } = request
    const { call, mark } = await store.memory.read(tx, keyOf(request))
    const admission = admit({ request, fingerprint, call, mark, now: now(), isOwnerGone })
    if (admission.kind === 'refuse') throw admission.failure
    if (admission.kind === 'answer') return admission.answer
    if (mark === null || mark.executionSequence < executionSequence) {
      await store.memory.writeMark(tx, { bundleInstallId, operationId, executionSequence, isDetached: false })
      // an installation without a mark has no earlier calls
      if (mark !== null)
        await store.memory.forgetCalls(tx, {
          bundleInstallId,
          executionSequence,
          endedAt: now() - retentionMs,
        })
    }
    const leaseUntil = now() + leaseMs
    const started = { operationId, stage, bundleInstallId, executionSequence, fingerprint }
    await store.memory.writeCall(tx, { ...started, owner: by, leaseUntil, answer: null, endedAt: null })
    return null
  }
}

function neverConcluded(): never {
  throw new Error('A handler ended without a result')
}

async function requireOwnership<Tx>(tx: Tx, { store, request }: Run<Tx>, owner: string): Promise<void> {
  const { call, mark } = await store.memory.read(tx, keyOf(request))
  const stale = fence(request, mark)
  if (stale !== null) throw stale
  if (call === null || call.owner !== owner) throw inProgress()
}

async function end<Tx>(tx: Tx, { store, request, fingerprint, scope, now }: Run<Tx>, result: HandlerResult) {
  const body = composeAnswer(result, scope)
  const { executionSequence, operation } = request
  const { bundleInstallId } = request.installation
  const isDone = result.outcome !== 'FAILED' && result.outcome !== 'UNKNOWN'
  await store.memory.writeCall(tx, {
    ...keyOf(request),
    executionSequence,
    fingerprint,
    owner: null,
    leaseUntil: null,
    answer: isDone ? body : null,
    endedAt: now(),
  })
  if (isDone && operation.operationType === 'DETACH' && request.stage === 'AFTER_RESOURCES') {
    const { operationId } = operation
    await store.memory.writeMark(tx, { bundleInstallId, operationId, executionSequence, isDetached: true })
  }
  return body
}

const renew = <Tx>(run: Run<Tx>, owner: string): Promise<void> =>
  whileOwned(run, owner, ({ now, leaseMs }) => ({ leaseUntil: now() + leaseMs }))

const release = <Tx>(run: Run<Tx>, owner: string): Promise<void> =>
  whileOwned(run, owner, ({ now }) => ({ owner: null, leaseUntil: null, endedAt: now() }))

/** Updates the call's row if this run still owns it. Errors are ignored: the lease then expires. */
async function whileOwned<Tx>(
  run: Run<Tx>,
  owner: string,
  change: (run: Run<Tx>) => Partial<RememberedCall>,
): Promise<void> {
  try {
    await run.store.transaction(async (tx) => {
      const { call } = await run.store.memory.read(tx, keyOf(run.request))
      if (call?.owner === owner) await run.store.memory.writeCall(tx, { ...call, ...change(run) })
    })
  } catch {
    // The store is closed or unreachable.
  }
}

const keyOf = ({ operation, stage, installation }: LifecycleRequest): CallKey => ({
  operationId: operation.operationId,
  stage,
  bundleInstallId: installation.bundleInstallId,
})
