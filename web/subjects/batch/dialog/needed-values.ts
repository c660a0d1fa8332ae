import type { BatchPlan, Changes } from '#contract/console-api/shapes.ts'
import { fieldId, type FieldId } from '../../../forms/property/field-id.ts'
import type { FormResource } from '../../operation-form/property-form.ts'

/** How many targets need a value of a property. */
export interface Need {
  /** Targets without a value. */
  missing: number
  /** Targets with a value that the new version refuses. */
  refused: number
}

/** The values that the targets need, by property, from the plan of an upgrade that sets no values. */
export function needsIn(plan: BatchPlan): ReadonlyMap<FieldId, Need> {
  const needs = new Map<FieldId, Need>()
  for (const { problems } of plan.items) {
    for (const { locator, property, errorCode, parameters } of problems) {
      if (locator === undefined || property === undefined || errorCode !== 'PROPERTY_INVALID') continue
      const id = fieldId(locator, property)
      const need = needs.get(id) ?? { missing: 0, refused: 0 }
      if (parameters?.['reason'] === 'propertyMissing') need.missing += 1
      else need.refused += 1
      needs.set(id, need)
    }
  }
  return needs
}

/** The fields of the new version that some target needs a value for. */
export function neededFields(
  form: readonly FormResource[],
  needs: ReadonlyMap<FieldId, Need>,
): readonly FormResource[] {
  return form.flatMap((resource) => {
    const fields = resource.fields
      .filter(({ id }) => needs.has(id))
      .map((field) => ({
        ...field,
        // the values of the targets differ, so none is shown as the current one
        fallback: { from: 'nothing', view: null } as const,
        isNeeded: (needs.get(field.id)?.missing ?? 0) > 0,
      }))
    return fields.length === 0 ? [] : [{ ...resource, fields }]
  })
}

/** The values of an upgrade: those to set in every target, and those for targets that have none. */
export function upgradeInput(
  changes: Changes,
  replaced: ReadonlySet<FieldId>,
): { properties?: Changes; fill?: Changes } {
  const pick = (isReplaced: boolean): Changes => {
    const picked: Record<string, Changes[string]> = {}
    for (const [locator, values] of Object.entries(changes)) {
      const entries = Object.entries(values).filter(
        ([property]) => replaced.has(fieldId(locator, property)) === isReplaced,
      )
      if (entries.length > 0) picked[locator] = Object.fromEntries(entries)
    }
    return picked
  }
  const [properties, fill] = [pick(true), pick(false)]
  return {
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(Object.keys(fill).length > 0 && { fill }),
  }
}
