import { Hono } from 'hono'
import { auditRecordApi, ConsoleEvent } from '#contract/runtime-api/audit.ts'
import { successEnvelope } from '#contract/protocol/envelope.ts'
import type { Actor } from '../model/actor.ts'
import { recordConsoleEvent } from '../use-cases/audit/record-console-event.ts'
import { answerOnce } from '../use-cases/idempotency/answer-once.ts'
import { DomainError } from '../engine/refusals.ts'
import type { RuntimeDeps } from '../deps/runtime-deps.ts'
import { refusalEnvelope } from './failures.ts'
import { idempotencyKeyOf, requestText, readRequest } from './read-request.ts'
import { refuseMethod } from './serve-row.ts'
import { envelope } from './http-app.ts'
import type { HttpApp, HttpVariables } from './http-app.ts'

export interface RecordRouteOptions {
  deps: RuntimeDeps
  checkService(request: Request): void
  /** Accepts only assertions for recording. */
  checkRecorder(request: Request, requestId: string): Promise<Actor>
  limitRate(caller: string, cost?: number): void
}

const PATH = '/audit/entries'
const ROW = auditRecordApi[`POST ${PATH}`]

/**
 * The endpoint at which a console records what it did itself. Each event is recorded once, however often it is sent.
 */
export function recordRoute(options: RecordRouteOptions): HttpApp {
  const { deps } = options
  const app = new Hono<{ Variables: HttpVariables }>()
  app.post(PATH, async (c) => {
    c.set('endpoint', 'record')
    options.checkService(c.req.raw)
    const actor = await options.checkRecorder(c.req.raw, c.var.requestId)
    c.set('actorId', actor.id)
    options.limitRate(actor.id)
    try {
      const { body, json } = await readRequest(c.req.raw, ROW, {})
      const { answer } = await answerOnce(deps, {
        key: { actorId: actor.id, endpoint: `POST ${PATH}`, key: idempotencyKeyOf(c.req.raw) },
        request: requestText(json),
        async run(tx) {
          await recordConsoleEvent(tx, actor, ConsoleEvent.parse(body))
          return { answer: successEnvelope({ recorded: true }) }
        },
        refuse: async (_, refusal) => ({
          answer: refusalEnvelope(refusal, 'bundle-runtime'),
          code: refusal.code,
        }),
        mayRepeat: async () => {},
      })
      return envelope(c, answer)
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
      return envelope(c, refusalEnvelope(error, 'bundle-runtime'))
    }
  })
  app.all(PATH, (c) => refuseMethod(c, ['POST']))
  return app
}
