import pg from 'pg'

/**
 * How PostgreSQL's values become ours: the one parser at the edge. Given to each pool, never set globally, so that no
 * other user of `pg` in the process is changed.
 *
 * - `int8` (also `count(*)`) is a number; beyond 2^53 - 1 it throws rather than round.
 * - `timestamptz` is an RFC 3339 UTC string with milliseconds, cut, not rounded, so that order stays.
 * - `timestamp` and `date` stay PostgreSQL's text: the driver would read them in the machine's own time zone.
 * - `json` and `jsonb` are parsed, `numeric` stays a string: the driver's defaults.
 *
 * Needs `TimeZone` UTC and `DateStyle` ISO on the connection, which the pool sets.
 */
export const valueTypes: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') => {
    const own = format === 'binary' ? undefined : parsers.get(oid)
    return own ?? pg.types.getTypeParser(oid, format)
  },
}

const oid = { int8: 20, date: 1082, timestamp: 1114, timestamptz: 1184, textArray: 1009 }
const arrayOid = { int8: 1016, date: 1182, timestamp: 1115, timestamptz: 1185 }

const text = (value: string) => value

const parsers = new Map<number, (value: string) => unknown>([
  [oid.int8, toSafeInteger],
  [oid.timestamptz, toRfc3339],
  [oid.timestamp, text],
  [oid.date, text],
  [arrayOid.int8, arrayOf(toSafeInteger)],
  [arrayOid.timestamptz, arrayOf(toRfc3339)],
  [arrayOid.timestamp, arrayOf(text)],
  [arrayOid.date, arrayOf(text)],
])

/** Throws beyond 2^53 - 1: a rounded sequence number would fence wrongly without a word. */
export function toSafeInteger(value: string): number {
  const number = Number(value)
  if (!Number.isSafeInteger(number))
    throw new RangeError(`the int8 ${value} does not fit a JSON number exactly`)
  return number
}

/** `2026-01-01 00:00:00.123456+00` → `2026-01-01T00:00:00.123Z`. Throws on infinity, years before 1 and after 9999. */
export function toRfc3339(value: string): string {
  const parts = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?\+00$/.exec(value)
  if (!parts) throw new RangeError(`the timestamptz ${value} is no UTC time of the years 1 to 9999`)
  return `${parts[1]}T${parts[2]}.${(parts[3] ?? '').slice(0, 3).padEnd(3, '0')}Z`
}

/** A `bytea` as it stands in JSON or in text, in whichever of its two formats the server was set to. */
export function toBytes(value: string): Buffer {
  return readBytes(value)
}

const readBytes: (value: string) => Buffer = pg.types.getTypeParser(pg.types.builtins.BYTEA, 'text')

type Nested = string | null | Nested[]

function arrayOf(parse: (value: string) => unknown) {
  const read = (item: Nested): unknown =>
    Array.isArray(item) ? item.map(read) : item === null ? null : parse(item)
  // The driver's own reader of text[] knows the quoting; what is inside is ours.
  const readText: (value: string) => Nested = pg.types.getTypeParser(oid.textArray, 'text')
  return (value: string) => read(readText(value))
}
