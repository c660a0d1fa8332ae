import type { Violation } from '../suite.ts'
import type { Evidence } from './evidence.ts'
import type { Change } from './journal.ts'
import type { State } from './state.ts'

/** Everything that is known about a run. */
export interface Facts extends Evidence {
  state: State
  /** Null if no journal was installed: then checks that need it are skipped. */
  journal: readonly Change[] | null
}

/** Every violation of a promise in the facts. */
export type Invariant = (facts: Facts) => Iterable<Violation>

export const broken = (promise: string, seen: string): Violation => ({ promise, seen })

export const callKey = (call: { operation_id: string; stage: string; plugin_id: string }): string =>
  `${call.operation_id} ${call.stage} ${call.plugin_id}`

export const deliveryKey = (delivery: { operationId: string; stage: string; pluginId: string }): string =>
  `${delivery.operationId} ${delivery.stage} ${delivery.pluginId}`
