import { schemaTitle } from '#contract/json-schema/references.ts'
import type { ResourceKind } from '#contract/protocol/locator.ts'
import { isReferenceKind } from '#contract/protocol/property-kinds.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import { schemaOf } from './control-kind.ts'
import type { IconName } from '../../ui/Icon.tsx'
import { compareText } from '../../i18n/compare-text.ts'

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
