import { parse, parseDocument, stringify } from 'yaml'

// In a separate file, because the library is loaded only for a YAML file.

/** JSON data as YAML, without folded lines, so that a diff shows whole values. */
export const writeYaml = (data: unknown): string =>
  stringify(data, { lineWidth: 0, aliasDuplicateObjects: false })

/** A value that JSON can express without a change. @throws RangeError for NaN, infinity and integers beyond 2^53. */
function exact(value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new RangeError('not a number of JSON')
  if (typeof value !== 'bigint') return value
  if (!Number.isSafeInteger(Number(value))) throw new RangeError('the integer is too large')
  return Number(value)
}

/**
 * The JSON data of a YAML document; undefined if it is not valid. Aliases are refused, because a short document of them
 * can stand for a huge one.
 */
export function readYaml(text: string): unknown {
  try {
    const options = { schema: 'core', maxAliasCount: 0, intAsBigInt: true, logLevel: 'error' } as const
    return JSON.parse(JSON.stringify(parse(text, options), (_key, value: unknown) => exact(value))) as unknown
  } catch {
    return undefined
  }
}

/** Where a text stops being YAML, counted from 1; null if it is valid. */
export function findYamlError(text: string): { line: number; column: number } | null {
  const at = parseDocument(text, { logLevel: 'error' }).errors[0]?.linePos?.[0]
  return at === undefined ? null : { line: at.line, column: at.col }
}
