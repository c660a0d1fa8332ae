import type { Configuration, PropertyView } from '#contract/console-api/shapes.ts'
import { DOCUMENT_LIMITS, readJson } from '../../forms/json/parse-json.ts'
import { isHidden, isSet } from '../../forms/property/property-value.ts'
import type { PropertyPlace } from '../../forms/property/property-place.ts'
import type { FileReading } from './file-error.ts'

export const FORMAT = 'bundle-console/configuration'
export const VERSION = 1

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

/** Every value of a configuration; of sensitive ones only that they are set. */
export const valuesOf = ({ resources }: Configuration): FileValue[] =>
  Object.entries(resources).flatMap(([locator, { properties }]) =>
    Object.entries(properties).flatMap(([property, value]) =>
      isSet(value) ? [{ locator, property, value }] : [],
    ),
  )

export const fileNameOf = ({ scope, snapshotVersion }: Configuration, extension: 'json' | 'yaml'): string =>
  `${scope.environmentKey}-${scope.applicationRuntimeId}-${scope.workspaceId}-snapshot-${snapshotVersion}.${extension}`

/** The data in a JSON or YAML file, as its extension says, or why it is refused. */
export async function parseFile(name: string, text: string): Promise<FileReading> {
  if (!/\.ya?ml$/i.test(name)) return readJson(text, DOCUMENT_LIMITS)
  const { readYaml } = await import('./yaml.ts')
  return readYaml(text)
}
