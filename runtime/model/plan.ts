import type { CompiledAuthorization } from '#contract/protocol/authorization.ts'
import type { ResourceKind } from '#contract/protocol/locator.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import type { TypedValue } from '#contract/protocol/typed-value.ts'
import type { ResourceAction } from '#contract/protocol/vocabulary.ts'

/** Values by locator and property, as a plugin wrote them. */
export type Writes<Value = TypedValue> = Record<string, Record<string, Value>>

/** One resource of a frozen plan, with everything that the RESOURCES phase and the plugin calls need. */
export interface PlannedResource<Value = TypedValue> {
  locator: string
  kind: ResourceKind
  title: string
  moduleId: string | null
  action: ResourceAction
  currentVersion: string | null
  targetVersion: string
  /** The target values, including `instanceRefProperty`; writes of plugins are applied on top. */
  properties: Record<string, Value>
  definitions: Record<string, PropertyDefinition>
  /** Property name → the plugin that may write it. */
  writtenBy: Record<string, string>
}

export interface PlannedChange<Value = TypedValue> {
  locator: string
  property: string
  before: Value | null
  after: Value | null
}

/**
 * What an operation will do. It is frozen in the transaction that creates the operation and never changes, so a
 * repeat, another replica and a later release of the runtime all do the same.
 */
export interface FrozenPlan<Value = TypedValue> {
  resources: PlannedResource<Value>[]
  /** Compiled authorizations in ascending `order`; both stages call them all, a DETACH in descending order. */
  plugins: CompiledAuthorization[]
  /** The changes that a person made with it; the writes of plugins are stored with their calls. */
  changes: PlannedChange<Value>[]
  /** Locator → the properties whose values are defaults of the target version. Absent in plans of earlier releases. */
  defaults?: Record<string, string[]>
}

/**
 * A sensitive value as stored in the database. It keeps its `@type`, so that SQL that searches for references need
 * not know about sealing. No external value looks like it, because a Data has no other fields than its own.
 */
export interface SealedData {
  '@type': 'Data'
  isSensitive: true
  sealed: string
}

/** A typed value as stored in the database. */
export type StoredValue = TypedValue | SealedData

/** The current values by locator and property. */
export type CurrentProperties = ReadonlyMap<string, ReadonlyMap<string, TypedValue>>

/** Locator → properties that were later marked as sensitive. */
export type Marks = ReadonlyMap<string, ReadonlySet<string>>

/** A property of a gateway that sets its domain. */
export interface DomainUse {
  locator: string
  property: string
  /** In lower case. */
  domain: string
}

/** A use that is stored. */
export interface DomainHolder extends DomainUse {
  bundleInstallId: string
  scope: Scope
}
