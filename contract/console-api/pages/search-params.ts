import { DURATION } from '#contract/runtime-api/moment.ts'

/**
 * Small readers for search parameters. An address may hold anything that somebody typed or pasted: what is not
 * understood is left out here, and named by `notUnderstood`. A parameter that is not there is no key at all, so addresses stay short.
 */
export type Raw = Record<string, unknown>

/** The length of a text in an address, which is cut. */
export const SEARCH_TEXT_MAX = 512

/** Text, unchanged. The router parses `42` and `true` as values; this converts them back to text. */
export function text(raw: Raw, key: string): string | undefined {
  const value = raw[key]
  if (typeof value === 'string') return value === '' ? undefined : value.slice(0, SEARCH_TEXT_MAX)
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
}

export function oneOf<const Value extends string>(
  raw: Raw,
  key: string,
  known: readonly Value[],
): Value | undefined {
  return known.find((value) => value === raw[key])
}

/** `FAILED,WAITING`: known names, separated by commas, as the APIs take them. A repeated parameter means the same. */
export function someOf<const Value extends string>(
  raw: Raw,
  key: string,
  known: readonly Value[],
): string | undefined {
  const names = namesIn(raw[key])
  const understood = known.filter((value) => names.includes(value))
  return understood.length === 0 ? undefined : understood.join(',')
}

/** A whole number in its one spelling: not `007`, `1e3`, or more digits than a number holds. */
export function whole(raw: Raw, key: string): number | undefined {
  const value = raw[key]
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  return WHOLE.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : undefined
}
const WHOLE = /^(?:0|[1-9]\d{0,15})$/

/** A point in time, as the pages write it: `2026-11-22T08:00:00.000Z`. */
export function time(raw: Raw, key: string): string | undefined {
  const value = text(raw, key)
  return value !== undefined && TIME.test(value) && !Number.isNaN(Date.parse(value)) ? value : undefined
}
/** A point in time, or a duration before now: `PT24H`, `P7D`. */
export function moment(raw: Raw, key: string): string | undefined {
  const value = text(raw, key)
  return value !== undefined && DURATION.test(value) ? value : time(raw, key)
}
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

const namesIn = (value: unknown): string[] =>
  [value].flat().flatMap((part) => (typeof part === 'string' ? part.split(',') : []))

/** Added to links by other systems; they filter nothing. */
const FOREIGN = /^(?:utm_\w+|gclid|fbclid|msclkid|mc_[ce]id|atlOrigin|_ga|_gl)$/

/**
 * The parameters of an address that a page does not understand, as name and value: unknown ones, and values that it reads in
 * another way than they were written. A page that ignored them would show more than the address says.
 *
 * @param searchOf reads the parameters of the page.
 * @param filters of these parameters.
 */
export function notUnderstood(
  searchOf: (raw: Raw) => object,
  raw: Raw,
  filters: 'all' | readonly string[] = 'all',
): { name: string; value: string }[] {
  const known = new Set<string>()
  searchOf(new Proxy<Raw>({}, { get: (_, name) => void (typeof name === 'string' && known.add(name)) }))
  const understood: Raw = { ...searchOf(raw) }
  return Object.entries(raw).flatMap(([name, value]) => {
    const isAsked = filters === 'all' ? known.has(name) || !FOREIGN.test(name) : filters.includes(name)
    const isEmpty = value === undefined || value === null || [value].flat().every((part) => part === '')
    if (!isAsked || (isEmpty && known.has(name))) return []
    const isSame =
      known.has(name) && understood[name] !== undefined && namesOf(understood[name]) === namesOf(value)
    return isSame ? [] : [{ name, value: [value].flat().map(String).join(', ') }]
  })
}

/** A list of names means the same in any order, and with a name twice. */
const namesOf = (value: unknown): string =>
  [...new Set([value].flat().map(String).join(',').split(','))].toSorted().join(',')

/**
 * What a route reads from an address: the parameters that its page understands, and unchanged those that it does not, so that
 * the page can name them.
 */
export const keepNotUnderstood =
  <Search extends object>(searchOf: (raw: Raw) => Search, filters: 'all' | readonly string[] = 'all') =>
  (raw: Raw): Search => {
    const others = notUnderstood(searchOf, raw, filters).map(({ name }) => [name, raw[name]] as const)
    return { ...searchOf(raw), ...Object.fromEntries(others) }
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

/** The parameters of an address as the router reads them. A repeated one is a list. */
export function rawSearch(params: Iterable<readonly [string, string]>): Raw {
  const values = new Map<string, string | string[]>()
  for (const [key, value] of params) {
    const known = values.get(key)
    values.set(key, known === undefined ? value : [known, value].flat())
  }
  return Object.fromEntries(values)
}
