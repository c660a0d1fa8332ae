import { Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely'
import type {
  CompiledQuery,
  DatabaseConnection,
  Dialect,
  Driver,
  QueryResult,
  TransactionSettings,
} from 'kysely'
import type { RuntimeTables } from '#runtime/model/tables.ts'
import type { Session, SimulatedDatabase } from './database.ts'
import type { SimulatedProcess } from './process.ts'
import type { Schedule } from './schedule.ts'

/** What happens to a transaction, or to a statement outside of one. */
export type TransactionFault =
  | 'ok'
  /** It is rolled back, and the client gets the error. */
  | 'serialization-failure'
  /** The connection is lost before the commit. */
  | 'lost-before-commit'
  /** The connection is lost during the commit, which was applied. */
  | 'unknown-applied'
  /** The connection is lost during the commit, which was not applied. */
  | 'unknown-not-applied'
  /** The server cancels a statement. */
  | 'time-out'

/** What happens to a process at a durable boundary: it is killed before or after it, or loses the response. */
export type Interruption = 'none' | 'die-before' | 'die-after' | 'lose-answer'

/** Decides what goes wrong on a process's way to the database. */
export interface DatabaseFaults {
  /** Called at the end of a transaction; `ids` are all ids that its statements named. */
  transaction(process: SimulatedProcess, ids: ReadonlySet<string>): TransactionFault
  /** Called at each statement and each commit. */
  interruption(process: SimulatedProcess, boundary: string): Interruption
  /** How long to wait for a connection, in virtual milliseconds. */
  waitMs(process: SimulatedProcess): number
}

interface DriverOptions {
  database: SimulatedDatabase
  schedule: Schedule
  faults: DatabaseFaults
  process: SimulatedProcess
}

/** The runtime's database as one process sees it. */
export function processDatabase(options: DriverOptions): Kysely<RuntimeTables> {
  const dialect: Dialect = {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new ProcessDriver(options),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createIntrospector: (db) => new PostgresIntrospector(db),
  }
  return new Kysely<RuntimeTables>({ dialect })
}

class ProcessDriver implements Driver {
  private readonly options: DriverOptions

  constructor(options: DriverOptions) {
    this.options = options
  }

  async init(): Promise<void> {}
  async destroy(): Promise<void> {}
  async releaseConnection(): Promise<void> {}

  async acquireConnection(): Promise<ProcessConnection> {
    const { schedule, faults, process } = this.options
    await process.receive(schedule.wait(faults.waitMs(process)))
    return new ProcessConnection(this.options)
  }

  beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    return ours(connection).begin(settings.isolationLevel ?? 'read committed')
  }

  commitTransaction(connection: DatabaseConnection): Promise<void> {
    return ours(connection).commit()
  }

  rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    return ours(connection).rollback()
  }
}

function ours(connection: DatabaseConnection): ProcessConnection {
  if (connection instanceof ProcessConnection) return connection
  throw new TypeError('the connection belongs to another driver')
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g

class ProcessConnection implements DatabaseConnection {
  private readonly options: DriverOptions
  /** Held while a transaction is open. */
  private session: Session | null = null
  /** Ids that the statements of the open transaction named. */
  private ids = new Set<string>()
  private isInTransaction = false
  private isLost = false
  private stopWatching: () => void = () => {}

  constructor(options: DriverOptions) {
    this.options = options
  }

  async begin(isolation: string): Promise<void> {
    this.requireConnected()
    await this.acquire()
    const { process, database, schedule } = this.options
    const time = database.timeFor(schedule.now, process.name)
    await this.run(`${time}begin isolation level ${isolation}`)
    this.isInTransaction = true
    // the server ends the transaction of a process that is paused in it, and of one that is killed
    this.stopWatching = process.whenStopped(() => void this.abandon())
  }

  executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    for (const text of query.parameters.flat())
      if (typeof text === 'string') for (const [id] of text.matchAll(UUID)) this.ids.add(id)
    return this.isInTransaction ? this.inTransaction<Row>(query) : this.alone<Row>(query)
  }

  // not used by the runtime
  // oxlint-disable-next-line require-yield
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('statements are not streamed')
  }

  private async inTransaction<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    this.requireConnected()
    const { faults, process } = this.options
    const interruption = faults.interruption(process, `statement ${firstWords(query.sql)}`)
    if (interruption === 'die-before') return this.die()
    const answer = await this.run<Row>(query.sql, query.parameters)
    if (interruption === 'die-after') return this.die()
    if (interruption === 'lose-answer') {
      await this.abandon()
      throw connectionLost()
    }
    return answer
  }

  /** A statement that is its own transaction. */
  private async alone<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    this.requireConnected()
    const { faults, process, database, schedule } = this.options
    const interruption = faults.interruption(process, `statement ${firstWords(query.sql)}`)
    if (interruption === 'die-before') return this.die()
    const fault = interruption === 'lose-answer' ? 'unknown-applied' : faults.transaction(process, this.ids)
    await this.acquire()
    const time = database.timeFor(schedule.now, process.name)
    // sent together with the statement, which would fail too
    if (time !== '') void this.run(time).catch(() => {})
    try {
      if (fault !== 'ok' && fault !== 'unknown-applied') throw this.errorOf(fault)
      const answer = await this.run<Row>(query.sql, query.parameters)
      if (interruption === 'die-after') return await this.die()
      if (fault === 'unknown-applied') throw this.errorOf(fault)
      return answer
    } finally {
      this.release()
    }
  }

  async commit(): Promise<void> {
    this.requireConnected()
    const { faults, process } = this.options
    const interruption = faults.interruption(process, 'commit')
    if (interruption === 'die-before') return this.die()
    const fault = interruption === 'lose-answer' ? 'unknown-applied' : faults.transaction(process, this.ids)
    this.stopWatching()
    this.isInTransaction = false
    if (fault !== 'ok' && fault !== 'unknown-applied') {
      await this.undo()
      const error = this.errorOf(fault)
      this.release()
      throw error
    }
    const { session } = this
    const committed = session?.query('commit').then((result) => {
      session.release()
      return result
    })
    this.session = null
    this.ids = new Set()
    const result = await process.receive(Promise.resolve(committed))
    if (interruption === 'die-after') return this.die()
    if (result?.command === 'ROLLBACK') throw new Error('the transaction was aborted before')
    if (fault !== 'ok') throw this.errorOf(fault)
  }

  async rollback(): Promise<void> {
    this.stopWatching()
    if (this.isLost) throw connectionLost()
    this.isInTransaction = false
    if (this.session === null) return
    await this.undo()
    this.release()
  }

  private async undo(): Promise<void> {
    const { process, database } = this.options
    if (this.session !== null) await process.receive(database.rollback(this.session))
  }

  private async acquire(): Promise<void> {
    const { database, process } = this.options
    const session = await database.acquire()
    if (process.state !== 'running') {
      // a paused or killed process sends nothing
      session.release()
      await process.receive(Promise.resolve())
      return this.acquire()
    }
    this.session = session
  }

  private release(): void {
    this.session?.release()
    this.session = null
    this.ids = new Set()
  }

  private async run<Row>(text: string, values?: readonly unknown[]): Promise<QueryResult<Row>> {
    const { session, options } = this
    if (session === null) throw connectionLost()
    const { command, rowCount, rows } = await options.process.receive(session.query(text, values))
    const changes = command === 'INSERT' || command === 'UPDATE' || command === 'DELETE'
    // the caller knows what its statement selects
    const result = { rows: rows as Row[] }
    return changes ? { ...result, numAffectedRows: BigInt(rowCount ?? 0) } : result
  }

  /** The server rolls back what is open, and serves others. */
  private async abandon(): Promise<void> {
    this.stopWatching()
    this.isLost = true
    const { session } = this
    this.session = null
    if (session === null) return
    if (this.isInTransaction) await this.options.database.rollback(session)
    session.release()
  }

  private async die(): Promise<never> {
    this.options.process.kill()
    await this.abandon()
    return new Promise(() => {})
  }

  private requireConnected(): void {
    if (this.isLost) throw connectionLost()
  }

  private errorOf(fault: TransactionFault): Error {
    if (fault === 'serialization-failure')
      return coded('could not serialize access due to concurrent update', '40001')
    if (fault === 'time-out') return coded('canceling statement due to statement timeout', '57014')
    this.isLost = true
    return connectionLost()
  }
}

const connectionLost = (): Error => new Error('Connection terminated unexpectedly')

const coded = (message: string, code: string): Error => Object.assign(new Error(message), { code })

/** The beginning of a statement, for the trace. */
function firstWords(text: string): string {
  // most of a long statement is not looked at
  return text.trim().slice(0, 400).replace(/\s+/g, ' ').slice(0, 60)
}
