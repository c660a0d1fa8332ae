import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'

// The driver hands instants over cut to milliseconds, which would lose rows at the edge of a page; so a cursor holds
// the microseconds that the column has.

/** A timestamptz column as whole microseconds since 1970. */
export function microsecondsOf(column: string): RawBuilder<number> {
  return sql<number>`(extract(epoch from ${sql.ref(column)}) * 1000000)::bigint`
}

/** The opposite: exact for every safe integer. */
export function instantAt(microseconds: number): RawBuilder<string> {
  return sql<string>`(timestamptz 'epoch' + ${microseconds}::float8 * interval '1 microsecond')`
}
