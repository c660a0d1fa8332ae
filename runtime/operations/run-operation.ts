import { recordLateAnswer } from '../store/operations/record-attempt.ts'
import { readPlan } from '../store/operations/read-plan.ts'
import type { World } from '../world.ts'
import { advance } from './advance.ts'
import type { Advanced, Answered, Held } from './advance.ts'
import type { Leases } from './leases.ts'
import { makeCall } from './make-call.ts'
import type { PluginSlots } from './plugin-slots.ts'
import type { PreparedCall } from './prepare-calls.ts'
import type { OperationRow } from './view.ts'

/** What one worker's operations have in common. */
export interface Crew {
  world: World
  leases: Leases
  slots: PluginSlots
  owner: string
  leaseMs: number
  /** No more calls are to be begun. */
  isStopping(): boolean
  /** Aborted when calls under way are not waited for any longer. */
  abandon: AbortSignal
}

const RETRY_MS = 200

/**
 * Works on one claimed operation until it is let go of or lost: advance, make the calls, wait for one of them, advance.
 * No transaction is open while a plugin is called. Answers the milliseconds after which the operation is due again,
 * or null.
 */
export async function runOperation(crew: Crew, operation: OperationRow): Promise<number | null> {
  const lease = { operationId: operation.operation_id, owner: crew.owner, epoch: operation.lease_epoch }
  const held: Held = { lease, plan: await readPlan(crew.world.db, lease.operationId), operation }
  const flights = new Map<string, Promise<Answered>>()
  let answered: Answered[] = []
  for (;;) {
    const advanced = await advanceWhileHeld(crew, held, answered, flights.size > 0)
    switch (advanced.kind) {
      case 'lost':
        crew.world.log.warn('the lease of an operation was lost', { operationId: lease.operationId })
        await recordLate(crew, [...answered, ...(await Promise.all(flights.values()))])
        return null
      case 'let-go':
        return advanced.dueInMs
      case 'in-flight':
        break
      case 'call':
        held.operation = { ...held.operation, phase: advanced.phase }
        // between the commit and here the process may have slept; then another worker may be at it already
        if (!crew.leases.mayWork(lease)) {
          for (const { pluginId } of advanced.calls) crew.slots.free(pluginId)
          return null
        }
        for (const call of advanced.calls) flights.set(call.pluginId, fly(crew, call))
    }
    const landed = await Promise.race(flights.values())
    flights.delete(landed.pluginId)
    answered = [landed]
  }
}

/** The slot was taken when the call was decided on. */
async function fly({ world, slots, abandon }: Crew, call: PreparedCall): Promise<Answered> {
  try {
    return await makeCall(world, call, abandon)
  } finally {
    slots.free(call.pluginId)
  }
}

/** Tries again while the lease may hold: a database that is away for a moment costs no answer. */
async function advanceWhileHeld(
  crew: Crew,
  held: Held,
  answered: readonly Answered[],
  isInFlight: boolean,
): Promise<Advanced> {
  const { world, leases, leaseMs, slots } = crew
  while (leases.mayWork(held.lease)) {
    const since = world.clock.monotonic()
    let reserved: readonly string[] = []
    const reserve = (pluginIds: readonly string[]): boolean => {
      // a transaction that is run again asks again
      slots.freeAll(reserved)
      reserved = slots.takeAll(pluginIds) ? pluginIds : []
      return reserved === pluginIds
    }
    try {
      const advanced = await advance(world, held, {
        leaseMs,
        answered,
        isInFlight,
        isStopping: crew.isStopping(),
        reserve,
      })
      leases.renewed(held.lease, since)
      if (advanced.kind !== 'call') slots.freeAll(reserved)
      return advanced
    } catch (error) {
      slots.freeAll(reserved)
      world.log.error('an operation could not be advanced', { operationId: held.lease.operationId }, error)
      await world.clock.sleep(RETRY_MS)
    }
  }
  return { kind: 'lost' }
}

async function recordLate({ world }: Crew, answers: readonly Answered[]): Promise<void> {
  for (const answer of answers) {
    try {
      await recordLateAnswer(world.db, answer, answer.judgement)
    } catch (error) {
      world.log.error('a late answer could not be recorded', { operationId: answer.operationId }, error)
    }
  }
}
