import * as z from 'zod/mini'
import type { PropertyView } from '#contract/console-api/shapes.ts'
import { isJsonObject } from '#contract/json-schema/json.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { placeOf, type PropertyPlace } from '../../forms/property/property-place.ts'
import { isReferenceShape } from '../../forms/property/property-value.ts'
import { FORMAT, VERSION, type FileValue } from './configuration-file.ts'

const File = z.object({
  format: z.literal(FORMAT),
  version: z.literal(VERSION),
  scope: z.optional(z.unknown()),
  leftOut: z.optional(z.unknown()),
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

const Origin = z.object({
  environmentKey: z.string(),
  applicationRuntimeId: z.string(),
  workspaceId: z.number(),
})

/** The scope that a file says it comes from; null if it does not say. */
export const originOf = (content: unknown): Scope | null =>
  Origin.safeParse(File.safeParse(content).data?.scope).data ?? null

const LeftOut = z.object({ sensitive: z.array(z.string()), writtenByPlugins: z.array(z.string()) })

/** What a file says that it does not contain. */
export function leftOutOf(content: unknown): Record<'sensitive' | 'plugin', PropertyPlace[]> {
  const { data } = LeftOut.safeParse(File.safeParse(content).data?.leftOut)
  const places = (names: readonly string[] = []) => names.map(placeOf).filter((place) => place !== null)
  return { sensitive: places(data?.sensitive), plugin: places(data?.writtenByPlugins) }
}

const isView = (value: unknown): value is PropertyView =>
  (isJsonObject(value) && value['@type'] === 'Data' && 'value' in value) || isReferenceShape(value)
