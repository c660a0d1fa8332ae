import * as z from 'zod'
import { isJsonObject } from '#contract/json-schema/json.ts'
import type { JsonObject } from '#contract/json-schema/json.ts'

// During an upgrade the runtime may be one version newer than the console, and name a state or a reason that the console does not
// know. A page that lists things then shows all others, and says that some are missing.

/** Lists whose entries stand for themselves. What else an answer contains belongs together, and is refused as a whole. */
export const LISTS: ReadonlySet<PropertyKey> = new Set([
  'items',
  'causes',
  'claims',
  'nextSteps',
  'buckets',
  'freezes',
  'changeRequests',
])

type Issue = z.core.$ZodIssue
type Path = readonly PropertyKey[]

/**
 * The answer of a read without the entries that contain a name which is not in the schema, and without counts by such names, and the
 * number of both as `unknownEntries`; null if it has such a name elsewhere, or is a plan.
 *
 * @param issues Of which {@link hasUnknownNames} is true.
 */
export function withoutUnknownEntries(schema: z.ZodType, data: unknown, issues: readonly Issue[]): unknown {
  if (!isJsonObject(data) || isPlan(schema)) return null
  const unknown = new Map<string, Path>()
  for (const issue of issues) {
    const found = unknownIn(issue, data)
    if (found === null) return null
    for (const path of found) unknown.set(JSON.stringify(path), path)
  }
  const parsed = schema.safeParse(without(data, [...unknown.values()]))
  return parsed.success ? { ...(parsed.data as JsonObject), unknownEntries: unknown.size } : null
}

/** The token of a plan confirms all of its entries, so the person must see them all. */
export const isPlan = (answer: z.ZodType): boolean =>
  answer instanceof z.ZodObject && 'planToken' in answer.shape

/** What can be left out because of an issue; null if nothing can. */
function unknownIn({ path, ...issue }: Issue, data: JsonObject): readonly Path[] | null {
  const counts = valueAt(data, path)
  // counts by name are left out one by one, wherever they are
  if (
    issue.code === 'unrecognized_keys' &&
    isJsonObject(counts) &&
    issue.keys.every((key) => isCount(counts[key]))
  )
    return issue.keys.map((key) => [...path, key])
  const [list = '', entry] = path
  return LISTS.has(list) && typeof entry === 'number' ? [[list, entry]] : null
}

/** Whether nothing else is wrong with an answer than texts that are none of those in the schema: the runtime is newer. */
export const hasUnknownNames = (data: unknown, issues: readonly Issue[]): boolean =>
  issues.every((issue) => isUnknownName(issue, data))

/** Another type than text is an error of the runtime. */
function isUnknownName(issue: Issue, data: unknown, above: Path = []): boolean {
  const path = [...above, ...issue.path]
  switch (issue.code) {
    case 'unrecognized_keys':
      return true
    case 'invalid_value':
      return typeof valueAt(data, path) === 'string'
    case 'invalid_union':
      // without branches, the name that says which kind of object it is
      return issue.errors.length === 0
        ? typeof valueAt(data, path) === 'string'
        : issue.errors.some((branch) => branch.every((inner) => isUnknownName(inner, data, path)))
    default:
      return false
  }
}

const valueAt = (data: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (value, key) => (value as Record<PropertyKey, unknown> | null | undefined)?.[key],
    data,
  )

/** The value without what is at these paths. */
function without(value: unknown, paths: readonly Path[]): unknown {
  if (paths.length === 0) return value
  const below = (key: PropertyKey) => paths.flatMap(([head, ...rest]) => (head === key ? [rest] : []))
  const kept = <Key extends PropertyKey>(key: Key, item: unknown): [Key, unknown][] => {
    const rests = below(key)
    return rests.some(({ length }) => length === 0) ? [] : [[key, without(item, rests)]]
  }
  if (Array.isArray(value)) return value.flatMap((item, index) => kept(index, item).map(([, left]) => left))
  return Object.fromEntries(Object.entries(value as JsonObject).flatMap(([key, item]) => kept(key, item)))
}

const isCount = (value: unknown): boolean => typeof value === 'number'
