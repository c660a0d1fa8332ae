import pg from 'pg'
import { clientConfig } from '#database/settings.ts'
import type { ConnectionSettings } from '#database/settings.ts'

// The functions with which PostgreSQL reads its clock are replaced in one database, before the schema is created, by ones that
// add an offset. That needs no package and shifts everything that SQL sees.

const REPLACED = ['clock_timestamp', 'statement_timestamp', 'transaction_timestamp', 'now']

const INSTALL = `
  set allow_system_table_mods = on;
  create table public.clock_shift (ms double precision not null);
  insert into public.clock_shift values (0);
  ${REPLACED.map(
    (name) => `
      alter function pg_catalog.${name}() rename to right_${name};
      create function pg_catalog.${name}() returns timestamptz language sql ${name === 'clock_timestamp' ? 'volatile' : 'stable'} as
        $$ select pg_catalog.right_${name}() + (select ms from public.clock_shift) * interval '1 millisecond' $$;`,
  ).join('')}`

/** The clock of one database of PostgreSQL. */
export interface DatabaseClock {
  shift(ms: number): Promise<void>
  close(): Promise<void>
}

/** @param connection an empty database, as its superuser. */
export async function installDatabaseClock(connection: ConnectionSettings): Promise<DatabaseClock> {
  const client = new pg.Client(clientConfig(connection))
  await client.connect()
  await client.query(INSTALL)
  return {
    async shift(ms) {
      await client.query('update public.clock_shift set ms = $1', [ms])
    },
    close: () => client.end(),
  }
}
