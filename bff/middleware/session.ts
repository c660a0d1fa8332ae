import type { Context, MiddlewareHandler } from 'hono'
import { ConsoleFailure } from '../failure.ts'
import type { Person, Sessions } from '../session/sessions.ts'

export interface SessionVariables {
  requestId: string
  /** Where the request comes from, for the audit. */
  clientAddress: string
  person: Person
  /** The row that serves the request, and the code of its failure, for the log; absent if there is none. */
  endpoint?: string
  errorCode?: string
}

/** A request that the console sends without user activity; it does not extend the session. */
function isBackground(c: Context): boolean {
  return c.req.header('x-background') !== undefined || c.req.path === '/api/events'
}

/** Sets `c.var.person` from the session, or refuses with AUTHENTICATION_REQUIRED. */
export function requireSession(sessions: Sessions): MiddlewareHandler<{ Variables: SessionVariables }> {
  return async (c, next) => {
    const person = await sessions.find(c, { isActivity: !isBackground(c) })
    if (person === null) throw new ConsoleFailure('AUTHENTICATION_REQUIRED')
    c.set('person', person)
    await next()
  }
}
