import { sql } from 'kysely'
import { openDatabase } from '#database/pool.ts'
import type { ConnectionSettings } from '#database/settings.ts'
import { inTransaction } from '#database/transaction.ts'
import type { RuntimeTables } from '#runtime/model/tables.ts'
import type { Tx } from '#runtime/model/db.ts'

// The demo is built in seconds, by real requests. So that its history reads like one of three weeks, everything that it has recorded is
// moved to when it would have happened. This rewrites times that nothing may rewrite, also those of the audit log, so it is done once, in
// the embedded database of a new directory, and only while nobody but the people of the demo has done anything.

/** When a step of the demo happens: on an earlier day, at a time (UTC), or so many minutes ago. */
export type When = { daysAgo: number; time: `${number}:${number}` } | { minutesAgo: number }

interface Mark {
  /** When its steps were really carried out, in milliseconds since 1970. */
  from: number
  to: number
}

/** Notes when each step of the demo was carried out, and when it happens in its history. */
export class DemoDates {
  readonly #marks: Mark[] = []
  readonly #now = Date.now()

  /** The following steps happen at this time, which is later than that of all earlier ones. */
  at(when: When): void {
    const to = 'minutesAgo' in when ? this.#now - when.minutesAgo * 60_000 : this.#onDay(when)
    const before = this.#marks.at(-1)
    if (before !== undefined && to <= before.to)
      throw new Error('The steps of the demo are not in their order')
    this.#marks.push({ from: Date.now(), to })
  }

  marks(): readonly Mark[] {
    return this.#marks
  }

  #onDay({ daysAgo, time }: Extract<When, { time: string }>): number {
    const day = new Date(this.#now - daysAgo * 86_400_000).toISOString().slice(0, 10)
    return Date.parse(`${day}T${time}:00Z`)
  }
}

/** Tables whose times are those of the programs, or must not be earlier than they are. */
const OF_PROGRAMS = [
  'clock',
  'data_key',
  'event',
  'idempotency',
  'migration',
  'operation_counted',
  'operation_total',
  'process_event',
  'retention',
  'sealing_pass',
  'server_identity',
  'signing_key',
]

/**
 * Moves what the demo has recorded to its dates. Does nothing if somebody else has done something, or if an earlier start has built
 * a part of it.
 */
export async function moveToDates(connection: ConnectionSettings, dates: DemoDates): Promise<void> {
  // what happens from now on stays where it is
  const marks = [...dates.marks(), { from: Date.now(), to: Date.now() }]
  const { db, close } = openDatabase<RuntimeTables>(connection, { max: 1 })
  try {
    await inTransaction(db, async (tx) => {
      const { rows: others } = await sql`select from runtime.audit_entry
        where actor_id not like 'demo:%' and actor_id <> 'bundle-runtime'
          or at < to_timestamp(${(marks[0]?.from ?? 0) / 1000}::float8)
        limit 1`.execute(tx)
      if (others.length > 0) return
      // the changes are of times only, and nobody is to be notified of them
      await sql`set local session_replication_role = replica`.execute(tx)
      await sql`alter table runtime.audit_entry disable trigger audit_entry_append_only`.execute(tx)
      await sql`alter table runtime.audit_head disable trigger audit_head_follows`.execute(tx)
      await moveTimes(tx, marks)
      await chainAgain(tx)
      await sql`alter table runtime.audit_head enable always trigger audit_head_follows`.execute(tx)
      await sql`alter table runtime.audit_entry enable always trigger audit_entry_append_only`.execute(tx)
    })
  } finally {
    await close()
  }
}

async function moveTimes(tx: Tx, marks: readonly Mark[]): Promise<void> {
  await sql`create temporary table demo_mark (carried_out timestamptz primary key, shift interval not null) on commit drop`.execute(
    tx,
  )
  for (const { from, to } of marks)
    await sql`insert into demo_mark values (to_timestamp(${from / 1000}::float8),
      make_interval(secs => ${(to - from) / 1000}::float8))`.execute(tx)
  const { rows: columns } = await sql<{ table: string; column: string }>`
    select relname as table, attname as column
    from pg_attribute join pg_class on attrelid = pg_class.oid
    where relnamespace = 'runtime'::regnamespace and relkind = 'r' and atttypid = 'timestamptz'::regtype
      and attnum > 0 and not attisdropped and attgenerated = '' and relname <> all(${OF_PROGRAMS}::text[])`.execute(
    tx,
  )
  for (const [table, of] of Map.groupBy(columns, (one) => one.table)) {
    const moved = of.map(({ column }) => {
      const name = sql.ref(column)
      return sql`${name} = ${name} + coalesce(
        (select shift from demo_mark where carried_out <= ${name} order by carried_out desc limit 1), interval '0')`
    })
    await sql`update ${sql.table(`runtime.${table}`)} set ${sql.join(moved)}`.execute(tx)
  }
  // the completed hours are counted again
  await sql`delete from runtime.operation_total`.execute(tx)
  await sql`update runtime.operation_counted set counted_until = (
    select date_trunc('hour', min(created_at), 'UTC') from runtime.operation)`.execute(tx)
}

/** The hash of an audit entry contains its time. */
async function chainAgain(tx: Tx): Promise<void> {
  await sql`
    do $$
    declare
      entry runtime.audit_entry;
      last bytea := decode(repeat('00', 32), 'hex');
    begin
      for entry in select * from runtime.audit_entry order by sequence loop
        entry.previous_hash := last;
        last := runtime.audit_hash(entry);
        update runtime.audit_entry set previous_hash = entry.previous_hash, hash = last
          where sequence = entry.sequence;
      end loop;
      update runtime.audit_head set hash = last;
    end $$`.execute(tx)
}
