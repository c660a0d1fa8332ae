import { getOwn, isJsonObject, pointerSegments } from '#contract/json-schema/json.ts'
import type { JsonObject, JsonValue } from '#contract/json-schema/json.ts'
import type { Step } from '#contract/json-schema/list-items.ts'
import type { Translate } from '../../i18n/use-text.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import { innerKind, schemaOf } from './control-kind.ts'
import {
  entriesOf,
  itemsOf,
  membersOf,
  offersEntries,
  variantByConstants,
  variantsOf,
  withoutNull,
} from './schema-parts.ts'

/** A value, and the schema that it should satisfy. */
interface Place {
  schema: JsonObject
  value: JsonValue | undefined
}

/** A member, an item or an entry by its schema. */
interface Part {
  schema: JsonObject
  kind: 'member' | 'item' | 'entry'
}

/** A place inside a value by the titles of its schema: `/address/lines/0` as `Address › Lines › Item 1`. */
export const titledPath = (whole: Place, pointer: string, t: Translate): string =>
  titledSteps(whole, pointerSegments(pointer), t)

/** The same for the steps of a merge or a diff: an item with a key is called by it. */
export function titledSteps(whole: Place, steps: readonly Step[], t: Translate): string {
  let place = whole
  const names = steps.map((step) => {
    const isItem = typeof step !== 'string'
    const segment = isItem ? String(step.position - 1) : step
    const part = partOf(place, segment)
    place = { schema: part?.schema ?? {}, value: valueInside(place.value, segment) }
    if (isItem && step.key !== null) return step.key
    if (isItem || part?.kind === 'item') return t('forms.list.item', { n: Number(segment) + 1 })
    // the values of a map have one title, and keys of their own
    return part?.kind === 'member' && typeof part.schema['title'] === 'string'
      ? part.schema['title']
      : segment
  })
  return names.join(' › ')
}

/** The same for values of one property. */
export const placeNamer =
  (definition: PropertyDefinition | undefined, t: Translate) =>
  (steps: readonly Step[], value: JsonValue | undefined): string =>
    titledSteps({ schema: definition === undefined ? {} : schemaOf(definition), value }, steps, t)

/**
 * The part with a name; of several variants, that of the one whose constants the value has, or else of the first that has
 * it. Lists show titles too, and must not load the check of values.
 */
function partOf({ schema, value }: Place, segment: string): Part | null {
  const inner = withoutNull(schema) ?? schema
  const member = membersOf(inner)?.find(({ name }) => name === segment)
  if (member !== undefined) return { schema: member.schema, kind: 'member' }
  const items = innerKind(inner) === 'list' ? itemsOf(inner) : null
  if (items !== null && /^\d+$/.test(segment)) return { schema: items, kind: 'item' }
  const entries = innerKind(inner) === 'map' || offersEntries(inner) ? entriesOf(inner) : null
  if (entries !== null) return { schema: entries, kind: 'entry' }
  const variants = variantsOf(inner) ?? []
  const shown = variants[variantByConstants(variants, value)]
  for (const variant of shown === undefined ? variants : [shown, ...variants]) {
    const part = partOf({ schema: variant, value }, segment)
    if (part !== null) return part
  }
  return null
}

function valueInside(value: JsonValue | undefined, segment: string): JsonValue | undefined {
  if (Array.isArray(value)) return value[Number(segment)]
  return isJsonObject(value) ? getOwn(value, segment) : undefined
}
