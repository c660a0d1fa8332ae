import type { CompiledAuthorization } from '#contract/protocol/authorization.ts'
import { wrapData } from '#contract/protocol/data.ts'
import { INSTANCE_REF_PROPERTY } from '#contract/protocol/limits.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import type { TypedValue } from '#contract/protocol/typed-value.ts'
import type { Changes } from '#contract/runtime-api/common.ts'
import { isSameValue, comparisonsIn, isHidden } from '../changes/compare.ts'
import type { Comparison, PropertyMap } from '../changes/compare.ts'
import { currentValues, resourceAt } from './configure-plan.ts'
import type { Problem } from '../refusals.ts'
import type { FrozenPlan, PlannedChange, PlannedResource } from '../../model/plan.ts'
import { getOwn } from '#contract/json-schema/json.ts'
import { defaultOf, frozenValues, missingProperties, initialChanges } from './target.ts'
import type { Target, TargetResource } from './target.ts'
import { detachedResource } from './planned-calls.ts'
import type { LedgerRow } from '../../model/ledger.ts'

export interface UpgradePlan {
  plan: FrozenPlan
  /** Values that the upgrade sets, as given, and values of plugins that it would remove. */
  brought: PlannedChange[]
  /** Values that are kept and whose definition differs, so that they may be no longer valid; without those that plugins wrote. */
  kept: PlannedChange[]
  missing: Problem[]
}

/** The starting point of an UPGRADE. */
export interface Installed {
  bundleInstallId: string
  ledger: readonly LedgerRow[]
  current: PropertyMap
  /** Sensitive values that an earlier upgrade put aside, of the properties that `restorable` names. */
  putAside: PropertyMap
  plugins: readonly CompiledAuthorization[]
}

/**
 * The properties whose sensitive value an earlier upgrade may have put aside: the target hides them, the installed
 * version does not, and nobody has set them. A plugin writes its own values again.
 */
export function restorable(
  { ledger, current }: Pick<Installed, 'ledger' | 'current'>,
  target: Target,
  given: Changes,
): { locator: string; property: string }[] {
  return target.resources.flatMap(({ locator, definitions, writtenBy }) => {
    const row = resourceAt(ledger, locator)
    return Object.entries(definitions)
      .filter(
        ([property, { isSensitive }]) =>
          isSensitive === true &&
          property !== INSTANCE_REF_PROPERTY &&
          !Object.hasOwn(writtenBy, property) &&
          !Object.hasOwn(given[locator] ?? {}, property) &&
          current.get(locator)?.has(property) !== true &&
          (row && getOwn(row.definitions, property))?.isSensitive !== true,
      )
      .map(([property]) => ({ locator, property }))
  })
}

/**
 * What an UPGRADE freezes. A value is the given one, else the current one, else the one that an earlier upgrade put
 * aside, else the default (if the property is new, or is required and has no value). What the target no longer defines
 * is dropped; a resource that it no longer has is DETACH with its own values, and the plugins of both versions are called.
 *
 * @param isBlind whether a value given for a hidden one counts as a change without being compared.
 */
export function upgradePlan(
  installed: Installed,
  target: Target,
  given: Changes,
  isBlind: boolean,
): UpgradePlan {
  const before = new Map(installed.ledger.map((row) => [row.locator, row]))
  const upgraded = target.resources.map((resource) =>
    upgradeResource(installed, before.get(resource.locator), resource, given[resource.locator] ?? {}),
  )
  const removed = installed.ledger.filter(
    ({ locator }) => resourceAt(target.resources, locator) === undefined,
  )
  const resources: PlannedResource[] = [
    ...upgraded.map(({ resource, row, frozen }) => ({
      ...resource,
      action: row === undefined ? ('INSTALL' as const) : ('UPGRADE' as const),
      currentVersion: row?.version ?? null,
      targetVersion: target.version,
      properties: frozen,
    })),
    ...removed.map((row) => detachedResource(row, currentValues(row, installed.current))),
  ]
  return {
    plan: {
      resources,
      plugins: uniteAuthorizations(
        target.plugins,
        installed.plugins,
        new Set(removed.map((row) => row.locator)),
      ),
      changes: changesTo(resources, installed.current, (locator, property, before) =>
        isBlind && isGiven(given, locator, property)
          ? isHidden(before, ...definitionsIn(installed, target, locator, property))
          : false,
      ),
      defaults: Object.fromEntries(upgraded.map(({ resource, defaults }) => [resource.locator, defaults])),
    },
    brought: upgraded.flatMap(({ resource, brought }) => [
      ...initialChanges(resource.locator, brought),
      ...removedPluginValues(resource, given[resource.locator] ?? {}),
    ]),
    kept: upgraded.flatMap(({ resource, row, kept }) =>
      initialChanges(
        resource.locator,
        [...kept].filter(
          ([property]) =>
            !Object.hasOwn(resource.writtenBy, property) && !isSameDefinition(row, resource, property),
        ),
      ),
    ),
    missing: upgraded.flatMap(({ resource, brought, kept }) =>
      missingProperties(resource, new Map([...kept, ...brought])),
    ),
  }
}

const isSameDefinition = (
  row: LedgerRow | undefined,
  { definitions }: TargetResource,
  property: string,
): boolean =>
  JSON.stringify(row && getOwn(row.definitions, property)) === JSON.stringify(getOwn(definitions, property))

/** The given values that an upgrade would compare with hidden ones, by the definition of either version. */
export function comparisonsInUpgrade(installed: Installed, target: Target, given: Changes): Comparison[] {
  return comparisonsIn(installed.current, given, (locator, property) =>
    definitionsIn(installed, target, locator, property),
  )
}

function definitionsIn(
  { ledger }: Installed,
  { resources }: Target,
  locator: string,
  property: string,
): (PropertyDefinition | undefined)[] {
  const found = [resourceAt(ledger, locator), resourceAt(resources, locator)]
  return found.filter((one) => one !== undefined).map(({ definitions }) => getOwn(definitions, property))
}

const isGiven = (given: Changes, locator: string, property: string): boolean =>
  getOwn(getOwn(given, locator) ?? {}, property) != null

function upgradeResource(
  { bundleInstallId, current, putAside }: Installed,
  row: LedgerRow | undefined,
  resource: TargetResource,
  given: Readonly<Record<string, TypedValue | null>>,
) {
  const standing = current.get(resource.locator) ?? new Map<string, TypedValue>()
  const kept = new Map<string, TypedValue>()
  const brought = new Map<string, TypedValue>()
  const defaults: string[] = []
  for (const [property, definition] of Object.entries(resource.definitions)) {
    if (property === INSTANCE_REF_PROPERTY || Object.hasOwn(given, property)) continue
    const earlier = row && getOwn(row.definitions, property)
    const value = standing.get(property)
    const fallback = defaultOf(definition)
    const isForeign = Object.hasOwn(resource.writtenBy, property)
    const earlierSecret = putAside.get(resource.locator)?.get(property)
    if (value !== undefined && mayKeep(earlier, definition)) kept.set(property, value)
    else if (earlierSecret !== undefined) brought.set(property, earlierSecret)
    else if (
      fallback !== undefined &&
      !isForeign &&
      (earlier === undefined || definition.required === true)
    ) {
      brought.set(property, fallback)
      defaults.push(property)
    }
  }
  for (const [property, value] of Object.entries(given)) if (value !== null) brought.set(property, value)
  const instanceRef = (row && getOwn(row.properties, INSTANCE_REF_PROPERTY)) ?? wrapData(bundleInstallId)
  const frozen = frozenValues(resource, new Map([...kept, ...brought]), instanceRef)
  return { resource, row, kept, brought, defaults, frozen }
}

/** Whether an UPGRADE removes this sensitive value only because the target does not hide it. */
export function isPutAside(
  { resources }: Pick<FrozenPlan, 'resources'>,
  { locator, property, before, after }: PlannedChange,
): boolean {
  const resource = resourceAt(resources, locator)
  return (
    resource?.action === 'UPGRADE' &&
    after === null &&
    before?.['@type'] === 'Data' &&
    before.isSensitive === true &&
    getOwn(resource.definitions, property)?.isSensitive !== true
  )
}

/** People may neither set nor remove a value that a plugin writes. */
function removedPluginValues(
  { locator, writtenBy }: TargetResource,
  given: Readonly<Record<string, TypedValue | null>>,
): PlannedChange[] {
  return Object.keys(writtenBy)
    .filter((property) => getOwn(given, property) === null)
    .map((property) => ({ locator, property, before: null, after: null }))
}

/** A sensitive value never becomes visible: if the target shows it, it is put aside and must be given again. */
function mayKeep(earlier: PropertyDefinition | undefined, target: PropertyDefinition): boolean {
  return earlier !== undefined && (earlier.isSensitive !== true || target.isSensitive === true)
}

/**
 * The plugins of both versions. The target's authorization wins; of the earlier one only the part for removed resources
 * is added. A plugin that the target no longer has keeps all of its authorization.
 */
export function uniteAuthorizations(
  target: readonly CompiledAuthorization[],
  earlier: readonly CompiledAuthorization[],
  removed: ReadonlySet<string>,
): CompiledAuthorization[] {
  const both = target.map((authorization) => {
    const old = earlier.find(({ pluginId }) => pluginId === authorization.pluginId)
    const goodbye = (old?.resources ?? []).filter(({ resource }) => removed.has(resource))
    return { ...authorization, resources: [...authorization.resources, ...goodbye] }
  })
  const gone = earlier.filter(({ pluginId }) => target.every((other) => other.pluginId !== pluginId))
  return [...both, ...gone].toSorted((a, b) => a.order - b.order)
}

/** How the configuration will change. The protected property is never listed. */
function changesTo(
  resources: readonly PlannedResource[],
  current: PropertyMap,
  isBlind: (locator: string, property: string, before: TypedValue | null) => boolean,
): PlannedChange[] {
  return resources.flatMap(({ locator, action, properties }) => {
    const target = action === 'DETACH' ? {} : properties
    const standing = current.get(locator) ?? new Map<string, TypedValue>()
    return [...new Set([...standing.keys(), ...Object.keys(target)])]
      .filter((property) => property !== INSTANCE_REF_PROPERTY)
      .map((property) => ({
        locator,
        property,
        before: standing.get(property) ?? null,
        after: getOwn(target, property) ?? null,
      }))
      .filter(
        ({ property, before, after }) => isBlind(locator, property, before) || !isSameValue(before, after),
      )
  })
}
