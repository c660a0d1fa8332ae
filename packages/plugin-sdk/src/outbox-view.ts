import { EVENT_STATES } from './event-store.ts'
import type { PluginHandler } from './define-plugin.ts'
import type { EventOutbox } from './outbox.ts'

const LIMIT = 200

/**
 * Shows the outbox to the plugin's author: `GET` lists the newest events with state, attempts and last error, `?state=`
 * selects, and `POST ?retry=<eventId>` makes a failed event due again. Payloads are left out, and no access is stored.
 * It checks no caller: serve it where only the author can reach it.
 */
export function outboxView<Tx>(outbox: EventOutbox<Tx>): PluginHandler {
  return async (request) => {
    const query = new URL(request.url).searchParams
    if (request.method === 'POST') {
      const isRetried = await outbox.retry(query.get('retry') ?? '')
      return json({ isRetried }, isRetried ? 200 : 404)
    }
    if (request.method !== 'GET') return json({ title: 'Use GET or POST' }, 405)
    const state = EVENT_STATES.find((name) => name === query.get('state'))
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
