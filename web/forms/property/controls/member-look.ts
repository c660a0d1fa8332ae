import { isJsonObject } from '#contract/json-schema/json.ts'
import type { JsonObject, JsonValue } from '#contract/json-schema/json.ts'
import type { Translate } from '../../../i18n/use-text.ts'
import { controlTraits, innerKind, type ControlKind } from '../control-kind.ts'
import { problemPointers, shownVariant } from '../inner-value.ts'
import { itemsOf, membersOf, variantsOf, withoutNull } from '../schema-parts.ts'

/** Of a list or a choice of forms, whether an item or form may need it; a list of lists is as wide. */
export function isWide(schema: JsonObject): boolean {
  const kind = innerKind(schema)
  if (controlTraits(kind).isWide) return true
  if (kind === 'list') return !isOneField(itemsOf(schema) ?? {})
  if (kind === 'nullable') return isWide(withoutNull(schema) ?? {})
  return kind === 'variants' && (variantsOf(schema) ?? []).some(isWide)
}

const isOneField = (schema: JsonObject): boolean => controlTraits(innerKind(schema)).isOneField === true

const FEW = { members: 4, entries: 8, items: 5 }

/**
 * Whether a member is unfolded at first: what is short is. An object that is not set is folded as soon as it has objects
 * inside, because a schema may contain itself.
 */
export function isShort(schema: JsonObject, value: JsonValue | undefined): boolean {
  switch (innerKind(schema)) {
    case 'object': {
      const members = membersOf(schema) ?? []
      return members.length <= FEW.members && members.every((member) => isOneField(member.schema))
    }
    case 'map':
      return !isJsonObject(value) || Object.keys(value).length <= FEW.entries
    case 'list':
      return !Array.isArray(value) || value.length <= FEW.items
    case 'nullable':
      return value === null || value === undefined || isShort(withoutNull(schema) ?? {}, value)
    case 'variants': {
      const variants = variantsOf(schema) ?? []
      const variant = variants[shownVariant(variants, value)]
      return variant === undefined || isShort(variant, value)
    }
    default:
      return true
  }
}

/** What is in a folded member. */
export function summaryOf(value: JsonValue, t: Translate): string {
  if (value === null) return t('forms.nullable.none')
  if (Array.isArray(value)) return t('forms.fold.items', { n: value.length })
  return isJsonObject(value) ? t('forms.fold.members', { n: Object.keys(value).length }) : ''
}

/** The empty value of a control that has one and that its schema allows, with the name of the button that sets it. */
export function emptyOf(schema: JsonObject) {
  const kind = innerKind(schema)
  const empty = EMPTY.find(({ kinds }) => kinds.includes(kind))
  return empty !== undefined && problemPointers(schema, empty.value).length === 0 ? empty : null
}

const EMPTY: readonly {
  kinds: readonly ControlKind[]
  value: JsonValue
  label: 'forms.member.emptyText' | 'forms.member.emptyList' | 'forms.member.emptyObject'
}[] = [
  { kinds: ['text', 'long-text'], value: '', label: 'forms.member.emptyText' },
  { kinds: ['list'], value: [], label: 'forms.member.emptyList' },
  { kinds: ['object', 'map'], value: {}, label: 'forms.member.emptyObject' },
]
