import type { FormField, FormResource } from '../../operation-form/property-form.ts'
import type { BatchTarget } from '../bundle-targets.ts'

/** A property that some targets have. */
export interface PropertyChoice {
  resource: FormResource
  field: FormField
  /** The number of targets whose version has it. */
  targets: number
}

/** The versions of the targets with their number, the one with most targets first. */
export function versionsOf(targets: readonly BatchTarget[]): { version: string; targets: number }[] {
  const groups = Map.groupBy(
    targets.filter(({ version }) => version !== null),
    ({ version }) => version ?? '',
  )
  return [...groups]
    .map(([version, of]) => ({ version, targets: of.length }))
    .toSorted((a, b) => b.targets - a.targets)
}

/**
 * The properties of all versions. A property that several versions define is entered as the first of them defines it;
 * the plan says where its value is not valid.
 */
export function propertyChoices(
  versions: readonly { form: readonly FormResource[]; targets: number }[],
): PropertyChoice[] {
  const choices = new Map<string, PropertyChoice>()
  for (const { form, targets } of versions) {
    for (const resource of form) {
      for (const field of resource.fields) {
        const known = choices.get(field.id)
        if (known === undefined) choices.set(field.id, { resource, field, targets })
        else known.targets += targets
      }
    }
  }
  return [...choices.values()]
}
