/** The fields of a schedule in order: their ranges, and the names that are allowed instead of numbers. */
const FIELDS = [
  { from: 0, to: 59, names: [] },
  { from: 0, to: 23, names: [] },
  { from: 1, to: 31, names: [] },
  {
    from: 1,
    to: 12,
    names: ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'],
  },
  // 0 and 7 are Sunday
  { from: 0, to: 7, names: ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'] },
] as const

type Field = (typeof FIELDS)[number]

/** The days of each month in a leap year, so that 29 February is allowed. */
const MONTH_DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

const STEPPED = /^([^/]*)(?:\/(\d{1,2}))?$/

/** Why a text is not a schedule. */
export type CronFault = 'fields' | 'signs' | 'step' | 'value' | 'days' | 'never'

/**
 * Whether a text is a schedule of five cron fields (minute, hour, day of month, month, day of week) that runs at all. A
 * field is `*`, a number, a name (`MON`, `JAN`) or a range; `*` and ranges may have a step; or a list of these.
 */
export const isSchedule = (text: string): boolean => cronFault(text) === null

/**
 * Why a text is not a schedule; null if it is one. What plugins read differently is refused: `L`, `W`, `#` and `?`; a step
 * without a range (`5/15`); and a day of month and a day of week that are both limited, if one of them begins with `*`,
 * because some programs run such a schedule on either day and others only on both. 30 February never comes.
 */
export function cronFault(text: string): CronFault | null {
  // a plugin writes the text into one line of a file, and a non-breaking space belongs to its word there
  const parts = text.replace(/^[ \t]+|[ \t]+$/g, '').split(/[ \t]+/)
  if (parts.length !== FIELDS.length || parts.some((part) => /\s/.test(part))) return 'fields'
  const values = FIELDS.map((field, index) => valuesIn(parts[index] ?? '', field))
  if (parts.some((part) => /[LW#?]/i.test(part.replaceAll(/[A-Z]{3}/gi, '')))) return 'signs'
  if (parts.some((part) => /(?:^|,)[^*,/-]+\//.test(part))) return 'step'
  const [, , days, months] = values
  if (values.includes(null) || !days || !months) return 'value'
  const limited = [parts[2] ?? '', parts[4] ?? ''].filter((part) => part !== '*')
  if (limited.length === 2 && limited.some((part) => part.startsWith('*'))) return 'days'
  // where days of the week are named too, a schedule runs on either
  if (parts[4] !== '*') return null
  return [...months].some((month) => [...days].some((day) => day <= (MONTH_DAYS[month - 1] ?? 0)))
    ? null
    : 'never'
}

/** The values that a field selects; null if it is not valid. */
function valuesIn(text: string, field: Field): ReadonlySet<number> | null {
  const values = new Set<number>()
  for (const item of text.split(',')) {
    const [, range = '', stepText] = STEPPED.exec(item) ?? []
    const bounds = boundsOf(range, field)
    const step = Number(stepText ?? 1)
    // a step needs something to step through
    const isStepped = stepText === undefined || range === '*' || range.includes('-')
    if (bounds === null || !isStepped || step < 1 || step > field.to) return null
    for (let value = bounds[0]; value <= bounds[1]; value += step) values.add(value)
  }
  return values
}

function boundsOf(range: string, field: Field): [first: number, last: number] | null {
  if (range === '*') return [field.from, field.to]
  const [first, last = first, ...more] = range.split('-').map((text) => numberOf(text, field))
  if (first == null || last == null || more.length > 0 || first > last) return null
  return [first, last]
}

function numberOf(text: string, { from, to, names }: Field): number | null {
  const named = (names as readonly string[]).indexOf(text.toUpperCase())
  if (named !== -1) return named + from
  const number = Number(text)
  return /^\d{1,2}$/.test(text) && number >= from && number <= to ? number : null
}
