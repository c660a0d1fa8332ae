import { parseTrustedJson } from '#contract/protocol/strict-json.ts'
import pg from 'pg'

/**
 * Converts PostgreSQL's values; the only parser at this boundary. Passed to each pool, never set globally, so that no
 * other user of `pg` in the process is affected.
 *
 * - `int8` (also `count(*)`) is a number; beyond 2^53 - 1 it throws instead of rounding.
 * - `timestamptz` is an RFC 3339 UTC string with milliseconds, truncated instead of rounded, so that the order is kept.
 * - `timestamp` and `date` remain PostgreSQL's text: the driver would read them in the machine's time zone.
 * - `json` and `jsonb` are parsed, with exactly the keys that they have; `numeric` remains a string, as the driver has it.
 *
 * Requires `TimeZone` UTC and `DateStyle` ISO on the connection, which the pool sets.
 */
export const valueTypes: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') => {
    const parser = format === 'binary' ? undefined : parsers.get(oid)
    return parser ?? pg.types.getTypeParser(oid, format)
  },
}

const oid = {
  json: 114,
  jsonb: 3802,
  int8: 20,
  date: 1082,
  timestamp: 1114,
  timestamptz: 1184,
  textArray: 1009,
}
const arrayOid = { int8: 1016, date: 1182, timestamp: 1115, timestamptz: 1185 }

const text = (value: string) => value

/** Their objects have keys of people and plugins. */
const json = (value: string): unknown => parseTrustedJson(value)

const parsers = new Map<number, (value: string) => unknown>([
  [oid.int8, toSafeInteger],
  [oid.timestamptz, toRfc3339],
  [oid.timestamp, text],
  [oid.date, text],
  [oid.json, json],
  [oid.jsonb, json],
  [arrayOid.int8, arrayOf(toSafeInteger)],
  [arrayOid.timestamptz, arrayOf(toRfc3339)],
  [arrayOid.timestamp, arrayOf(text)],
  [arrayOid.date, arrayOf(text)],
])

/** Throws beyond 2^53 - 1: a rounded sequence number would silently break fencing. */
export function toSafeInteger(value: string): number {
  const number = Number(value)
  if (!Number.isSafeInteger(number))
    throw new RangeError(`the int8 ${value} cannot be represented exactly as a JSON number`)
  return number
}

/** `2026-01-01 00:00:00.123456+00` → `2026-01-01T00:00:00.123Z`. Throws on infinity, years before 1 and after 9999. */
export function toRfc3339(value: string): string {
  const parts = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?\+00$/.exec(value)
  if (!parts)
    throw new RangeError(
      `the timestamptz ${value} is not a UTC time of the years 1 to 9999` +
        (/(?:\+00|infinity| BC)$/.test(value)
          ? ''
          : ': the session does not have the settings TimeZone UTC and DateStyle ISO (docs/operating/postgresql.md#connection-poolers)'),
    )
  return `${parts[1]}T${parts[2]}.${(parts[3] ?? '').slice(0, 3).padEnd(3, '0')}Z`
}

/** A `bytea` inside JSON or text, in either of the server's two output formats. */
export function toBytes(value: string): Buffer {
  return readBytes(value)
}

const readBytes: (value: string) => Buffer = pg.types.getTypeParser(pg.types.builtins.BYTEA, 'text')

type Nested = string | null | Nested[]

function arrayOf(parse: (value: string) => unknown) {
  const read = (item: Nested): unknown =>
    Array.isArray(item) ? item.map(read) : item === null ? null : parse(item)
  // The driver's own reader of text[] handles the quoting; the items are parsed here.
  const readText: (value: string) => Nested = pg.types.getTypeParser(oid.textArray, 'text')
  return (value: string) => read(readText(value))
}
