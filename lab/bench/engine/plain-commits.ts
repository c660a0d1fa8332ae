import pg from 'pg'
import { CONCURRENCY } from './operations.ts'

const DURATION_MS = 2_000

/** Commits per second, each of one small row, over as many connections as the worker uses concurrently. */
export async function plainCommits(databaseUrl: string): Promise<number> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: CONCURRENCY })
  await pool.query(
    'create table plain_commit (id bigint generated always as identity primary key, at timestamptz)',
  )
  const end = performance.now() + DURATION_MS
  let commits = 0
  const loop = async (): Promise<void> => {
    while (performance.now() < end) {
      await pool.query('insert into plain_commit (at) values (clock_timestamp())')
      commits++
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, loop))
  await pool.end()
  return commits / (DURATION_MS / 1000)
}
