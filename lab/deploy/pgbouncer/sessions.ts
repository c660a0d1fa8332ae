import pg from 'pg'
import { migrate } from '#database/migrate.ts'
import { openDatabase } from '#database/pool.ts'
import { clientConfig, fromUrl } from '#database/settings.ts'
import { RUNTIME_MIGRATIONS } from '#runtime/store/migrations.ts'
import { startOwnDatabase } from '../../verification/processes/database.ts'
import type { Violation } from '../../verification/suite.ts'
import type { Programs } from '../debian-programs.ts'
import { MODES, startPooler } from './pooler.ts'
import type { PoolMode } from './pooler.ts'

/**
 * What needs a session of its own, through a PgBouncer in front of a server with another time zone and date style, whose
 * role has no settings: times are read as they are, a migration in transaction mode is refused and leaves no lock, and
 * in session mode it runs.
 */
export async function trySessions(programs: Programs): Promise<Violation[]> {
  const violations: Violation[] = []
  for (const mode of MODES) violations.push(...(await tryMode(programs, mode)))
  return violations
}

async function tryMode(programs: Programs, mode: PoolMode): Promise<Violation[]> {
  const own = await startOwnDatabase()
  const server = new pg.Client(clientConfig(own.connection))
  await server.connect()
  const role = pg.escapeIdentifier(own.connection.user)
  await server.query(`alter role ${role} set timezone = 'America/New_York'`)
  await server.query(`alter role ${role} set datestyle = 'SQL, DMY'`)
  const pooler = await startPooler({ programs, database: own.connection, mode })
  const database = openDatabase<object>(fromUrl(pooler.url))
  const seen: string[] = []
  try {
    // several at once, so that a session is used by several connections
    const read = `select timestamptz '2026-03-01T12:00:00Z' as at, pg_sleep(0.05)`
    const times = await Promise.all(
      Array.from({ length: 30 }, () =>
        database.pool.query<{ at: string }>(read).then(({ rows }) => rows[0]?.at ?? 'nothing', String),
      ),
    )
    const wrong = times.find((at) => at !== '2026-03-01T12:00:00.000Z')
    if (wrong !== undefined) seen.push(`a time is read as ${wrong}`)

    for (const start of [1, 2]) {
      const result = await migrate(database.pool, RUNTIME_MIGRATIONS).then(
        () => 'ran',
        (error: unknown) => String(error),
      )
      const isRight = mode === 'session' ? result === 'ran' : result.includes('DATABASE_DIRECT_URL')
      if (!isRight) seen.push(`migration ${start}: ${result}`)
      const { rows } = await server.query(`select pid from pg_locks where locktype = 'advisory'`)
      if (rows.length > 0) seen.push(`migration ${start} left its lock`)
    }
  } finally {
    await database.close()
    await pooler.stop()
    await server.end()
    await own.stop()
  }
  return seen.map((what) => ({ promise: `sessions through PgBouncer (${mode} mode)`, seen: what }))
}
