import { parseJson } from '../../../forms/fields/parse-json.ts'
import { findSyntaxError } from '../../../forms/property/json-syntax.ts'

const isYaml = (name: string): boolean => /\.ya?ml$/i.test(name)

/** The data in a JSON or YAML file, as its extension says; undefined if the file is not valid. */
export async function parseFile(name: string, text: string): Promise<unknown> {
  if (!isYaml(name)) return parseJson(text)
  const { readYaml } = await import('./yaml.ts')
  return readYaml(text)
}

/** The position of the first syntax error in a JSON or YAML file, counted from 1; null if it is valid. */
export async function findFileError(
  name: string,
  text: string,
): Promise<{ line: number; column: number } | null> {
  if (!isYaml(name)) return parseJson(text) === undefined ? findSyntaxError(text) : null
  const { findYamlError } = await import('./yaml.ts')
  return findYamlError(text)
}
