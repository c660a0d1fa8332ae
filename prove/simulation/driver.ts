import { Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely'
import type {
  CompiledQuery,
  DatabaseConnection,
  Dialect,
  Driver,
  QueryResult,
  TransactionSettings,
} from 'kysely'
import type { RuntimeTables } from '#runtime/store/tables.ts'
import type { Actor } from './actor.ts'
import type { SimDatabase, Turn } from './database.ts'
import type { Schedule } from './schedule.ts'

/** What becomes of a transaction, or of a statement that stands alone. */
export type DbOutcome =
  | 'ok'
  /** It is over, and nothing of it stays; the client is told so. */
  | 'serialization-failure'
  /** The connection breaks before the commit. */
  | 'lost-before-commit'
  /** The connection breaks while it commits; it was applied. */
  | 'unknown-applied'
  /** The same, and it was not applied. */
  | 'unknown-not-applied'
  /** The server cancels a statement. */
  | 'time-out'

/** What stops a process dead, or takes an answer away from it, at a durable boundary. */
export type Fate = 'go' | 'die-before' | 'die-after' | 'lose-answer'

/** What an actor's way to the database asks of the world around it. */
export interface DbFaults {
  /** Asked at the end of what the actor does; `about` holds all ids that its statements named. */
  outcome(actor: Actor, about: ReadonlySet<string>): DbOutcome
  /** Asked at each statement and each commit. */
  fate(actor: Actor, boundary: string): Fate
  /** How long a connection is waited for, in virtual milliseconds. */
  waitMs(actor: Actor): number
  /** Told when something was really committed, or really not. */
  ended(actor: Actor, about: ReadonlySet<string>, outcome: DbOutcome): void
}

interface Around {
  database: SimDatabase
  schedule: Schedule
  faults: DbFaults
  actor: Actor
}

/** The runtime's database as one process has it. */
export function actorDatabase(around: Around): Kysely<RuntimeTables> {
  const dialect: Dialect = {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new ActorDriver(around),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createIntrospector: (db) => new PostgresIntrospector(db),
  }
  return new Kysely<RuntimeTables>({ dialect })
}

class ActorDriver implements Driver {
  private readonly around: Around

  constructor(around: Around) {
    this.around = around
  }

  async init(): Promise<void> {}
  async destroy(): Promise<void> {}

  async acquireConnection(): Promise<ActorConnection> {
    const { schedule, faults, actor } = this.around
    await actor.hears(schedule.wait(faults.waitMs(actor)))
    return new ActorConnection(this.around)
  }

  beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    return own(connection).begin(settings.isolationLevel ?? 'read committed')
  }

  commitTransaction(connection: DatabaseConnection): Promise<void> {
    return own(connection).commit()
  }

  rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    return own(connection).rollback()
  }

  async releaseConnection(): Promise<void> {}
}

function own(connection: DatabaseConnection): ActorConnection {
  if (connection instanceof ActorConnection) return connection
  throw new TypeError('this connection is not of this driver')
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g

class ActorConnection implements DatabaseConnection {
  private readonly around: Around
  /** Held while a transaction is open. */
  private turn: Turn | null = null
  private about = new Set<string>()
  /** A transaction is open, in which there may be more statements. */
  private isOpen = false
  private isBroken = false
  private forget: () => void = () => {}

  constructor(around: Around) {
    this.around = around
  }

  async begin(isolation: string): Promise<void> {
    this.demandWhole()
    await this.take()
    const { actor, database, schedule } = this.around
    const time = database.timeFor(schedule.now, actor.name)
    await this.real(`${time}begin isolation level ${isolation}`)
    this.isOpen = true
    // whoever is paused in a transaction is thrown out by the server, as one whose process is gone
    this.forget = actor.whenGone(() => void this.abandon())
  }

  executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    this.note(query.parameters)
    return this.isOpen ? this.inside<Row>(query) : this.alone<Row>(query)
  }

  // not used by the runtime
  // oxlint-disable-next-line require-yield
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('statements are not streamed')
  }

  /** One statement of a transaction. */
  private async inside<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    this.demandWhole()
    const { faults, actor } = this.around
    const fate = faults.fate(actor, `statement ${firstWords(query.sql)}`)
    if (fate === 'die-before') return this.die()
    const answer = await this.real<Row>(query.sql, query.parameters)
    if (fate === 'die-after') return this.die()
    if (fate === 'lose-answer') {
      await this.abandon()
      throw connectionLost()
    }
    return answer
  }

  /** A statement that is its own transaction. */
  private async alone<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    this.demandWhole()
    const { faults, actor } = this.around
    const fate = faults.fate(actor, `statement ${firstWords(query.sql)}`)
    if (fate === 'die-before') return this.die()
    const outcome = fate === 'lose-answer' ? 'unknown-applied' : faults.outcome(actor, this.about)
    await this.take()
    const { database, schedule } = this.around
    const time = database.timeFor(schedule.now, actor.name)
    if (time !== '') await this.real(time)
    try {
      if (outcome !== 'ok' && outcome !== 'unknown-applied') throw this.broken(outcome)
      const answer = await this.real<Row>(query.sql, query.parameters)
      faults.ended(actor, this.about, outcome)
      if (fate === 'die-after') return await this.die()
      if (outcome === 'unknown-applied') throw this.broken(outcome)
      return answer
    } finally {
      this.about = new Set()
      this.close()
    }
  }

  async commit(): Promise<void> {
    this.demandWhole()
    const { faults, actor } = this.around
    const fate = faults.fate(actor, 'commit')
    if (fate === 'die-before') return this.die()
    const outcome = fate === 'lose-answer' ? 'unknown-applied' : faults.outcome(actor, this.about)
    const isApplied = outcome === 'ok' || outcome === 'unknown-applied'
    this.forget()
    this.isOpen = false
    if (!isApplied) {
      await this.undo()
      const error = this.broken(outcome)
      this.close()
      throw error
    }
    const turn = this.turn
    const about = this.about
    const done = turn?.query('commit').then((result) => {
      faults.ended(actor, about, outcome)
      turn.release()
      return result
    })
    this.turn = null
    this.about = new Set()
    const result = await actor.hears(Promise.resolve(done))
    if (fate === 'die-after') return this.die()
    if (result?.command === 'ROLLBACK') throw new Error('the transaction was aborted before')
    if (outcome !== 'ok') throw this.broken(outcome)
  }

  async rollback(): Promise<void> {
    this.forget()
    if (this.isBroken) throw connectionLost()
    this.isOpen = false
    if (this.turn === null) return
    await this.undo()
    this.close()
  }

  private async undo(): Promise<void> {
    const { turn, around } = this
    if (turn !== null) await around.actor.hears(around.database.rollback(turn))
  }

  private async take(): Promise<void> {
    const { database, actor } = this.around
    const turn = await database.turn()
    if (actor.state !== 'alive') {
      // somebody who sleeps or is dead asks for nothing
      turn.release()
      await actor.hears(Promise.resolve())
      return this.take()
    }
    this.turn = turn
  }

  private close(): void {
    this.turn?.release()
    this.turn = null
    this.about = new Set()
  }

  private async real<Row>(text: string, values?: readonly unknown[]): Promise<QueryResult<Row>> {
    const { turn } = this
    if (turn === null) throw connectionLost()
    const { command, rowCount, rows } = await this.around.actor.hears(turn.query(text, values))
    const counts = command === 'INSERT' || command === 'UPDATE' || command === 'DELETE'
    // the caller knows what its statement selects
    const result = { rows: rows as Row[] }
    return counts ? { ...result, numAffectedRows: BigInt(rowCount ?? 0) } : result
  }

  /** The server rolls back what is open, and lets others in. */
  private async abandon(): Promise<void> {
    this.forget()
    this.isBroken = true
    const { turn } = this
    this.turn = null
    if (turn === null) return
    if (this.isOpen) {
      await this.around.database.rollback(turn)
      this.around.faults.ended(this.around.actor, this.about, 'lost-before-commit')
    }
    turn.release()
  }

  private async die(): Promise<never> {
    this.around.actor.kill()
    await this.abandon()
    return new Promise(() => {})
  }

  private demandWhole(): void {
    if (this.isBroken) throw connectionLost()
  }

  private broken(outcome: DbOutcome): Error {
    const { faults, actor } = this.around
    if (outcome !== 'unknown-applied') faults.ended(actor, this.about, outcome)
    if (outcome === 'serialization-failure')
      return coded('could not serialize access due to concurrent update', '40001')
    if (outcome === 'time-out') return coded('canceling statement due to statement timeout', '57014')
    this.isBroken = true
    return connectionLost()
  }

  private note(parameters: readonly unknown[]): void {
    for (const text of parameters.flat())
      if (typeof text === 'string') for (const [id] of text.matchAll(UUID)) this.about.add(id)
  }
}

const connectionLost = (): Error => new Error('Connection terminated unexpectedly')

const coded = (message: string, code: string): Error => Object.assign(new Error(message), { code })

/** For the trace: what kind of statement it is. */
function firstWords(text: string): string {
  return text.trim().replace(/\s+/g, ' ').slice(0, 60)
}
