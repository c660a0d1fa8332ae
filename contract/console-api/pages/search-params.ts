/**
 * Small readers for search parameters. An address may hold anything that somebody typed or pasted: what is not
 * understood is left out, never an error. A parameter that is not there is no key at all, so addresses stay short.
 */
export type Raw = Record<string, unknown>

/** Text, unchanged. The router parses `42` and `true` as values; this converts them back to text. */
export function text(raw: Raw, key: string): string | undefined {
  const value = raw[key]
  if (typeof value === 'string') return value === '' ? undefined : value.slice(0, 512)
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
}

export function oneOf<const Value extends string>(
  raw: Raw,
  key: string,
  known: readonly Value[],
): Value | undefined {
  return known.find((value) => value === raw[key])
}

/** `FAILED,WAITING`: known names, separated by commas, as the APIs take them. */
export function someOf<const Value extends string>(
  raw: Raw,
  key: string,
  known: readonly Value[],
): string | undefined {
  const names = text(raw, key)?.split(',') ?? []
  const understood = known.filter((value) => names.includes(value))
  return understood.length === 0 ? undefined : understood.join(',')
}

export function whole(raw: Raw, key: string): number | undefined {
  const value = Number(raw[key] ?? Number.NaN)
  return Number.isSafeInteger(value) && value >= 0 ? value : undefined
}

/** Leaves out what is undefined. */
export function omitUndefined<Search extends object>(
  search: Search,
): { [Key in keyof Search]?: Exclude<Search[Key], undefined> } {
  const entries = Object.entries(search).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as { [Key in keyof Search]?: Exclude<Search[Key], undefined> }
}

/** What a filter hands on: undefined takes a parameter away. */
export type SearchChange<Search> = { [Key in keyof Search]?: Search[Key] | undefined }

/** The parameters of an address as the router reads them. A repeated one is a list, which no page understands. */
export function rawSearch(params: Iterable<readonly [string, string]>): Raw {
  const values = new Map<string, string | string[]>()
  for (const [key, value] of params) {
    const known = values.get(key)
    values.set(key, known === undefined ? value : [known, value].flat())
  }
  return Object.fromEntries(values)
}
