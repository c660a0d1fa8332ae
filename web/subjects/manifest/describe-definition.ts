import type { JsonObject } from '#contract/json-schema/json.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import { needsSchema } from '#contract/protocol/property-kinds.ts'
import { choicesOf, schemaOf } from '../../forms/property/control-kind.ts'
import { limitsText } from '../../forms/property/property-labels.ts'
import { variantsOf, variantTitle, withoutNull } from '../../forms/property/schema-parts.ts'
import { joinClauses, joinList, joinOr } from '../../i18n/punctuation.ts'
import type { Translate } from '../../i18n/use-text.ts'

const TYPES = {
  string: 'catalog.type.text',
  number: 'catalog.type.number',
  integer: 'catalog.type.integer',
  boolean: 'catalog.type.boolean',
  array: 'catalog.type.array',
  object: 'catalog.type.object',
  null: 'catalog.type.null',
} as const

const MAX_CHOICES = 6

/** The values of a property, in a few words: "whole number, 1 to 65535", "one of starter, team", "a service". */
export function describeDefinition(definition: PropertyDefinition, t: Translate): string {
  if (!needsSchema(definition.kind)) return t(`forms.kind.${definition.kind}`)
  const limits = limitsText(definition, t)
  return joinClauses(t, [typeText(schemaOf(definition), t), limits])
}

function typeText(schema: JsonObject, t: Translate): string {
  const choices = choicesOf(schema)?.map(({ title }) => (title === '' ? t('common.value.emptyText') : title))
  if (choices !== undefined) return choiceText(choices, t)
  const other = withoutNull(schema)
  if (other !== null) return joinOr(t, [typeText(other, t), t(TYPES.null)])
  const { type, format } = schema
  const variants = Array.isArray(type) ? null : variantsOf(schema)
  if (variants !== null)
    return choiceText([...new Set(variants.map((one) => variantTitle(one) ?? typeText(one, t)))], t)
  if (type === 'string' && typeof format === 'string') return t('catalog.type.format', { format })
  const types = (Array.isArray(type) ? type : [type]).filter(isType).map((name) => t(TYPES[name]))
  return types.length === 0 ? t('catalog.type.any') : joinOr(t, types)
}

const choiceText = (choices: readonly string[], t: Translate): string =>
  t('catalog.type.choice', {
    choices: joinList(t, [...choices.slice(0, MAX_CHOICES), ...(choices.length > MAX_CHOICES ? ['…'] : [])]),
  })

const isType = (name: unknown): name is keyof typeof TYPES =>
  typeof name === 'string' && Object.hasOwn(TYPES, name)
