import type { JsonValue } from '#contract/json-schema/json.ts'
import type { ResourceKind } from '#contract/protocol/locator.ts'
import { valueSchema } from '#contract/protocol/property-kinds.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import { entriesOf, membersOf, offersEntries, variantsOf, withoutNull, readSchema } from './schema-parts.ts'

interface ControlTraits {
  /** One field, which shows values of one type only. */
  isOneField?: true
  /** A field of text: an empty one is an empty text or none, which the eye cannot tell. */
  isText?: true
  /** An empty field can say that there is no value. */
  hasPlaceholder?: true
  /** A value is chosen and not typed. */
  isChosen?: true
  /** Inside another value, it needs the whole width: the title is above it. */
  isWide?: true
  /** The class of a width that fits its typical content. */
  width?: string
}

/** The controls that edit properties, with all that the forms know of each. `controls/PropertyControl.tsx` has them. */
const CONTROL_TRAITS = {
  text: { isOneField: true, isText: true, hasPlaceholder: true },
  'long-text': { isOneField: true, isText: true, hasPlaceholder: true },
  number: { isOneField: true, hasPlaceholder: true, width: 'max-w-56' },
  switch: { isOneField: true },
  choice: { isOneField: true, isChosen: true, width: 'max-w-80' },
  list: {},
  object: { isWide: true },
  map: { isWide: true },
  variants: { isChosen: true },
  nullable: {},
  json: { isWide: true },
  cron: { isOneField: true, isText: true, hasPlaceholder: true },
  'time-zone': { isOneField: true, isChosen: true, width: 'max-w-80' },
  domain: { isOneField: true, isText: true, hasPlaceholder: true },
  secret: {},
  reference: { isChosen: true },
  'reference-map': {},
  'reference-list': {},
} as const satisfies Readonly<Record<string, ControlTraits>>

export type ControlKind = keyof typeof CONTROL_TRAITS

export const controlTraits = (kind: ControlKind): ControlTraits => CONTROL_TRAITS[kind]

type Schema = { [key: string]: JsonValue }

const LONG_TEXT = 200

/** Selects by kind and schema. Values that no simple control can edit without loss are edited as JSON. */
export function controlKind(definition: PropertyDefinition, resource: ResourceKind): ControlKind {
  switch (definition.kind) {
    case 'SERVICE_REFERENCE':
      return 'reference'
    case 'SERVICE_REFERENCE_MAP':
      return 'reference-map'
    case 'SERVICE_REFERENCE_LIST':
      return 'reference-list'
    case 'DATA':
      return dataControl(schemaOf(definition), definition.isSensitive === true, resource)
  }
}

/** The schema as the forms read it; `true` and `false` contain nothing that a form could show. */
export function schemaOf(definition: PropertyDefinition): Schema {
  const schema = valueSchema(definition)
  return typeof schema === 'object' ? readSchema(schema) : {}
}

/** The choices of a schema that allows only these texts, each with its title if the author gave one. */
export function choicesOf(schema: Schema): { value: string; title: string }[] | null {
  const { enum: values, oneOf } = schema
  if (Array.isArray(values) && values.every((value) => typeof value === 'string')) {
    return values.map((value) => ({ value, title: value }))
  }
  if (!Array.isArray(oneOf) || oneOf.length === 0) return null
  const choices = oneOf.map((item) => {
    const { const: value, title } = isObject(item) ? item : {}
    return typeof value === 'string' ? { value, title: typeof title === 'string' ? title : value } : null
  })
  return choices.every((choice) => choice !== null) ? choices : null
}

function dataControl(schema: Schema, isSensitive: boolean, resource: ResourceKind): ControlKind {
  // a sensitive value is write-only
  if (isSensitive) return 'secret'
  // a reference that stays leads to a schema that is restricted beside it
  if (schema['$ref'] !== undefined) return 'json'
  if (choicesOf(schema) !== null) return 'choice'
  const other = withoutNull(schema)
  if (other !== null) return isShown(other) ? 'nullable' : 'json'
  switch (schema['type']) {
    case 'boolean':
      return 'switch'
    case 'integer':
    case 'number':
      return 'number'
    case 'string':
      return textControl(schema, resource)
    case 'array':
      return schema['prefixItems'] === undefined && schema['items'] !== false ? 'list' : 'json'
    default:
      return objectControl(schema)
  }
}

function objectControl(schema: Schema): ControlKind {
  if (membersOf(schema) !== null) return 'object'
  const { type } = schema
  const isMap =
    entriesOf(schema) !== null && (type === 'object' || (type === undefined && offersEntries(schema)))
  const variants = variantsOf(schema)
  // variants that only restrict the same map are not told apart
  if (variants === null || (isMap && variants.every((variant) => innerKind(variant) === 'map')))
    return isMap ? 'map' : 'json'
  const isVariant = (variant: Schema) => variant['const'] !== undefined || isShown(variant)
  return variants.every(isVariant) ? 'variants' : 'json'
}

/** The control of a value inside another value. */
export const innerKind = (schema: Schema): ControlKind => dataControl(schema, false, 'MODULE')

/** Whether a form can show a value inside another one. */
const isShown = (schema: Schema): boolean => innerKind(schema) !== 'json'

function textControl(schema: Schema, resource: ResourceKind): ControlKind {
  if (schema['format'] === 'cron') return 'cron'
  if (schema['format'] === 'time-zone') return 'time-zone'
  if (schema['format'] === 'hostname' && resource === 'GATEWAY') return 'domain'
  const { maxLength } = schema
  return typeof maxLength === 'number' && maxLength > LONG_TEXT && schema['format'] === undefined
    ? 'long-text'
    : 'text'
}

function isObject(value: JsonValue | undefined): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
