import { isJsonObject } from '../../../../contract/json-schema/json.ts'
import { UsageError } from '../profile.ts'
import { parseJson } from '../wire/read-answer.ts'
import { fetchFromPlugin, type Exchange } from '../wire/send.ts'

const PLACE = '{bundleInstallId}'

/**
 * Reads the business state of an installation from the address in the profile. If the address does not name the
 * installation, only what contains its id counts in lists that contain such ids, and in objects by ids. Lists of
 * objects are sorted: a plugin may read them from a map. Null without an address. Throws a UsageError.
 */
export async function readState(address: string | undefined, bundleInstallId: string): Promise<unknown> {
  if (address === undefined) return null
  const url = address.replaceAll(PLACE, encodeURIComponent(bundleInstallId))
  const isAddress = /^https?:/i.test(url) && URL.canParse(url)
  const response = isAddress ? await fetchThroughRestarts(url, 'GET') : null
  const json = response?.status === 200 ? parseJson(response.body) : undefined
  if (json === undefined)
    throw new UsageError(
      `The state address ${url} of the profile does not return JSON with status 200. Fix it or remove it.`,
    )
  return withoutOrder(address.includes(PLACE) ? json : select(json, bundleInstallId))
}

/** The value with sorted keys, and with its lists of objects sorted by their text. */
function withoutOrder(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(withoutOrder)
    return items.every(isJsonObject) ? items.toSorted((a, b) => compare(textOf(a), textOf(b))) : items
  }
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => compare(a, b))
      .map(([name, item]) => [name, withoutOrder(item)]),
  )
}

const textOf = (value: unknown): string => JSON.stringify(value)
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const TRIES = 4
const FIRST_PAUSE_MS = 100

/** Fetches what the plugin offers for tests. The plugin may be restarting. Null after a few tries. */
export async function fetchThroughRestarts(
  url: string,
  method: 'GET' | 'POST',
): Promise<Exchange['response']> {
  for (let tried = 1, pause = FIRST_PAUSE_MS; ; tried++, pause *= 2) {
    const { response } = await fetchFromPlugin(url, method)
    if (response !== null || tried === TRIES) return response
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
}

/** The beginning of a UUID of version 7: an id of an installation, or one of the plugin's own. */
const UUID_V7 = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/i

/** What belongs to the installation. What has no such id is not separate for each installation, and stays. */
function select(json: unknown, bundleInstallId: string): unknown {
  const isOwn = (item: unknown): boolean => textOf(item).includes(bundleInstallId)
  if (Array.isArray(json)) return UUID_V7.test(textOf(json)) ? json.filter(isOwn) : json
  if (!isJsonObject(json)) return json
  if (Object.hasOwn(json, bundleInstallId)) return json[bundleInstallId]
  const members = Object.entries(json)
  const isById =
    members.some(([name]) => UUID_V7.test(name)) ||
    (members.length > 0 && members.every(([, value]) => namesInstallation(value)))
  return Object.fromEntries(
    // an object by the plugin's own ids names the installation in the values
    isById ? members.filter(isOwn) : members.map(([name, value]) => [name, select(value, bundleInstallId)]),
  )
}

/** Whether the value is an object that names an installation in one of its texts. */
const namesInstallation = (value: unknown): boolean =>
  isJsonObject(value) && Object.values(value).some((item) => typeof item === 'string' && UUID_V7.test(item))

/** How many things the state contains, to see whether something was made twice. */
export const countState = (state: unknown): number => entriesOf(state).length

/** How many of the things in the earlier state are in the later one as they were. */
export function countUnchanged(earlier: unknown, later: unknown): number {
  const left = new Set(entriesOf(later))
  return entriesOf(earlier).filter((entry) => left.has(entry)).length
}

/** Each item of the list, or of the lists in the top object; without a list, each member. As texts that say where it is. */
function entriesOf(state: unknown): string[] {
  if (Array.isArray(state)) return state.map(textOf)
  if (!isJsonObject(state)) return state === null ? [] : [textOf(state)]
  const members = Object.entries(state)
  const lists = members.flatMap(([name, value]) => (Array.isArray(value) ? [{ name, value }] : []))
  return lists.length === 0
    ? members.map(([name, value]) => `${name} ${textOf(value)}`)
    : lists.flatMap(({ name, value }) => value.map((item) => `${name} ${textOf(item)}`))
}

/** A shorter value, such as a small number, occurs in many states by chance. */
const SEEN_MIN = 5

/** Whether the state shows the value as a whole. False for values that are too short to tell. */
export function seenIn(state: unknown, value: unknown): boolean {
  const text = textOf(withoutOrder(value))
  return text.length >= SEEN_MIN && textOf(state).includes(text)
}
