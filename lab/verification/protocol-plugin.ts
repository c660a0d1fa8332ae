import { createHash } from 'node:crypto'
import type { JsonObject, JsonValue } from '#contract/json-schema/json.ts'
import type { LifecycleRequest } from '#contract/protocol/lifecycle.ts'
import type { Outcome } from '#contract/protocol/vocabulary.ts'
import { successOf } from '#runtime/testing/plugin.ts'
import type { Delivery } from './invariants/evidence.ts'

/** What a plugin does with a call that it executes. */
export type WorkOutcome = Extract<Outcome, 'APPLIED' | 'VERIFIED' | 'NOT_APPLIED'>

/**
 * One or more plugins that follow the protocol: each call is executed once, a retry gets the recorded response, and a
 * call with a lower execution sequence than one already seen is rejected. Every delivery is recorded.
 */
export class ProtocolPlugin<Recorded extends Delivery = Delivery> {
  readonly deliveries: Recorded[] = []
  /** Operation, stage and plugin of each effect. */
  readonly effects = new Set<string>()
  /** Calls rejected because a later operation of the installation was seen. */
  staleCalls = 0
  private readonly answers = new Map<string, JsonObject>()
  private readonly highest = new Map<string, number>()
  private readonly writesOf: (request: LifecycleRequest) => JsonObject

  /** `writesOf` returns the `resources` that a call writes. */
  constructor(writesOf: (request: LifecycleRequest) => JsonObject) {
    this.writesOf = writesOf
  }

  /** The response to a stale or a retried call; null if the call has to be executed. */
  recall(request: LifecycleRequest, delivery: Delivery): JsonObject | null {
    const place = `${request.pluginId} ${request.installation.bundleInstallId}`
    const highest = this.highest.get(place) ?? 0
    if (request.executionSequence < highest) {
      this.staleCalls++
      delivery.answered = 'failure'
      return failure('EXECUTION_SEQUENCE_STALE', 'A later operation of this installation was seen.', false)
    }
    this.highest.set(place, request.executionSequence)
    const answer = this.answers.get(effectKey(request)) ?? null
    // the plugin answers a retry with the recorded outcome
    if (answer !== null) delivery.answered = outcomeOf(answer)
    return answer
  }

  /** Executes the call, once, and returns the envelope. What already exists after `forget` is VERIFIED. */
  act(request: LifecycleRequest, delivery: Delivery, outcome: WorkOutcome = 'APPLIED'): JsonObject {
    const known = this.recall(request, delivery)
    if (known !== null) return known
    const key = effectKey(request)
    const done = this.effects.has(key) ? 'VERIFIED' : outcome
    if (done === 'APPLIED') {
      this.effects.add(key)
      delivery.isEffect = true
    }
    delivery.answered = done
    const resources: JsonValue = done === 'NOT_APPLIED' ? {} : this.writesOf(request)
    const answer = successOf(request, { outcome: done, resources })
    this.answers.set(key, answer)
    return answer
  }

  /** Loses the recorded responses, and keeps the effects. */
  forget(): void {
    this.answers.clear()
  }
}

/** A delivery that has just arrived, before the plugin did anything. */
export function deliveryOf(request: LifecycleRequest, body: Uint8Array): Delivery {
  return {
    pluginId: request.pluginId,
    operationId: request.operation.operationId,
    stage: request.stage,
    bundleInstallId: request.installation.bundleInstallId,
    executionSequence: request.executionSequence,
    bodyHash: createHash('sha256').update(body).digest('hex'),
    isEffect: false,
    answered: 'nothing',
  }
}

/** The envelope of a failure. */
export function failure(errorCode: string, message: string, retryable: boolean): JsonObject {
  return { contractVersion: '1.0.0', errorCode, data: { message, retryable } }
}

export const effectKey = ({ operation, stage, pluginId }: LifecycleRequest): string =>
  `${operation.operationId} ${stage} ${pluginId}`

function outcomeOf(answer: JsonObject): WorkOutcome {
  // `act` recorded a success envelope
  return (answer['data'] as { outcome: WorkOutcome }).outcome
}
