import { Hono } from 'hono'
import type { Context } from 'hono'
import { splitName } from '#contract/endpoint/endpoint.ts'
import { savedViewApi } from '#contract/console-api/saved-views.ts'
import type { Origin } from '../audit/recorder.ts'
import type { SessionVariables } from '../session/sessions.ts'
import type { SavedViews } from '../saved-views/saved-views.ts'
import { honoPath } from './endpoints.ts'
import { parseReceived, receive } from './receive.ts'
import type { Received } from './receive.ts'

type ViewContext = Context<{ Variables: SessionVariables }>
type Name = keyof typeof savedViewApi

/** The routes of the saved views, which the console serves itself. */
export function savedViewRoutes(views: SavedViews): Hono<{ Variables: SessionVariables }> {
  const app = new Hono<{ Variables: SessionVariables }>()
  const addRoute = <Row extends Name>(
    name: Row,
    handle: (c: ViewContext, request: ReturnType<typeof parse<Row>>) => Promise<object>,
  ) => {
    const { method, path } = splitName(name)
    app.on(method, honoPath(path), async (c) => {
      c.set('endpoint', name)
      const received = await receive(c, name, savedViewApi[name])
      return c.json(await handle(c, parse(name, received)))
    })
  }
  addRoute('GET /saved-views', async (c) => ({ items: await views.list(c.var.person), nextCursor: null }))
  addRoute('POST /saved-views', (c, { body, idempotencyKey }) =>
    views.create(c.var.person, body, idempotencyKey, originOf(c)),
  )
  addRoute('PUT /saved-views/{viewId}', (c, { params: { viewId }, body }) =>
    views.save(c.var.person, viewId, body, originOf(c)),
  )
  addRoute('DELETE /saved-views/{viewId}', async (c, { params: { viewId } }) => {
    await views.remove(c.var.person, viewId, originOf(c))
    return { viewId }
  })
  return app
}

/** The parts of a valid request. Reads have no key; their handlers ignore it. */
const parse = <Row extends Name>(name: Row, received: Received) => ({
  ...parseReceived<(typeof savedViewApi)[Row]>(savedViewApi[name], received),
  idempotencyKey: received.idempotencyKey ?? '',
})

const originOf = ({ var: { clientAddress, requestId } }: ViewContext): Origin => ({
  clientAddress,
  requestId,
})
