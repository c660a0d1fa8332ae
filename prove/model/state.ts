import type { OperationType, Stage } from '#contract/protocol/vocabulary.ts'
import type { PluginName, Value } from './bundles.ts'

// What the rules say that there is: one scope, its configuration, its installations and their operations.

/** `place property` → value, place being a resource of a bundle: `crm/MODULE/core`. */
export type Values = Map<string, Value>

export interface ModelInstallation {
  /** As the runtime named it. */
  id: string
  bundle: string
  state: 'NOT_INSTALLED' | 'ACTIVE' | 'DETACHED'
  version: string | null
  sequence: number
  /** Resource → the version whose definitions it was applied with. */
  ledger: Map<string, string>
  /** The values that RESOURCES applied last. */
  applied: Values
  /** What an INSTALL could begin from. */
  last: Values
  /** Index of the operation that holds the claim. */
  claim: number | null
}

export interface ModelOperation {
  id: string
  installation: number
  type: OperationType
  current: string | null
  target: string
  sequence: number
  run: number
  state: 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'TAKEN_OVER'
  phase: Stage | 'RESOURCES' | 'DONE'
  errorCode: string | null
  plugins: PluginName[]
  /** `stage plugin` of the calls that ended well. */
  done: Set<string>
  /** The plugin that was called and does not answer yet. */
  waitsFor: PluginName | null
  /** Values of the installation as planned. */
  planned: Values
  /** Resources → version, as planned; those that are dropped are not in it. */
  resources: Map<string, string>
  /** What `one` wrote. */
  written: string | null
  takesOver: number | null
}

export type Mode = 'ok' | 'fail-before' | 'fail-after' | 'hold-before' | 'hold-after' | 'unknown'
export const MODES = ['ok', 'fail-before', 'fail-after', 'hold-before', 'hold-after', 'unknown'] as const

export interface Model {
  /** `bundle version` → variant. */
  published: Map<string, number>
  /** Null where the scope is not there yet. */
  snapshot: number | null
  configuration: Values
  installations: ModelInstallation[]
  operations: ModelOperation[]
  plugins: Record<PluginName, { isEnabled: boolean; mode: Mode }>
  credentials: { id: string; secret: string; isRevoked: boolean }[]
  /** Version of the one local service; 0 where it is not there. */
  local: number
}

export function emptyModel(): Model {
  return {
    published: new Map(),
    snapshot: null,
    configuration: new Map(),
    installations: [],
    operations: [],
    plugins: { one: { isEnabled: true, mode: 'ok' }, two: { isEnabled: true, mode: 'ok' } },
    credentials: [],
    local: 0,
  }
}

/** The resource and property of a key of `Values`. */
export function splitKey(key: string): { place: string; property: string } {
  const [place = '', property = ''] = key.split(' ')
  return { place, property }
}

/** The values of one bundle's resources. */
export function valuesOf(values: Values, bundle: string): Values {
  return new Map([...values].filter(([key]) => key.startsWith(`${bundle}/`)))
}

export function isSame(a: Value | null | undefined, b: Value | null | undefined): boolean {
  return JSON.stringify(a ?? null) === JSON.stringify(b ?? null)
}

export function isSameValues(a: Values, b: Values): boolean {
  return a.size === b.size && [...a].every(([key, value]) => isSame(value, b.get(key)))
}

export function demand<Item>(item: Item | undefined): Item {
  if (item === undefined) throw new RangeError('the model names what it does not have')
  return item
}
