import { EVENT_STATES } from './event-store.ts'
import type { PluginHandler } from './define-plugin.ts'
import type { EventOutbox } from './outbox.ts'

const LIMIT = 200

/**
 * Shows the outbox to the plugin's author: `GET` lists the newest events with state, attempts and last error, `?state=`
 * filters by state, and `POST ?retry=<eventId>` makes a failed event due again. Payloads are left out, and addresses and
 * tokens are never stored. Any other path returns 404, an unknown state 400. Callers are not authenticated: serve it where
 * only the author can reach it.
 *
 * @param options.path where the view is served; default `/`.
 */
export function outboxView<Tx>(outbox: EventOutbox<Tx>, { path = '/' } = {}): PluginHandler {
  return async (request) => {
    const { pathname, searchParams: query } = new URL(request.url)
    if (pathname !== path) return json({ title: `The outbox is at ${path}` }, 404)
    if (request.method === 'POST') {
      const isRetried = await outbox.retry(query.get('retry') ?? '')
      return json({ isRetried }, isRetried ? 200 : 404)
    }
    if (request.method !== 'GET') return json({ title: 'Use GET or POST' }, 405)
    const asked = query.get('state')
    const state = EVENT_STATES.find((name) => name === asked)
    if (asked !== null && state === undefined)
      return json({ title: `state must be one of ${EVENT_STATES.join(', ')}` }, 400)
    const events = await outbox.list({ ...(state !== undefined && { state }), limit: LIMIT })
    return json({
      counts: await outbox.count(),
      events: events.map(({ createdAt, nextAttemptAt, endedAt, ...event }) => ({
        ...event,
        payload: undefined,
        createdAt: timeOf(createdAt),
        nextAttemptAt: event.state === 'PENDING' ? timeOf(nextAttemptAt) : null,
        endedAt: endedAt === null ? null : timeOf(endedAt),
      })),
    })
  }
}

const timeOf = (milliseconds: number): string => new Date(milliseconds).toISOString()

const json = (body: unknown, status = 200): Response =>
  new Response(JSON.stringify(body, null, 2), {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  })
