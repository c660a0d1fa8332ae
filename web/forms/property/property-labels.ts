import { schemaTitle } from '#contract/json-schema/subschemas.ts'
import { type ResourceKind, parseLocator } from '#contract/protocol/locator.ts'
import { isReferenceKind } from '#contract/protocol/property-kinds.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import type { ConfigurationResource } from '#contract/console-api/shapes.ts'
import { schemaOf, innerKind } from './control-kind.ts'
import type { IconName } from '../../ui/Icon.tsx'
import { compareText } from '../../i18n/compare-text.ts'
import type { Translate } from '../../i18n/use-text.ts'
import { getOwn, isJsonObject, pointerSegments } from '#contract/json-schema/json.ts'
import type { JsonObject, JsonValue } from '#contract/json-schema/json.ts'
import type { Step } from '#contract/json-schema/list-items.ts'
import {
  entriesOf,
  itemsOf,
  membersOf,
  offersEntries,
  variantByConstants,
  variantsOf,
  withoutNull,
} from './schema-parts.ts'

export const kindIcon: Record<ResourceKind, IconName> = {
  MODULE: 'module',
  GATEWAY: 'gateway',
  AGENT: 'agent',
  TIMER: 'timer',
}

/** The label of a property: the title of its schema, or its name; the words of the name for a reference, which has no schema. */
export function propertyTitle(definition: PropertyDefinition | undefined, property: string): string {
  if (definition === undefined) return property
  if (isReferenceKind(definition.kind)) return wordsOf(property)
  return schemaTitle(schemaOf(definition)) ?? property
}

/** `mailGateway` and `mail-gateway` as `Mail gateway`; short forms such as `API` stay. */
export function wordsOf(name: string): string {
  const words = name
    .split(/[-_.\s]+|(?<=\p{Ll}|\p{N})(?=\p{Lu})/u)
    .filter((word) => word !== '')
    .map((word, index) => (index > 0 && /^\p{Lu}\p{Ll}/u.test(word) ? word.toLowerCase() : word))
    .join(' ')
  return words === '' ? name : words.charAt(0).toUpperCase() + words.slice(1)
}

export function propertyHelp(definition: PropertyDefinition): string {
  const { description } = schemaOf(definition)
  return typeof description === 'string' ? description : ''
}

export type PropertyGroup = {
  /** Null: properties without a group. */
  group: string | null
  properties: { name: string; definition: PropertyDefinition }[]
}

/** The properties in the author's arrangement: groups in the order of their first property, properties by `order`. */
export function groupProperties(definitions: Readonly<Record<string, PropertyDefinition>>): PropertyGroup[] {
  const groups = new Map<string | null, PropertyGroup>()
  for (const [name, definition] of Object.entries(definitions)) {
    const group = definition.group ?? null
    const known = groups.get(group) ?? { group, properties: [] }
    known.properties.push({ name, definition })
    groups.set(group, known)
  }
  for (const { properties } of groups.values())
    properties.sort(
      (a, b) =>
        (a.definition.order ?? Number.MAX_SAFE_INTEGER) - (b.definition.order ?? Number.MAX_SAFE_INTEGER) ||
        compareText(a.name, b.name),
    )
  // properties without a group come first, without a heading
  return [...groups.values()].sort((a, b) => Number(a.group !== null) - Number(b.group !== null))
}

/** Nobody exceeds a higher limit by accident, so unless the text names a least length too, only its error mentions it. */
const WORTH_TELLING = 100

/** The limits of a schema as text, shown before anyone exceeds them: "1 to 65,535", "at most 40 characters". */
export function limitsText(definition: PropertyDefinition, t: Translate): string {
  const schema = schemaOf(definition)
  const number = (key: string): number | undefined => {
    const value = schema[key]
    return typeof value === 'number' ? value : undefined
  }
  const parts: string[] = []
  const [minimum, maximum] = [number('minimum'), number('maximum')]
  if (minimum !== undefined && maximum !== undefined)
    parts.push(t('forms.limit.range', { from: minimum, to: maximum }))
  else if (minimum !== undefined) parts.push(t('forms.limit.minimum', { from: minimum }))
  else if (maximum !== undefined) parts.push(t('forms.limit.maximum', { to: maximum }))
  const [above, below] = [number('exclusiveMinimum'), number('exclusiveMaximum')]
  if (above !== undefined) parts.push(t('forms.limit.above', { from: above }))
  if (below !== undefined) parts.push(t('forms.limit.below', { to: below }))
  const [shortest, longest] = [number('minLength'), number('maxLength')]
  if (shortest !== undefined && shortest > 1 && longest !== undefined) {
    parts.push(t('forms.limit.length', { from: shortest, to: longest }))
  } else if (longest !== undefined && longest <= WORTH_TELLING)
    parts.push(t('forms.limit.maxLength', { to: longest }))
  else if (shortest !== undefined && shortest > 1) parts.push(t('forms.limit.minLength', { from: shortest }))
  const [fewest, most] = [number('minItems'), number('maxItems')]
  if (fewest !== undefined && most !== undefined)
    parts.push(t('forms.limit.items', { from: fewest, to: most }))
  else if (most !== undefined) parts.push(t('forms.limit.maxItems', { to: most }))
  else if (fewest !== undefined && fewest > 0) parts.push(t('forms.limit.minItems', { n: fewest }))
  return parts.join(' · ')
}

/** The title of a resource, even if it no longer exists. */
export function resourceTitle(resource: ConfigurationResource | undefined, locator: string): string {
  return resource?.title || (parseLocator(locator)?.name ?? locator)
}

export const bundleIdOf = (locator: string): string => parseLocator(locator)?.bundleId ?? locator

export const resourceName = (locator: string): string => parseLocator(locator)?.name ?? locator

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
