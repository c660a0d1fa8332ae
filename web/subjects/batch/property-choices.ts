import type { Changes } from '#contract/console-api/shapes.ts'
import { getOwn } from '#contract/json-schema/json.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import type { TypedValue } from '#contract/protocol/typed-value.ts'
import type { Edits, FormField, FormResource } from '../operation-form/property-form.ts'
import type { BatchTarget, BundleTargets } from './bundle-targets.ts'
import { eachFieldId, partOf } from './each-target.ts'

/** A property that some targets have, and that is entered once for all of them. */
export interface PropertyChoice {
  key: string
  /** As the first of the bundles and versions defines it; the plan says where its value is not valid. */
  resource: FormResource
  field: FormField
  /** Its locator in each target. A target of unknown properties is among them if another one of its bundle is. */
  places: ReadonlyMap<string, string>
  /** The number of targets that are known to have it. */
  known: number
  /** The titles of the bundles that have it. */
  bundles: readonly string[]
}

/** A chosen property, with the same value for every target or a value for each. */
export interface ChosenProperty {
  choice: PropertyChoice
  isEach: boolean
}

interface Growing extends PropertyChoice {
  places: Map<string, string>
  bundles: string[]
  locators: Map<string, string>
}

/**
 * The properties of all targets. A property that several versions, environments or bundles have is one choice: bundles
 * share one if its resource and its definition are of the same kind and name.
 *
 * @param formOf The properties of a version; null if they are not known.
 */
export function propertyChoices(
  bundles: readonly BundleTargets[],
  formOf: (bundle: BundleTargets, version: string) => readonly FormResource[] | null,
): PropertyChoice[] {
  const choices: Growing[] = []
  const byResource = new Map<string, Growing>()
  const byMeaning = new Map<string, Growing>()
  for (const bundle of bundles) {
    const title = bundle.targets.find((target) => target.title !== null)?.title ?? bundle.bundleId
    const unknown: BatchTarget[] = []
    for (const [version, targets] of byVersion(bundle.targets)) {
      const form = version === null ? null : formOf(bundle, version)
      if (form === null) unknown.push(...targets)
      for (const resource of form ?? []) {
        for (const field of resource.fields) {
          const { locator, property } = field
          const own = JSON.stringify([bundle.bundleId, partOf(locator), property])
          const meaning = JSON.stringify([partOf(locator), property, ...kindOf(field.definition)])
          let choice = byResource.get(own) ?? byMeaning.get(meaning)
          if (choice === undefined) {
            const shown = { ...field, fallback: { from: 'nothing', view: null } as const }
            choice = {
              key: field.id,
              resource: { ...resource, fields: [shown] },
              field: shown,
              places: new Map(),
              known: 0,
              bundles: [],
              locators: new Map(),
            }
            choices.push(choice)
            byMeaning.set(meaning, choice)
          }
          byResource.set(own, choice)
          choice.locators.set(bundle.key, locator)
          choice.known += targets.length
          if (!choice.bundles.includes(title)) choice.bundles.push(title)
          for (const { id } of targets) choice.places.set(id, locator)
        }
      }
    }
    for (const { locators, places } of choices) {
      const locator = locators.get(bundle.key)
      if (locator !== undefined) for (const { id } of unknown) places.set(id, locator)
    }
  }
  return choices
}

/** The versions of targets, the one with most targets first; null for targets that have none yet. */
export const byVersion = (targets: readonly BatchTarget[]): [string | null, BatchTarget[]][] =>
  [...Map.groupBy(targets, ({ version }) => version)].toSorted(([, a], [, b]) => b.length - a.length)

/** What must be equal to enter a value once for several bundles: a secret is never typed where it can be read. */
const kindOf = ({ kind, schema, isSensitive }: PropertyDefinition): unknown[] => [
  kind,
  isSensitive === true,
  typeof schema === 'object' ? schema['type'] : schema,
]

/** What was entered, by target: every chosen property that it has. Targets without a value are left out. */
export function changesByTarget(
  chosen: readonly ChosenProperty[],
  edits: Edits,
): ReadonlyMap<string, Changes> {
  const entered = new Map<string, Record<string, Record<string, TypedValue | null>>>()
  for (const { choice, isEach } of chosen) {
    const { property, id } = choice.field
    for (const [target, locator] of choice.places) {
      const edit = edits.get(isEach ? eachFieldId(target, locator, property) : id)
      if (edit === undefined || edit.kind === 'unfinished') continue
      const changes = entered.get(target) ?? {}
      const value = edit.kind === 'set' ? edit.value : null
      changes[locator] = { ...getOwn(changes, locator), [property]: value }
      entered.set(target, changes)
    }
  }
  return entered
}

/** The request for these changes, with the targets in their order; null if nothing changes. */
export function configureInput(
  targets: readonly BatchTarget[],
  entered: ReadonlyMap<string, Changes>,
): { targets: string[]; input: { changes: Changes } | { values: Record<string, Changes> } } | null {
  // without a value of its own, a target is left as it is
  const ids = targets.map(({ id }) => id).filter((id) => entered.has(id))
  const first = entered.get(ids[0] ?? '')
  if (first === undefined) return null
  const text = JSON.stringify(first)
  return ids.every((id) => JSON.stringify(entered.get(id)) === text)
    ? { targets: ids, input: { changes: first } }
    : { targets: ids, input: { values: Object.fromEntries(entered) } }
}
