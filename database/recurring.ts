import { createHash } from 'node:crypto'
import type pg from 'pg'
import { isPgError, PG } from './transaction.ts'

/** Number of statements that are watched, and that get a name at most: each name costs memory on every connection. */
const WATCHED_MAX = 500
const NAMED_MAX = 100
/** A statement counts as recurring, and gets a name, from this use on. */
const NAMED_FROM_USE = 3

/**
 * Names for recurring statements: a connection parses and plans a named statement only once. Statements whose text
 * differs each time, such as those with a list of values, never get one.
 *
 * A name is a hash of the text. Behind a pooler that assigns a session per transaction, someone else may have prepared
 * a name: then it stands for the same text, or the server does not know it, which is an error.
 */
export class RecurringStatements {
  private readonly seen = new Map<string, number>()
  private readonly names = new Map<string, string>()
  private isOff = false

  /** The session is shared: statements no longer get names. */
  giveUp(): void {
    this.isOff = true
  }

  nameOf(text: string): string | undefined {
    if (this.isOff) return undefined
    const name = this.names.get(text)
    if (name !== undefined || this.names.size >= NAMED_MAX) return name
    const seen = (this.seen.get(text) ?? 0) + 1
    this.seen.delete(text)
    if (seen >= NAMED_FROM_USE) {
      const newName = `recurring_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`
      this.names.set(text, newName)
      return newName
    }
    this.seen.set(text, seen)
    const [oldest] = this.seen.keys()
    if (this.seen.size > WATCHED_MAX && oldest !== undefined) this.seen.delete(oldest)
    return undefined
  }
}

/**
 * From now on the connection prepares recurring statements, until the session turns out to be shared. The statement
 * that detected this has failed without effect.
 */
export function prepareRecurring(client: pg.PoolClient, statements: RecurringStatements): void {
  // oxlint-disable-next-line typescript/unbound-method -- the proxy passes `this` on
  client.query = new Proxy(client.query, {
    apply(query, self, args: unknown[]) {
      const [text, values] = args
      const isPlain = typeof text === 'string' && Array.isArray(values) && values.length > 0
      const name = isPlain ? statements.nameOf(text) : undefined
      if (name === undefined) return Reflect.apply(query, self, args) as unknown
      const answer: unknown = Reflect.apply(query, self, [{ name, text, values }])
      if (answer instanceof Promise)
        answer.catch((error: unknown) => {
          const isUnknown = isPgError(error, PG.invalidStatementName)
          if (isUnknown || isPgError(error, PG.duplicateStatement)) statements.giveUp()
        })
      return answer
    },
  })
}
