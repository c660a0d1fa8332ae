import * as z from 'zod/mini'
import type { Configuration, PropertyView } from '#contract/console-api/shapes.ts'
import { isJsonObject } from '#contract/json-schema/json.ts'
import { controlKind } from '../../../forms/property/control-kind.ts'
import { isHidden, isSet } from '../../../forms/property/property-value.ts'
import type { PropertyPlace } from '../editor/draft.ts'
import { isReferenceShape } from '../editor/is-reference-shape.ts'

const FORMAT = 'bundle-console/configuration'
const VERSION = 1

export type FileValue = PropertyPlace & { value: PropertyView | null }

/** The content of a file. */
export interface ConfigurationFile {
  format: typeof FORMAT
  version: typeof VERSION
  scope: Configuration['scope']
  snapshotVersion: number
  leftOut: Record<'sensitive' | 'writtenByPlugins', string[]>
  resources: Record<string, Record<string, PropertyView>>
}

/**
 * The saved configuration as the content of a file. Sensitive values are left out and listed; so are values that plugins
 * write.
 */
export function configurationFile(configuration: Configuration): ConfigurationFile {
  const { scope, snapshotVersion, resources } = configuration
  const leftOut: Record<'sensitive' | 'writtenByPlugins', string[]> = { sensitive: [], writtenByPlugins: [] }
  const written: Record<string, Record<string, PropertyView>> = {}
  for (const [locator, { properties, writtenBy }] of Object.entries(resources)) {
    const values: [string, PropertyView][] = []
    for (const [property, view] of Object.entries(properties)) {
      const name = `${locator} ${property}`
      if (isHidden(view)) {
        if (isSet(view)) leftOut.sensitive.push(name)
      } else if (Object.hasOwn(writtenBy, property)) leftOut.writtenByPlugins.push(name)
      else values.push([property, view])
    }
    written[locator] = Object.fromEntries(values)
  }
  return { format: FORMAT, version: VERSION, scope, snapshotVersion, leftOut, resources: written }
}

export const writeJson = (file: ConfigurationFile): string => `${JSON.stringify(file, null, 2)}\n`

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

/**
 * The values of another scope that can be copied: of the same resources, neither sensitive nor written by plugins. A
 * domain is used once in its environment, so domains are copied to other environments only.
 */
export function valuesToCopy(from: Configuration, to: Configuration): FileValue[] {
  const isSameEnvironment = from.scope.environmentKey === to.scope.environmentKey
  return Object.entries(from.resources).flatMap(([locator, { kind, definitions, properties, writtenBy }]) => {
    if (!Object.hasOwn(to.resources, locator)) return []
    return Object.entries(properties).flatMap(([property, value]) => {
      const definition = Object.hasOwn(definitions, property) ? definitions[property] : undefined
      const isDomain = definition !== undefined && controlKind(definition, kind) === 'domain'
      const isLeftOut =
        Object.hasOwn(writtenBy, property) || isHidden(value) || (isDomain && isSameEnvironment)
      return isLeftOut ? [] : [{ locator, property, value }]
    })
  })
}

export const fileNameOf = ({ scope, snapshotVersion }: Configuration, extension: 'json' | 'yaml'): string =>
  `${scope.environmentKey}-${scope.applicationRuntimeId}-${scope.workspaceId}-snapshot-${snapshotVersion}.${extension}`
