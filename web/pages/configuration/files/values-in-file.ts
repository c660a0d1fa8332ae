import * as z from 'zod/mini'
import type { PropertyView } from '#contract/console-api/shapes.ts'
import { isJsonObject } from '#contract/json-schema/json.ts'
import { isReferenceShape } from '../editor/is-reference-shape.ts'
import { FORMAT, VERSION, type FileValue } from './configuration-file.ts'

const File = z.object({
  format: z.literal(FORMAT),
  version: z.literal(VERSION),
  resources: z.record(z.string(), z.record(z.string(), z.unknown())),
})

/** The values of a file; null if it is not a configuration file, or contains something that is not a value. */
export function valuesInFile(content: unknown): FileValue[] | null {
  const { data } = File.safeParse(content)
  if (data === undefined) return null
  const values = Object.entries(data.resources).flatMap(([locator, properties]) =>
    Object.entries(properties).map(([property, value]) =>
      isView(value) ? { locator, property, value } : null,
    ),
  )
  return values.every((value) => value !== null) ? values : null
}

const isView = (value: unknown): value is PropertyView =>
  (isJsonObject(value) && value['@type'] === 'Data' && 'value' in value) || isReferenceShape(value)
