import { Hono } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { ConsoleFailure, problemOf } from '../failure.ts'

export const ORIGIN = 'https://console.example.org'

/** An app that answers every request behind this middleware. */
export function appWith(...middleware: Parameters<Hono['use']>[1][]): Hono {
  const app = new Hono()
  app.use(...middleware)
  app.all('*', (c) => c.text(c.req.method))
  app.onError((error, c) => {
    const failure = error instanceof ConsoleFailure ? error : new ConsoleFailure('INTERNAL_ERROR')
    const problem = problemOf(failure, 'r1')
    return c.json(problem, problem.status as ContentfulStatusCode)
  })
  return app
}
