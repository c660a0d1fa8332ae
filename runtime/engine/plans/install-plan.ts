import { wrapData } from '#contract/protocol/data.ts'
import { INSTANCE_REF_PROPERTY } from '#contract/protocol/limits.ts'
import type { TypedValue } from '#contract/protocol/typed-value.ts'
import type { Changes } from '#contract/runtime-api/common.ts'
import type { FrozenPlan, PlannedChange } from '../../model/plan.ts'
import { getOwn } from '#contract/json-schema/json.ts'
import { defaultOf, frozenValues, missingProperties, initialChanges } from './target.ts'
import type { Target, TargetResource } from './target.ts'
import type { Problem } from '../refusals.ts'

/** A value of an earlier installation, and whether it was sensitive there. */
export interface Seed {
  value: TypedValue
  isSensitive: boolean
}
export type Seeds = ReadonlyMap<string, ReadonlyMap<string, Seed>>

export interface InstallPlan {
  plan: FrozenPlan
  /** Every value that is set, as given: these are checked. */
  changes: PlannedChange[]
  missing: Problem[]
}

/**
 * What an INSTALL freezes. A value is the given one, else the earlier installation's, else the default; an explicit
 * null means "not set" and overrides the others. The protected property is set to the new bundleInstallId where it is
 * defined.
 */
export function installPlan({
  target,
  bundleInstallId,
  given,
  seeds,
}: {
  target: Target
  bundleInstallId: string
  given: Changes
  seeds: Seeds
}): InstallPlan {
  const instanceRef = wrapData(bundleInstallId)
  const resources = target.resources.map((resource) => {
    const { values, defaults } = installValues(
      resource,
      given[resource.locator] ?? {},
      seeds.get(resource.locator),
    )
    return { resource, values, defaults, frozen: frozenValues(resource, values, instanceRef) }
  })
  return {
    plan: {
      resources: resources.map(({ resource, frozen }) => ({
        ...resource,
        action: 'INSTALL',
        currentVersion: null,
        targetVersion: target.version,
        properties: frozen,
      })),
      plugins: target.plugins,
      changes: resources.flatMap(({ resource, frozen }) =>
        initialChanges(
          resource.locator,
          Object.entries(frozen).filter(([property]) => property !== INSTANCE_REF_PROPERTY),
        ),
      ),
      defaults: Object.fromEntries(resources.map(({ resource, defaults }) => [resource.locator, defaults])),
    },
    changes: resources.flatMap(({ resource, values }) => initialChanges(resource.locator, values)),
    missing: resources.flatMap(({ resource, values }) => missingProperties(resource, values)),
  }
}

function installValues(
  resource: TargetResource,
  given: Readonly<Record<string, TypedValue | null>>,
  seeds: ReadonlyMap<string, Seed> = new Map(),
): { values: Map<string, TypedValue>; defaults: string[] } {
  const values = new Map<string, TypedValue>()
  const defaults: string[] = []
  for (const [property, definition] of Object.entries(resource.definitions)) {
    const isForeign = property === INSTANCE_REF_PROPERTY || Object.hasOwn(resource.writtenBy, property)
    const seed = isForeign ? undefined : seedFor(resource, property, seeds)
    const fallback = isForeign ? undefined : (seed ?? defaultOf(definition))
    const isGiven = getOwn(given, property) !== undefined
    const value = isGiven ? getOwn(given, property) : fallback
    if (value === undefined || value === null) continue
    values.set(property, value)
    if (!isGiven && seed === undefined) defaults.push(property)
  }
  // not defined: the check refuses it
  for (const [property, value] of Object.entries(given))
    if (value !== null && !Object.hasOwn(resource.definitions, property)) values.set(property, value)
  return { values, defaults }
}

/** An earlier sensitive value never becomes visible. */
function seedFor(
  { definitions }: TargetResource,
  property: string,
  seeds: ReadonlyMap<string, Seed>,
): TypedValue | undefined {
  const seed = seeds.get(property)
  const wasHidden =
    seed?.isSensitive === true || (seed?.value['@type'] === 'Data' && seed.value.isSensitive === true)
  return wasHidden && getOwn(definitions, property)?.isSensitive !== true ? undefined : seed?.value
}
