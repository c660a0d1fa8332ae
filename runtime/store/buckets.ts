import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'

export type Bucket = 'minute' | 'hour' | 'day'

/**
 * The start of the UTC minute, hour or day that contains a time. All buckets have a fixed length, so arithmetic is
 * enough: `date_trunc` looks up the time zone for each row, which is slow for tens of thousands of rows.
 */
export function bucketOf(bucket: Bucket, column: string): RawBuilder<string> {
  return sql<string>`date_bin(${`1 ${bucket}`}::interval, ${sql.ref(column)}, '0001-01-01T00:00:00Z'::timestamptz)`
}
