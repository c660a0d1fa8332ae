import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from 'hono'
import { RuntimeEvent } from '#contract/runtime-api/events.ts'
import { mayIn } from '#contract/endpoint/permission.ts'
import { createEventBody, EVENT_STREAM_HEADERS, formatEvent } from '#edge/event-stream.ts'
import type { EventBody } from '#edge/event-stream.ts'
import { readStrictJson } from '#edge/strict-json.ts'
import type { AssertedPerson } from '../actor-assertion.ts'
import { eventSourceReader } from '../event-source.ts'
import type { SourcedEvent } from '../event-source.ts'
import type { ApiVariables } from './endpoints.ts'

/** Opens the runtime's event stream for a person, from after `lastEventId` on. */
export type OpenEvents = (request: {
  assertion: string
  lastEventId: string | null
  requestId: string
  signal: AbortSignal
}) => Promise<AsyncIterable<Uint8Array> | null>

export interface EventOptions {
  open: OpenEvents
  assertionOf: (person: AssertedPerson) => Promise<string>
  /** Asked every half minute: a stream ends with its session. */
  isStillSignedIn: (c: Context<{ Variables: ApiVariables }>) => Promise<boolean>
  /** Ends every stream when the server stops. */
  stopping: AbortSignal
  /** Default 30,000. */
  checkMs?: number
  /** How long a reader may read nothing before its stream ends; default 30,000. */
  stallMs?: number
}

const CHECK_MS = 30_000
/** Before the runtime is asked for its stream again, which it may end at once. */
const REOPEN_MS = 100
/** The runtime is not read further while the browser has this much to read. */
const MAX_UNREAD_BYTES = 64 * 1024
const EVENT_ID = /^[0-9A-Za-z-]{1,64}$/

/**
 * `GET /api/events`: the runtime's events, checked and filtered again for the person. The runtime ends its streams from
 * time to time; they are resumed here where they ended, so that the browser sees one stream. It ends with the session,
 * with the server, and when the browser leaves or stops reading.
 */
export function eventRoute(options: EventOptions) {
  return (c: Context<{ Variables: ApiVariables }>): Response => {
    // Hono answers HEAD with the handler of GET, and nobody would ever read that stream
    if (c.req.method === 'HEAD') return c.body(null, 200, EVENT_STREAM_HEADERS)
    const { stallMs, stopping } = options
    const body = createEventBody({
      maxUnreadBytes: MAX_UNREAD_BYTES,
      ...(stallMs !== undefined && { stallMs }),
    })
    const check = setInterval(() => {
      // when this cannot be known the stream ends, and the browser's next request finds out
      const signedIn = options.isStillSignedIn(c).catch(() => false)
      void signedIn.then((isSignedIn) => isSignedIn || body.end())
    }, options.checkMs ?? CHECK_MS)
    stopping.addEventListener('abort', body.end, { once: true })
    body.ended.addEventListener('abort', () => {
      clearInterval(check)
      stopping.removeEventListener('abort', body.end)
    })
    if (stopping.aborted) body.end()
    void relay(c, body, options)
      .catch((error: unknown) => {
        if (!body.ended.aborted) console.error(error)
      })
      .finally(body.end)
    return c.body(body.stream, 200, EVENT_STREAM_HEADERS)
  }
}

/** Passes events of the runtime on until the stream ends or the runtime has none to offer. */
async function relay(
  c: Context<{ Variables: ApiVariables }>,
  body: EventBody,
  options: EventOptions,
): Promise<void> {
  const given = c.req.header('last-event-id') ?? ''
  let lastEventId = EVENT_ID.test(given) ? given : null
  while (!body.ended.aborted) {
    const source = await options.open({
      assertion: await options.assertionOf(c.var.person),
      lastEventId,
      requestId: c.var.requestId,
      signal: body.ended,
    })
    // a runtime that is gone ends the browser's stream too, which tells the person and tries again
    if (source === null) return
    body.send(': connected\n\n')
    for await (const event of eventSourceReader(source)) {
      const passed = pass(event, c.var.person)
      if (passed.message !== null) body.send(passed.message)
      lastEventId = passed.id ?? lastEventId
      await body.drained()
      // leaving the loop closes the connection to the runtime
      if (body.ended.aborted) return
    }
    await sleep(REOPEN_MS, undefined, { signal: body.ended })
  }
}

/** What the browser is sent for an event, if anything, and the id to resume after, if it is valid. */
function pass(event: SourcedEvent, person: AssertedPerson): { id: string | null; message: string | null } {
  if (event.kind === 'comment') return { id: null, message: ': \n\n' }
  const { id } = event
  if (!EVENT_ID.test(id)) return { id: null, message: null }
  if (event.kind === 'position') return { id, message: formatEvent({ id }) }
  if (event.event === 'reset') return { id, message: formatEvent({ id, event: 'reset', data: '{}' }) }
  const data = readStrictJson(event.data)
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return { id: null, message: null }
  const parsed = RuntimeEvent.safeParse({ ...data, kind: event.event })
  if (!parsed.success) return { id: null, message: null }
  const { kind, ...rest } = parsed.data
  if (!mayIn(person.grants, 'read', rest.scope)) return { id, message: null }
  return { id, message: formatEvent({ id, event: kind, data: JSON.stringify(rest) }) }
}
