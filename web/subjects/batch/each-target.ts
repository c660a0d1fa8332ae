import type { Changes, PropertyView } from '#contract/console-api/shapes.ts'
import { deepEqual } from '#contract/json-schema/json.ts'
import { FormEdit, type PropertyFormValues, type Edit } from '../../forms/property/property-edit.ts'
import { fieldId, type FieldId, type PropertyPlace } from '../../forms/property/property-place.ts'
import { propertyHelp, propertyTitle } from '../../forms/property/property-labels.ts'
import {
  changesOf,
  type Edits,
  type Fallback,
  type FormField,
  type FormResource,
} from '../operation-form/property-form.ts'
import { scopeText } from '../scopes/scope-text.ts'
import { scopeOf, type BatchTarget } from './bundle-targets.ts'

/** Every target is a row of the form. */
export const EACH_MAX = 200

/** The property that a batch sets, if it is known when the dialog opens. */
export interface BatchProperty {
  /** Of one target; that of another target may be in another bundle environment. */
  locator: string
  property: string
  /** Its values now, by target. */
  values: ReadonlyMap<string, PropertyView | null>
  /** The edits to begin with, by target. */
  edits?: ReadonlyMap<string, Edit>
}

/**
 * A form that has a field for each property and target, named by the scope of the target.
 *
 * @param isMissing whether a target is known to have no value.
 * @param valueOf the value that a target has now.
 */
export function formOfEach(
  resources: readonly FormResource[],
  targets: readonly BatchTarget[],
  isMissing: (target: string, id: FieldId) => boolean,
  valueOf: (target: string, field: FormField) => CurrentValue,
): FormResource[] {
  return resources.flatMap((resource) =>
    resource.fields.map((field) => ({
      ...resource,
      title: `${resource.title} · ${propertyTitle(field.definition, field.property)}`,
      help: propertyHelp(field.definition),
      fields: targets.map((target): FormField => ({
        ...field,
        id: eachFieldId(target.id, field.locator, field.property),
        isNeeded: false,
        fallback: isMissing(target.id, field.id) ? NO_VALUE : currentOf(valueOf(target.id, field)),
        target: { label: scopeText(target.installation), scope: scopeOf(target) },
      })),
    })),
  )
}

const NO_VALUE: Fallback = { from: 'nothing', view: null }

/** The value that a target has now; undefined if it is not known. */
export type CurrentValue = PropertyView | null | undefined | 'loading'

/** The value that a target keeps without an edit. */
function currentOf(view: CurrentValue): Fallback {
  if (view === undefined) return { from: 'unknown', view: null }
  if (view === 'loading') return { from: 'loading', view: null }
  return view === null ? NO_VALUE : { from: 'current', view }
}

/** The value that all targets keep without an edit; not shown if it differs, or is not known of each. */
export function commonValue(values: readonly CurrentValue[]): Fallback {
  if (values.includes('loading')) return currentOf('loading')
  const [first] = values
  return currentOf(values.every((value) => deepEqual(value, first)) ? first : undefined)
}

/** Whether this is the property that the dialog was opened for, in any bundle environment. */
export const isOf = (given: PropertyPlace | undefined, { locator, property }: FormField): boolean =>
  given?.property === property && resourceOf(given.locator) === resourceOf(locator)

/** A locator without its bundle environment, which each target has of its own. */
const resourceOf = (locator: string): string => locator.slice(locator.indexOf('/'))

/** Kind and name of the resource of a locator. */
export const partOf = (locator: string): string => locator.split('/').slice(2).join('/')

/** The field of a property in a target, whose bundle the target says. */
export const eachFieldId = (target: string, locator: string, property: string): FieldId =>
  fieldId(`${target} ${partOf(locator)}`, property)

/** What was entered, by target. Targets without an edit are left out. */
export function valuesOfEach(
  resources: readonly FormResource[],
  targets: readonly BatchTarget[],
  edits: Edits,
): Record<string, Changes> {
  const entered = targets.map(({ id }) => {
    const own = new Map(
      resources.flatMap(({ fields }) =>
        fields.flatMap((field) => {
          const edit = edits.get(eachFieldId(id, field.locator, field.property))
          return edit === undefined ? [] : [[field.id, edit] as const]
        }),
      ),
    )
    return [id, changesOf(resources, own)] as const
  })
  return Object.fromEntries(entered.filter(([, changes]) => Object.keys(changes).length > 0))
}

/** The form values that a dialog begins with. */
export const initialEdits = (property: BatchProperty | undefined): PropertyFormValues['edits'] =>
  Object.fromEntries(
    [...(property?.edits ?? [])].map(([target, edit]) => [
      eachFieldId(target, property?.locator ?? '', property?.property ?? ''),
      new FormEdit(edit),
    ]),
  )
