import { parseJson } from '../../../forms/fields/parse-json.ts'

/** The data in a JSON or YAML file, by the ending of its name; undefined if it is not valid. */
export async function parseFile(name: string, text: string): Promise<unknown> {
  if (!/\.ya?ml$/i.test(name)) return parseJson(text)
  const { readYaml } = await import('./yaml.ts')
  return readYaml(text)
}
