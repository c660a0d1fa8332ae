import { isJsonObject } from './json.ts'

/** The title of a JSON Schema; undefined if it has none, or an empty one. */
export function schemaTitle(schema: unknown): string | undefined {
  const title = isJsonObject(schema) ? schema['title'] : undefined
  return typeof title === 'string' && title !== '' ? title : undefined
}
