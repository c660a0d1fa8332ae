import { createHash } from 'node:crypto'
import { wrapData } from '#contract/protocol/data.ts'
import type { JsonValue } from '#contract/json-schema/json.ts'
import type { LifecycleRequest } from '#contract/protocol/lifecycle.ts'
import type { Outcome } from '#contract/protocol/vocabulary.ts'
import type { Delivery } from '../invariants/evidence.ts'

/** What a plugin is made to answer instead of doing its work. */
export type Mood =
  /** Does it and answers. */
  | 'well'
  | 'FAILED'
  | 'UNKNOWN'
  | 'retryable'
  | 'failure'
  | 'invalid'
  /** Hears of it, and neither does anything nor answers. */
  | 'hang'

export interface Answer {
  status: number
  body: string
}

/** What each plugin may write; a name is written in the Modules of the request that have it. */
export type Writable = Readonly<Record<string, readonly { property: string; isSensitive: boolean }[]>>

/** What sensitive values look like in the simulation: found anywhere else, it is a leak. */
export const CANARY = 'canary-7f3a91'

/**
 * Plugins that keep the protocol, as ledgers: each remembers what it did for an operation and stage and answers a repeat
 * with the same, and does nothing for an execution sequence below one that it has seen.
 */
export class Plugins {
  readonly deliveries: Delivery[] = []
  private readonly memory = new Map<string, { outcome: Outcome; resources: JsonValue }>()
  private readonly seen = new Map<string, number>()
  /** How often one refused a call because it had seen a later operation. */
  refusedAsStale = 0
  private readonly writable: Writable
  private readonly now: () => number

  constructor(writable: Writable, now: () => number) {
    this.writable = writable
    this.now = now
  }

  /** A call arrives; null is no answer. `chosen` is what it will have done when it does something. */
  deliver(
    body: Uint8Array,
    { mood, chosen, isCopy }: { mood: Mood; chosen: 'APPLIED' | 'VERIFIED' | 'NOT_APPLIED'; isCopy: boolean },
  ): Answer | null {
    const request = JSON.parse(Buffer.from(body).toString('utf8')) as LifecycleRequest
    const { pluginId, stage, executionSequence, installation, operation } = request
    const bundleInstallId = installation.bundleInstallId
    const note = (answered: Delivery['answered'], isEffect: boolean): void => {
      this.deliveries.push({
        pluginId,
        stage,
        operationId: operation.operationId,
        bundleInstallId,
        executionSequence,
        bodyHash: createHash('sha256').update(body).digest('hex'),
        isEffect,
        answered,
        isCopy,
        at: this.now(),
      })
    }
    const place = `${pluginId} ${bundleInstallId}`
    const highest = this.seen.get(place) ?? 0
    if (executionSequence < highest) {
      this.refusedAsStale += 1
      note('failure', false)
      return failure('EXECUTION_SEQUENCE_STALE', 'A later operation was seen.', false)
    }
    this.seen.set(place, executionSequence)
    const key = `${pluginId} ${operation.operationId} ${stage}`
    const remembered = this.memory.get(key)
    if (remembered !== undefined) {
      note(remembered.outcome, false)
      return success(request, remembered.outcome, remembered.resources)
    }
    switch (mood) {
      case 'hang':
        note('nothing', false)
        return null
      case 'invalid':
        note('nothing', false)
        return { status: 200, body: JSON.stringify({ outcome: 'APPLIED', resources: {} }) }
      case 'retryable':
        note('retryable', false)
        return failure('TRY_LATER', 'Not now.', true)
      case 'failure':
        note('failure', false)
        return failure('QUOTA_EXCEEDED', 'There is no room.', false)
      case 'FAILED':
      case 'UNKNOWN':
        note(mood, false)
        return success(request, mood, {})
      case 'well': {
        const resources = chosen === 'NOT_APPLIED' ? {} : this.writesOf(request)
        this.memory.set(key, { outcome: chosen, resources })
        note(chosen, chosen === 'APPLIED')
        return success(request, chosen, resources)
      }
    }
  }

  private writesOf({ pluginId, resources, installation, operation }: LifecycleRequest): JsonValue {
    const names = this.writable[pluginId] ?? []
    const last = installation.bundleInstallId.slice(-6)
    const written: [string, JsonValue][] = Object.keys(resources)
      .filter((locator) => operation.operationType !== 'DETACH' && locator.endsWith('/MODULE/core'))
      .map((locator) => [
        locator,
        Object.fromEntries(
          names.map(({ property, isSensitive }) => [
            property,
            isSensitive
              ? { ...wrapData(`${CANARY} ${last}`), isSensitive: true }
              : wrapData(`${property} of ${last}`),
          ]),
        ),
      ])
    return Object.fromEntries(written)
  }
}

function success(request: LifecycleRequest, outcome: Outcome, resources: JsonValue): Answer {
  const { contractVersion, pluginId, executionSequence, installation, operation, stage } = request
  const echo = { contractVersion, pluginId, executionSequence, installation, operation, stage }
  const data = { ...echo, outcome, resources }
  return { status: 200, body: JSON.stringify({ contractVersion: '1.0.0', errorCode: '0', data }) }
}

function failure(errorCode: string, message: string, retryable: boolean): Answer {
  const data = { message, retryable }
  return { status: 200, body: JSON.stringify({ contractVersion: '1.0.0', errorCode, data }) }
}
