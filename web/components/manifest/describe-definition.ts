import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import { choicesOf, schemaOf } from '../../forms/property/control-kind.ts'
import { limitsText } from '../../forms/property/limits-text.ts'
import { joinClauses, joinList } from '../../i18n/punctuation.ts'
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
  if (definition.kind !== 'DATA') return t(`catalog.type.${definition.kind}`)
  const limits = limitsText(definition, t)
  return joinClauses(t, [typeText(definition, t), limits])
}

function typeText(definition: PropertyDefinition, t: Translate): string {
  const schema = schemaOf(definition)
  const choices = choicesOf(schema)
  if (choices !== null) {
    const shown = choices.slice(0, MAX_CHOICES).map(({ title }) => title)
    return t('catalog.type.choice', {
      choices: joinList(t, [...shown, ...(choices.length > MAX_CHOICES ? ['…'] : [])]),
    })
  }
  const { type, format } = schema
  if (type === 'string' && typeof format === 'string') return t('catalog.type.format', { format })
  const types = (Array.isArray(type) ? type : [type]).filter(isType)
  return types.length === 0 ? t('catalog.type.any') : types.map((name) => t(TYPES[name])).join(' | ')
}

const isType = (name: unknown): name is keyof typeof TYPES =>
  typeof name === 'string' && Object.hasOwn(TYPES, name)
