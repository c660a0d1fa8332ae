import { Hono } from 'hono'
import { savedViewApi } from '#contract/console-api/saved-views.ts'
import type { Recorder } from '../audit/recorder.ts'
import type { SavedViews } from '../saved-views/saved-views.ts'
import type { SessionVariables } from '../session/sessions.ts'
import { addOwnRow } from './own-rows.ts'
import type { OwnRequest } from './own-rows.ts'

type Rows = typeof savedViewApi

/** The routes of the saved views, which the console serves itself. */
export function savedViewRoutes(
  views: SavedViews,
  options: { recorder: Pick<Recorder, 'refused'>; recentSignInSeconds: number },
): Hono<{ Variables: SessionVariables }> {
  const app = new Hono<{ Variables: SessionVariables }>()
  const add = <Name extends keyof Rows>(
    name: Name,
    handle: (request: OwnRequest<Rows[Name]>) => Promise<object>,
  ) => addOwnRow<Rows[Name]>(app, { name, row: savedViewApi[name] }, handle, options)

  add('GET /saved-views', async ({ person }) => ({ items: await views.list(person), nextCursor: null }))
  add('POST /saved-views', ({ person, body, idempotencyKey, origin }) =>
    views.create(person, body, idempotencyKey, origin),
  )
  add('PUT /saved-views/{viewId}', ({ person, params: { viewId }, body, origin }) =>
    views.save(person, viewId, body, origin),
  )
  add('DELETE /saved-views/{viewId}', async ({ person, params: { viewId }, origin }) => {
    await views.remove(person, viewId, origin)
    return { viewId }
  })
  return app
}
