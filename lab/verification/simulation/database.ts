import { createHash } from 'node:crypto'
import pg from 'pg'
import { clientConfig } from '#database/settings.ts'
import { testDatabase } from '#database/testing.ts'
import type { TestDatabase } from '#database/testing.ts'
import { valueTypes } from '#database/values.ts'
import { RUNTIME_MIGRATIONS } from '#runtime/store/migrations.ts'
import { installJournal } from '../invariants/journal.ts'
import type { Reader } from '../invariants/reader.ts'

// A real PostgreSQL with virtual time: the search path puts our own schema first, whose functions replace those that
// read the clock, so the runtime's SQL runs unchanged. One connection serves all processes, one transaction after the
// other, so the order in which statements reach the database is deterministic.

const TIME = `
  create schema sim;
  ${['clock_timestamp', 'statement_timestamp', 'transaction_timestamp', 'now']
    .map(
      (name) => `create function sim.${name}() returns timestamptz language sql stable
        as $$ select pg_catalog.current_setting('sim.now')::timestamptz $$;`,
    )
    .join('\n')}
  do $$
  declare a record;
  begin
    execute format('alter database %I set sim.now = ''2026-01-01 00:00:00Z''', current_database());
    for a in
      select c.oid::regclass as relation, attname
      from pg_catalog.pg_attrdef d
      join pg_catalog.pg_class c on c.oid = d.adrelid
      join pg_catalog.pg_attribute t on t.attrelid = c.oid and t.attnum = d.adnum
      where c.relnamespace = 'runtime'::regnamespace
        and pg_catalog.pg_get_expr(d.adbin, d.adrelid) ~ '(clock_timestamp|now|statement_timestamp)\\(\\)'
    loop
      execute format('alter table %s alter column %I set default sim.clock_timestamp()', a.relation, a.attname);
    end loop;
    -- without vacuum, rows without an ORDER BY are read in the order in which they were written
    for a in select oid::regclass as relation from pg_catalog.pg_class
      where relnamespace = 'runtime'::regnamespace and relkind = 'r'
    loop
      execute format('alter table %s set (autovacuum_enabled = false)', a.relation);
    end loop;
  end $$;
  -- the invariants are checked by scope
  create index on runtime.operation (scope_id);
  create index on runtime.installation (scope_id);
  create index on runtime.event (scope_id);
  create index on runtime.configuration_property (scope_id);`

const OPTIONS = [
  '-c TimeZone=UTC',
  '-c DateStyle=ISO',
  '-c search_path=sim,pg_catalog',
  // a statement always has the same plan, however many rows there are
  '-c enable_seqscan=off',
  '-c enable_hashjoin=off',
  '-c enable_mergejoin=off',
  '-c plan_cache_mode=force_generic_plan',
  '-c jit=off',
]

/** Exclusive use of the connection. */
export interface Session {
  /** Runs one statement immediately. */
  query(text: string, values?: readonly unknown[]): Promise<pg.QueryResult>
  release(): void
}

export class SimulatedDatabase implements Reader {
  readonly connection: TestDatabase['connection']
  private readonly database: TestDatabase
  private readonly client: pg.Client
  private readonly names = new Map<string, string>()
  private busy: Promise<unknown> | null = null
  private time = ''
  private current: Session | null = null
  private readonly queue: ((session: Session) => void)[] = []
  /** How many statements have been run. */
  statements = 0
  /** By how much the clock of the database is ahead of virtual time; a history may change it at any time. */
  shiftMs = 0

  private constructor(database: TestDatabase, client: pg.Client) {
    this.database = database
    this.connection = database.connection
    this.client = client
  }

  static async open(databaseUrl: string): Promise<SimulatedDatabase> {
    const database = await testDatabase({ migrations: [RUNTIME_MIGRATIONS], server: databaseUrl })
    const admin = new pg.Client(clientConfig(database.connection))
    await admin.connect()
    await admin.query(TIME)
    await installJournal(admin)
    await admin.end()
    const options = OPTIONS.join(' ')
    const client = new pg.Client({
      ...clientConfig(database.connection),
      types: valueTypes,
      options,
      pipeline: true,
    })
    client.on('error', () => {})
    await client.connect()
    return new SimulatedDatabase(database, client)
  }

  /** The statement that is running, or null. */
  pendingWork(): Promise<unknown> | null {
    return this.busy
  }

  /** Exclusive use of the connection, in the order of the requests. */
  acquire(): Promise<Session> {
    return new Promise((resolve) => {
      this.queue.push(resolve)
      this.next()
    })
  }

  /** Runs a statement outside of every transaction. */
  async query(text: string, values: unknown[] = []): Promise<{ rows: unknown[] }> {
    const session = await this.acquire()
    try {
      return await session.query(text, values)
    } finally {
      session.release()
    }
  }

  /** SQL to run first, if not empty: it sets the clock to `now`, and names the process that writes. */
  timeFor(now: number, process: string): string {
    const wanted = `${now + this.shiftMs} ${process}`
    if (this.time === wanted) return ''
    this.time = wanted
    const time = new Date(Math.floor(now) + this.shiftMs).toISOString().slice(0, -1)
    const micro = String(Math.floor((now % 1) * 1000)).padStart(3, '0')
    return `set sim.now = '${time}${micro}Z'; set journal.actor = '${process}'; `
  }

  async rollback(session: Session): Promise<void> {
    // settings made in the same message as the BEGIN are rolled back with it
    this.time = ''
    await session.query('rollback')
  }

  /** Keeps later runs from working on the operations that a failed run left behind. */
  async parkOperations(): Promise<void> {
    await this.query(
      `update runtime.operation set available_at = '9999-01-01' where state in ('PENDING', 'RUNNING', 'WAITING')`,
    )
  }

  async close(): Promise<void> {
    await this.client.end()
    await this.database.close()
  }

  private next(): void {
    if (this.current !== null) return
    const serve = this.queue.shift()
    if (serve === undefined) return
    const session: Session = {
      query: (text, values) => this.run(text, values ?? []),
      release: () => {
        if (this.current !== session) return
        this.current = null
        this.next()
      },
    }
    this.current = session
    serve(session)
  }

  private run(text: string, values: readonly unknown[]): Promise<pg.QueryResult> {
    this.statements += 1
    // a named statement is parsed and planned once
    const query = values.length === 0 ? text : { name: this.nameOf(text), text, values: [...values] }
    const running = this.client.query(query)
    const ended = running
      .catch(() => {})
      .then(() => {
        if (this.busy === ended) this.busy = null
      })
    this.busy = ended
    return running
  }

  private nameOf(text: string): string {
    const known = this.names.get(text)
    if (known !== undefined) return known
    const name = createHash('sha256').update(text).digest('base64url').slice(0, 20)
    this.names.set(text, name)
    return name
  }
}
