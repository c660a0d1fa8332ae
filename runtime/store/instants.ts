import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'

// The driver truncates timestamps to milliseconds, which would skip rows at page boundaries. So a cursor holds the
// microseconds of the column.

/** A timestamptz column as whole microseconds since 1970. */
export function microsecondsOf(column: string): RawBuilder<number> {
  return sql<number>`(extract(epoch from ${sql.ref(column)}) * 1000000)::bigint`
}

/** The inverse of `microsecondsOf`: exact for every safe integer. */
export function instantAt(microseconds: number): RawBuilder<string> {
  return sql<string>`(timestamptz 'epoch' + ${microseconds}::float8 * interval '1 microsecond')`
}
