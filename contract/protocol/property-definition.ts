import * as z from 'zod'
import { isJsonObject, isJsonValue } from '../json-schema/json.ts'
import type { JsonObject } from '../json-schema/json.ts'
import { Json } from './keys.ts'
import { GROUP_MAX } from './limits.ts'
import { isReferenceKind, needsSchema, PROPERTY_KINDS } from './property-kinds.ts'

/** A JSON Schema 2020-12 as written; `checkSchema` checks whether it can be used. */
export const JsonSchema = z
  .unknown()
  .refine(
    (value) => typeof value === 'boolean' || (isJsonObject(value) && isJsonValue(value)),
    'Must be a JSON Schema: an object, true or false',
  )
  .meta({ type: ['object', 'boolean'] }) as unknown as z.ZodType<JsonObject | boolean, JsonObject | boolean>
export type JsonSchema = z.infer<typeof JsonSchema>

/**
 * What a property may contain and where the console shows it. `schema` is required for DATA and forbidden otherwise;
 * `default`, the business value that INSTALL uses if none is given, is only for business values.
 */
export const PropertyDefinition = z
  .strictObject({
    kind: z.enum(PROPERTY_KINDS, `Must be one of ${PROPERTY_KINDS.join(', ')}`),
    schema: JsonSchema.optional(),
    isSensitive: z.boolean().optional(),
    required: z.boolean().optional(),
    default: Json.optional(),
    group: z
      .string()
      .min(1, 'Must not be empty')
      .max(GROUP_MAX, `Must be at most ${GROUP_MAX} characters`)
      .optional(),
    order: z.number().int('Must be a whole number').optional(),
  })
  .superRefine((definition, context) => {
    const refuse = (field: string, message: string): void =>
      context.addIssue({ code: 'custom', path: [field], message })
    const hasSchema = definition.schema !== undefined
    if (needsSchema(definition.kind) && !hasSchema) refuse('schema', 'Is required for DATA')
    if (!needsSchema(definition.kind) && hasSchema) refuse('schema', 'Is only for DATA')
    if (!isReferenceKind(definition.kind)) return
    if (definition.default !== undefined) refuse('default', 'Is only for DATA')
    if (definition.isSensitive === true)
      refuse('isSensitive', 'Is only for DATA: a reference holds no secret')
  })
export type PropertyDefinition = z.infer<typeof PropertyDefinition>
