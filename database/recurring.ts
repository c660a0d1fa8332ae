import { createHash } from 'node:crypto'
import type pg from 'pg'
import { isPgError, PG } from './transaction.ts'

/** Statements that are watched, and at most so many of them get a name: each costs memory on every connection. */
const MOST_WATCHED = 500
const MOST_NAMED = 100
/** A name costs nothing more from the second time on. */
const RECURS = 3

/**
 * Names for statements that recur: a connection parses and plans a statement with a name only once. Statements whose text
 * differs each time, such as those with a list of values, never get one.
 *
 * A name is made of the text. Behind a pooler that gives each transaction another session, a name may have been given
 * there by somebody else: then it stands for the same text, or the server does not know it, which is an error.
 */
export class RecurringStatements {
  private readonly seen = new Map<string, number>()
  private readonly names = new Map<string, string>()
  private isOff = false

  /** The session is not ours alone: no statement gets a name any more. */
  giveUp(): void {
    this.isOff = true
  }

  nameOf(text: string): string | undefined {
    if (this.isOff) return undefined
    const name = this.names.get(text)
    if (name !== undefined || this.names.size >= MOST_NAMED) return name
    const seen = (this.seen.get(text) ?? 0) + 1
    this.seen.delete(text)
    if (seen >= RECURS) {
      const given = `recurring_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`
      this.names.set(text, given)
      return given
    }
    this.seen.set(text, seen)
    const [oldest] = this.seen.keys()
    if (this.seen.size > MOST_WATCHED && oldest !== undefined) this.seen.delete(oldest)
    return undefined
  }
}

/**
 * From now on the connection prepares what recurs, until the session turns out not to be kept for it. The statement that
 * found that out has failed, and done nothing.
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
