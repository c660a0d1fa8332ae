import { parse, stringify } from 'yaml'

// In a file of its own, because the library is loaded only for a YAML file.

/** JSON data as YAML, without folded lines, so that a diff shows whole values. */
export const writeYaml = (data: unknown): string =>
  stringify(data, { lineWidth: 0, aliasDuplicateObjects: false })

/**
 * The JSON data of a YAML document; undefined if it is not valid. Aliases are refused, because a short document of them
 * can stand for a huge one.
 */
export function readYaml(text: string): unknown {
  try {
    const data: unknown = parse(text, { schema: 'core', maxAliasCount: 0, logLevel: 'error' })
    // what JSON cannot express, such as NaN, is not valid
    return JSON.parse(JSON.stringify(data)) as unknown
  } catch {
    return undefined
  }
}
