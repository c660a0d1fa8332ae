import type * as z from 'zod'

// During an upgrade the runtime may be one version newer than the console, and name a state or a reason that the console does not
// know. A page that lists things then shows all others, and says how many are missing.

/** Lists whose entries stand for themselves. What else an answer contains belongs together, and is refused as a whole. */
const LISTS: ReadonlySet<PropertyKey> = new Set([
  'items',
  'causes',
  'claims',
  'nextSteps',
  'buckets',
  'freezes',
  'changeRequests',
])

type Issue = z.core.$ZodIssue
type Fields = Record<string, unknown>

/**
 * The answer of a read without the entries that contain a name which is not in the schema, and their number as `unknownEntries`;
 * null if it has such a name elsewhere, or is a plan.
 *
 * @param issues Of which {@link hasUnknownNames} is true.
 */
export function withoutUnknownEntries(schema: z.ZodType, data: unknown, issues: readonly Issue[]): unknown {
  // the token of a plan confirms all of its entries, so the person must see them all
  if (!isFields(data) || 'planToken' in data) return null
  const unknown = new Map<string, Set<number | string>>()
  for (const issue of issues) {
    const [list = '', entry] = issue.path
    if (typeof list !== 'string') return null
    const found = unknown.get(list) ?? new Set()
    unknown.set(list, found)
    if (LISTS.has(list) && typeof entry === 'number') found.add(entry)
    // counts by name, of the overview
    else if (issue.code === 'unrecognized_keys' && issue.path.length === 1)
      for (const key of issue.keys) found.add(key)
    else return null
  }
  const known = Object.fromEntries([...unknown].map(([list, found]) => [list, without(data[list], found)]))
  const parsed = schema.safeParse({ ...data, ...known })
  const unknownEntries = [...unknown.values()].reduce((sum, { size }) => sum + size, 0)
  return parsed.success ? { ...(parsed.data as Fields), unknownEntries } : null
}

/** Whether nothing else is wrong with an answer than texts that are none of those in the schema: the runtime is newer. */
export const hasUnknownNames = (data: unknown, issues: readonly Issue[]): boolean =>
  issues.every((issue) => isUnknownName(issue, data))

/** Another type than text is an error of the runtime. */
function isUnknownName(issue: Issue, data: unknown, above: readonly PropertyKey[] = []): boolean {
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

const valueAt = (data: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (value, key) => (value as Record<PropertyKey, unknown> | null | undefined)?.[key],
    data,
  )

function without(value: unknown, unknown: ReadonlySet<number | string>): unknown {
  if (Array.isArray(value)) return value.filter((_, index) => !unknown.has(index))
  return Object.fromEntries(Object.entries(value as Fields).filter(([key]) => !unknown.has(key)))
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
