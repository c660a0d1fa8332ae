/** Why a value is refused, and what the sentence names. */
export type ProblemParameters =
  | { reason: 'valueRequired' | 'valueUnknown' | 'valueNotAllowed' | 'valueListTooLong' | 'valueRepeated' }
  | { reason: 'valueRuledOut' | 'valueSchemaInvalid' | 'valueTooLarge' | 'valuesTooCostly' }
  /** The sentence would have to repeat a very long part of the schema. */
  | { reason: 'valuePatternLong' | 'valueConstLong' | 'valueEnumLong' }
  | { reason: 'valueRequiredWith'; name: string }
  /** `types`: type names of JSON Schema, separated by spaces. */
  | { reason: 'valueType'; types: string }
  | { reason: 'valueFormat'; format: string }
  | { reason: 'valueConst'; value: string }
  /** `values`: a JSON array of texts. */
  | { reason: 'valueEnum'; values: string }
  | { reason: 'valuePattern'; pattern: string }
  | { reason: 'valueMask'; mask: string }
  | { reason: 'valueKind'; type: string }
  | { reason: CountReason; n: number }
  | { reason: 'valueMinimum' | 'valueMaximum' | 'valueAbove' | 'valueBelow'; limit: number }
  | { reason: 'valueMultipleOf'; step: number }

type CountReason =
  | 'valueMinLength'
  | 'valueMaxLength'
  | 'valueMinItems'
  | 'valueMaxItems'
  | 'valueMinContains'
  | 'valueMaxContains'
  | 'valueMinProperties'
  | 'valueMaxProperties'
  | 'valueForms'
  | 'valueOneForm'

/**
 * One problem: `path` is a JSON pointer to it, `message` says what is allowed and never repeats the value. `parameters`
 * say the same for other languages, with `about: 'name'` if the sentence is about the name of a property. A problem of
 * a schema has none.
 */
export type Problem = {
  path: string
  keyword: string
  message: string
  parameters?: ProblemParameters & { about?: 'name' }
}
