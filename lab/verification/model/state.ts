import type { OperationType, Stage } from '#contract/protocol/vocabulary.ts'
import type { PluginName, Value } from './bundles.ts'

// The state that the rules define: one scope, its configuration, its installations and their operations.

/** `place property` → value; a place is a resource of a bundle: `crm/MODULE/core`. */
export type Values = Map<string, Value>

export interface ModelInstallation {
  /** The id that the runtime gave it. */
  id: string
  bundle: string
  state: 'NOT_INSTALLED' | 'ACTIVE' | 'DETACHED'
  version: string | null
  sequence: number
  /** Installed resource → the version whose definitions it was applied with. */
  resources: Map<string, string>
  /** The values that the phase RESOURCES applied last. */
  applied: Values
  /** The values that an INSTALL can copy. */
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
  /** `stage plugin` of the calls that succeeded. */
  done: Set<string>
  /** The plugin that was called and has not responded yet. */
  waitsFor: PluginName | null
  /** Planned values of the installation. */
  planned: Values
  /** Planned resources → version, without those that are dropped. */
  resources: Map<string, string>
  /** What the plugin `one` wrote. */
  written: string | null
  takesOver: number | null
}

export const MODES = ['ok', 'fail-before', 'fail-after', 'hold-before', 'hold-after', 'unknown'] as const
/** How a plugin responds. */
export type Mode = (typeof MODES)[number]

export interface Model {
  /** `bundle version` → variant. */
  published: Map<string, number>
  /** Null if the scope does not exist yet. */
  snapshot: number | null
  configuration: Values
  installations: ModelInstallation[]
  operations: ModelOperation[]
  plugins: Record<PluginName, { isEnabled: boolean; mode: Mode }>
  credentials: { id: string; secret: string; isRevoked: boolean }[]
  /** Version of the only local service; 0 if it does not exist. */
  localService: number
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
    localService: 0,
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

export function required<Item>(item: Item | undefined): Item {
  if (item === undefined) throw new RangeError('the model refers to something that it does not have')
  return item
}
