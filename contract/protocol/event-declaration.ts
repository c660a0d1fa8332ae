import * as z from 'zod'
import { Key } from './keys.ts'
import { JsonSchema } from './property-definition.ts'

/** An event method that a Module accepts; `method` is one path segment after the service's address. */
export const EventDeclaration = z.strictObject({ method: Key, schema: JsonSchema })
export type EventDeclaration = z.infer<typeof EventDeclaration>
