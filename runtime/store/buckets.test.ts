import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { testRuntime } from '../testing/runtime.ts'
import type { TestRuntime } from '../testing/runtime.ts'
import { bucketOf } from './buckets.ts'

describe('a time bucket', () => {
  let runtime: TestRuntime
  before(async () => {
    runtime = await testRuntime()
  })
  after(() => runtime.close())

  for (const bucket of ['minute', 'hour', 'day'] as const) {
    it(`of a ${bucket} starts with the UTC ${bucket}, whatever the time zone of the session`, async () => {
      await runtime.db.transaction().execute(async (tx) => {
        await sql`set local time zone 'Europe/Berlin'`.execute(tx)
        // covers leap days, ends of centuries, clock changes and the exact starts of buckets
        const { rows } = await sql<{ times: number; wrong: number }>`
          select count(*) as times,
            count(*) filter (where ${bucketOf(bucket, 'given.at')} <> date_trunc(${bucket}, given.at, 'UTC')) as wrong
          from (
            select at from generate_series('1899-12-30T00:00Z'::timestamptz, '2101-01-02T00:00Z', interval '37 days 23:59:59.999999') at
            union all
            select day + around from generate_series('1999-12-25T00:00Z'::timestamptz, '2028-03-31T00:00Z', interval '24 hours') day,
              unnest(array['0', '-1 microsecond', '1 microsecond', '1 hour', '90 minutes']::interval[]) around
          ) as given`.execute(tx)
        assert.ok((rows[0]?.times ?? 0) > 50_000)
        assert.equal(rows[0]?.wrong, 0)
      })
    })
  }
})
