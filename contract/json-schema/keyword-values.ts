import { isJsonObject } from './json.ts'
import type { JsonValue } from './json.ts'
import { patternCost } from './pattern.ts'

// Apart from `subschemas.ts`: a walk through a schema does not need the analysis of patterns.

const TYPES: readonly string[] = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']

/** Limits how much of a pattern a message repeats. */
const SHOWN_MAX = 200

/** Returns what is wrong with a keyword's value, or null. */
type Rule = (held: JsonValue) => string | null

const must =
  (holds: (held: JsonValue) => boolean, message: string): Rule =>
  (held) =>
    holds(held) ? null : message

const never =
  (message: string): Rule =>
  () =>
    message

const isString = (held: JsonValue): boolean => typeof held === 'string'
const isCount = (held: JsonValue): boolean =>
  typeof held === 'number' && Number.isSafeInteger(held) && held >= 0
const isNameList = (held: JsonValue): boolean =>
  Array.isArray(held) && held.every(isString) && new Set(held).size === held.length

const text = must(isString, 'Must be text')
const count = must(isCount, 'Must be a whole number, 0 or more')
const number = must((held) => typeof held === 'number', 'Must be a number')
const yesOrNo = must((held) => typeof held === 'boolean', 'Must be true or false')
const nameList = must(isNameList, 'Must be a list of different names')
const notSupported = never('Is not supported')

const schemaList = must(
  (held) => Array.isArray(held) && held.length > 0,
  'Must be a list of at least one schema',
)
const schemaMap = must(isJsonObject, 'Must be an object of schemas')

const types = must(
  (held) => (Array.isArray(held) ? held.length > 0 && isNameList(held) && held.every(isType) : isType(held)),
  `Must be one, or a list of different ones, of ${TYPES.join(', ')}`,
)
const isType = (held: JsonValue): boolean => typeof held === 'string' && TYPES.includes(held)

const pattern: Rule = (held) => {
  if (typeof held !== 'string') return 'Must be text'
  const cost = patternCost(held)
  return cost.usable ? null : cost.problem
}

const DRAFT = 'https://json-schema.org/draft/2020-12/schema'

/** A rule for every keyword whose value is not simply a schema; an unlisted keyword is only an annotation. */
const RULES: Readonly<Record<string, Rule>> = {
  $schema: must((held) => held === DRAFT || held === `${DRAFT}#`, `Must be ${DRAFT}`),
  $id: text,
  $comment: text,
  $anchor: must(
    (held) => typeof held === 'string' && /^[A-Za-z_][A-Za-z0-9._-]*$/.test(held),
    'Must begin with a letter or _ and hold only letters, digits and . _ -',
  ),
  $ref: text,
  $dynamicRef: notSupported,
  $dynamicAnchor: notSupported,
  $vocabulary: notSupported,
  $recursiveRef: never('Is not of 2020-12: use $ref'),
  $recursiveAnchor: never('Is not of 2020-12: use $anchor'),
  additionalItems: never('Is not of 2020-12: use prefixItems and items'),
  dependencies: never('Is not of 2020-12: use dependentRequired or dependentSchemas'),
  $defs: schemaMap,
  definitions: schemaMap,
  properties: schemaMap,
  dependentSchemas: schemaMap,
  patternProperties: (held) => {
    if (!isJsonObject(held)) return 'Must be an object of schemas'
    // The length of a name cannot be limited first, so only patterns that need no limit are allowed here.
    for (const name of Object.keys(held)) {
      const cost = patternCost(name)
      const shown = name.length <= SHOWN_MAX ? `The pattern ${name}` : 'A pattern that is too long to show'
      if (!cost.usable) return `${shown}: ${cost.problem}`
      if (cost.longest < Infinity)
        return `${shown}: begin it with ^ and let no two repetitions match the same text`
    }
    return null
  },
  allOf: schemaList,
  anyOf: schemaList,
  oneOf: schemaList,
  prefixItems: schemaList,
  type: types,
  enum: must((held) => Array.isArray(held) && held.length > 0, 'Must be a list of at least one value'),
  required: nameList,
  dependentRequired: must(
    (held) => isJsonObject(held) && Object.values(held).every(isNameList),
    'Must be an object of lists of different names',
  ),
  minimum: number,
  maximum: number,
  exclusiveMinimum: number,
  exclusiveMaximum: number,
  multipleOf: must((held) => typeof held === 'number' && held > 0, 'Must be a number above 0'),
  minLength: count,
  maxLength: count,
  minItems: count,
  maxItems: count,
  minContains: count,
  maxContains: count,
  minProperties: count,
  maxProperties: count,
  uniqueItems: yesOrNo,
  pattern,
  format: text,
  title: text,
  description: text,
  examples: must(Array.isArray, 'Must be a list'),
  deprecated: yesOrNo,
  readOnly: yesOrNo,
  writeOnly: yesOrNo,
  contentEncoding: text,
  contentMediaType: text,
}

/** Returns what is wrong with the value of one keyword, not counting the schemas in it. */
export const problemOfKeyword = (keyword: string, held: JsonValue): string | null =>
  Object.hasOwn(RULES, keyword) ? (RULES[keyword]?.(held) ?? null) : null
