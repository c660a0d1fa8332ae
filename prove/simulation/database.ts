import { createHash } from 'node:crypto'
import pg from 'pg'
import { clientConfig } from '#database/settings.ts'
import { testDatabase } from '#database/testing.ts'
import type { TestDatabase } from '#database/testing.ts'
import { valueTypes } from '#database/values.ts'
import { RUNTIME_MIGRATIONS } from '#runtime/store/migrations.ts'
import { installJournal } from '../invariants/journal.ts'
import type { Reader } from '../invariants/reader.ts'

// The real PostgreSQL with virtual time: the functions that tell the time are found in a schema of ours first, so that
// the very same SQL asks them. One connection serves everybody, one transaction after the other, so that the order in
// which statements reach the database is no matter of chance.

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
    -- rows without an order are then read in the order in which they were written
    for a in select oid::regclass as relation from pg_catalog.pg_class
      where relnamespace = 'runtime'::regnamespace and relkind = 'r'
    loop
      execute format('alter table %s set (autovacuum_enabled = false)', a.relation);
    end loop;
  end $$;
  -- the checks read by scope
  create index on runtime.operation (scope_id);
  create index on runtime.installation (scope_id);
  create index on runtime.event (scope_id);
  create index on runtime.configuration_property (scope_id);`

const OPTIONS = [
  '-c TimeZone=UTC',
  '-c DateStyle=ISO',
  '-c search_path=sim,pg_catalog',
  // the same statement is always done the same way, however much there is in the tables
  '-c enable_seqscan=off',
  '-c enable_hashjoin=off',
  '-c enable_mergejoin=off',
  '-c plan_cache_mode=force_generic_plan',
  '-c jit=off',
]

export interface Turn {
  /** Runs one statement; real, and with nobody in between. */
  query(text: string, values?: readonly unknown[]): Promise<pg.QueryResult>
  release(): void
}

export class SimDatabase implements Reader {
  readonly connection: TestDatabase['connection']
  private readonly database: TestDatabase
  private readonly client: pg.Client
  private readonly names = new Map<string, string>()
  private busy: Promise<unknown> | null = null
  private told = ''
  private holder: Turn | null = null
  private readonly queue: ((turn: Turn) => void)[] = []
  /** How many statements were run. */
  statements = 0

  private constructor(database: TestDatabase, client: pg.Client) {
    this.database = database
    this.connection = database.connection
    this.client = client
  }

  static async open(databaseUrl: string): Promise<SimDatabase> {
    const database = await testDatabase({ migrations: [RUNTIME_MIGRATIONS], server: databaseUrl })
    const admin = new pg.Client(clientConfig(database.connection))
    await admin.connect()
    await admin.query(TIME)
    await installJournal(admin)
    await admin.end()
    const options = OPTIONS.join(' ')
    const client = new pg.Client({ ...clientConfig(database.connection), types: valueTypes, options })
    client.on('error', () => {})
    await client.connect()
    return new SimDatabase(database, client)
  }

  /** What is under way at the database now, or null. */
  isBusy(): Promise<unknown> | null {
    return this.busy
  }

  /** The connection for oneself; whoever asks first is served first. */
  turn(): Promise<Turn> {
    return new Promise((resolve) => {
      this.queue.push(resolve)
      this.next()
    })
  }

  /** Outside of every transaction, for those who look at everything. */
  async query(text: string, values: unknown[] = []): Promise<{ rows: unknown[] }> {
    const turn = await this.turn()
    try {
      return await turn.query(text, values)
    } finally {
      turn.release()
    }
  }

  /** To be run first, where it is not empty: then the clock stands at `now`, and it is `actor` who writes. */
  timeFor(now: number, actor: string): string {
    const told = `${now} ${actor}`
    if (this.told === told) return ''
    this.told = told
    const time = new Date(Math.floor(now)).toISOString().slice(0, -1)
    const micro = String(Math.floor((now % 1) * 1000)).padStart(3, '0')
    return `set sim.now = '${time}${micro}Z'; set proof.actor = '${actor}'; `
  }

  async rollback(turn: Turn): Promise<void> {
    // what was set together with the beginning of a transaction ends with it
    this.told = ''
    await turn.query('rollback')
  }

  /** What a history that went wrong has left is nobody's business any more. */
  async leaveAlone(): Promise<void> {
    await this.query(
      `update runtime.operation set available_at = 'infinity' where state in ('PENDING', 'RUNNING', 'WAITING')`,
    )
  }

  async close(): Promise<void> {
    await this.client.end()
    await this.database.close()
  }

  private next(): void {
    if (this.holder !== null) return
    const serve = this.queue.shift()
    if (serve === undefined) return
    const turn: Turn = {
      query: (text, values) => this.run(text, values ?? []),
      release: () => {
        if (this.holder !== turn) return
        this.holder = null
        this.next()
      },
    }
    this.holder = turn
    serve(turn)
  }

  private run(text: string, values: readonly unknown[]): Promise<pg.QueryResult> {
    this.statements += 1
    // with a name it is parsed and planned once
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
