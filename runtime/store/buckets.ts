import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'

export type Bucket = 'minute' | 'hour' | 'day'

/**
 * The beginning of the UTC minute, hour or day that a time is in. All of them are of one length, so this is arithmetic:
 * `date_trunc` looks the time zone up for each row, which is dear for ten thousands of them.
 */
export function bucketOf(bucket: Bucket, column: string): RawBuilder<string> {
  return sql<string>`date_bin(${`1 ${bucket}`}::interval, ${sql.ref(column)}, '0001-01-01T00:00:00Z'::timestamptz)`
}
