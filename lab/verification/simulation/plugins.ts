import { wrapData, wrapSensitive } from '#contract/protocol/data.ts'
import type { JsonObject, JsonValue } from '#contract/json-schema/json.ts'
import type { LifecycleRequest } from '#contract/protocol/lifecycle.ts'
import { successOf } from '#runtime/testing/plugin.ts'
import { CANARY, WRITES } from '../bundles.ts'
import { deliveryOf, failure, ProtocolPlugin } from '../protocol-plugin.ts'
import type { WorkOutcome } from '../protocol-plugin.ts'

/** How a plugin treats a call that is neither stale nor a retry; with `hangs` it neither does anything nor responds. */
export type Behaviour = 'works' | 'FAILED' | 'UNKNOWN' | 'retryable' | 'failure' | 'invalid' | 'hangs'

export interface Answer {
  status: number
  body: string
}

/** All plugins of a history. */
export class SimulatedPlugins extends ProtocolPlugin {
  private readonly now: () => number

  constructor(now: () => number) {
    super(writesOf)
    this.now = now
  }

  /** A call arrives; null means no response. `outcome` is that of a call which is executed. */
  deliver(
    body: Uint8Array,
    { behaviour, outcome, isCopy }: { behaviour: Behaviour; outcome: WorkOutcome; isCopy: boolean },
  ): Answer | null {
    // the runtime's own bytes
    const request = JSON.parse(Buffer.from(body).toString('utf8')) as LifecycleRequest
    const delivery = { ...deliveryOf(request, body), isCopy, at: this.now() }
    this.deliveries.push(delivery)
    const recalled = this.recall(request, delivery)
    if (recalled !== null) return ok(recalled)
    switch (behaviour) {
      case 'works':
        return ok(this.act(request, delivery, outcome))
      case 'hangs':
        return null
      case 'invalid':
        return ok({ outcome: 'APPLIED', resources: {} })
      case 'retryable':
        delivery.answered = 'retryable'
        return ok(failure('TRY_LATER', 'Not now.', true))
      case 'failure':
        delivery.answered = 'failure'
        return ok(failure('QUOTA_EXCEEDED', 'There is no room.', false))
      case 'FAILED':
      case 'UNKNOWN':
        delivery.answered = behaviour
        return ok(successOf(request, { outcome: behaviour }))
    }
  }
}

const ok = (body: JsonValue): Answer => ({ status: 200, body: JSON.stringify(body) })

function writesOf({ pluginId, resources, installation, operation }: LifecycleRequest): JsonObject {
  const written = WRITES[pluginId]
  const suffix = installation.bundleInstallId.slice(-6)
  const isDetach = operation.operationType === 'DETACH'
  const cores = Object.keys(resources).filter((locator) => !isDetach && locator.endsWith('/MODULE/core'))
  return Object.fromEntries(
    cores.map((locator): [string, JsonObject] => [
      locator,
      written === undefined
        ? {}
        : {
            [written.property]: written.isSensitive
              ? wrapSensitive(`${CANARY} ${suffix}`)
              : wrapData(`${written.property} of ${suffix}`),
          },
    ]),
  )
}
