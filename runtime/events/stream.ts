import type { ReadContext } from '../use-cases/context.ts'
import { mayIn } from '#contract/endpoint/permission.ts'
import { createEventBody, EVENT_STREAM_HEADERS, formatEvent } from '#http-kit/event-stream.ts'
import { TransportError } from '#http-kit/problem-response.ts'
import type { Actor } from '../model/actor.ts'
import {
  EVENTS_FOR_ONE,
  formatPosition,
  isAfter,
  isResumable,
  parsePosition,
  readEvents,
} from '../store/events.ts'
import type { EventRow, Position } from '../store/events.ts'
import type { Feed, Subscriber } from './feed.ts'
import { loadEvents } from './load-events.ts'
import type { LoadedEvent } from './load-events.ts'
import type { Db } from '../model/db.ts'

export interface StreamOptions {
  feed: Feed
  /**
   * The lifetime of a stream. The client opens it again with a fresh assertion, so a revoked grant is effective after
   * this time at the latest.
   */
  lifetimeMs: number
  heartbeatMs: number
  maxStreams: number
}

/** The most events to replay: with more, it is better for the reader to reload its pages. */
const MAX_REPLAYED = 5_000
const BATCH = 500
/** The unread bytes after which a stream is ended; the reader can resume. */
const MAX_UNREAD_BYTES = 1024 * 1024

/**
 * `GET /events`: server-sent events of the scopes that the actor may read. The first message has only an `id`, from
 * which a reader misses nothing. With `Last-Event-ID` the stream starts with the events since; if these are no longer
 * stored, with an event `reset`, which means: reload everything. An open stream sends it when the database was recovered.
 */
export function createEventStream(options: StreamOptions): StreamHandler {
  let open = 0
  return async ({ deps, actor, spendMore }, request) => {
    // Hono answers HEAD with the handler of GET, and nothing would ever read that stream
    if (request.method === 'HEAD') return new Response(null, { headers: EVENT_STREAM_HEADERS })
    if (open >= options.maxStreams)
      throw new TransportError('SERVICE_UNAVAILABLE', undefined, { 'retry-after': '5' })
    const reader = createReader(actor, options, () => open--)
    open++
    try {
      const subscription = await options.feed.subscribe(reader)
      const { position } = subscription
      reader.onClose(() => subscription.unsubscribe())
      const lastId = request.headers.get('last-event-id')
      if (lastId === null) reader.begin(position, messageOf({ id: position }))
      else await resume(deps.db, reader, { lastId, position, spendMore })
      return new Response(reader.stream, { headers: EVENT_STREAM_HEADERS })
    } catch (error) {
      reader.onEnd()
      throw error
    }
  }
}

async function resume(
  db: Db,
  reader: Reader,
  {
    lastId,
    position,
    spendMore,
  }: { lastId: string; position: Position; spendMore: ReadContext['spendMore'] },
): Promise<void> {
  const from = parsePosition(lastId)
  const missed =
    from !== null && (await isResumable(db, from))
      ? await readMissed(db, { from, to: position, spendMore })
      : null
  if (from === null || missed === null) {
    reader.begin(position, resetAt(position))
    return
  }
  reader.begin(isAfter(from, position) ? from : position, messageOf({ id: from }), missed)
}

/** Returns the events after `from` up to `to`, or null if there are too many. */
async function readMissed(
  db: Db,
  { from, to, spendMore }: { from: Position; to: Position; spendMore: ReadContext['spendMore'] },
): Promise<LoadedEvent[] | null> {
  const missed: LoadedEvent[] = []
  const { epoch } = from
  let after = from
  for (let read = 0; read < MAX_REPLAYED; read += BATCH) {
    const rows = await readEvents(db, after, BATCH)
    if (rows === null) return null
    const due = rows.filter((row) => !isAfter(positionOf(row, epoch), to))
    spendMore?.(Math.floor(due.length / EVENTS_FOR_ONE))
    missed.push(...(await loadEvents(db, due, epoch)))
    const last = due.at(-1)
    if (last === undefined || due.length < BATCH) return missed
    after = positionOf(last, epoch)
  }
  return null
}

const positionOf = (row: EventRow, epoch: Position['epoch']): Position => ({
  epoch,
  xid: row.event_xid,
  eventId: row.event_id,
})

interface Reader extends Subscriber {
  stream: ReadableStream<Uint8Array>
  onClose(callback: () => void): void
  /** Sends the first message, the missed events and those of the meantime; from then on all new events. */
  begin(position: Position, first: string, missed?: readonly LoadedEvent[]): void
}

/** One open stream: filters events by the grants of the actor, and ends after its lifetime. */
function createReader(actor: Actor, options: StreamOptions, closed: () => void): Reader {
  const body = createEventBody({ maxUnreadBytes: MAX_UNREAD_BYTES })
  let waiting: LoadedEvent[] | null = []
  let begun: Position | null = null
  /** The reset that arrived before the stream began. */
  let reset: Position | null = null

  const sendEvents = (events: readonly LoadedEvent[]): void => {
    const text = events
      .filter(
        ({ position, event }) =>
          mayIn(actor.grants, 'read', event.scope) && (begun === null || isAfter(position, begun)),
      )
      .map(textOf)
      .join('')
    if (text !== '') body.send(text)
  }
  const onClose = (callback: () => void): void => {
    if (body.ended.aborted) callback()
    else body.ended.addEventListener('abort', callback, { once: true })
  }

  const heartbeat = setInterval(() => body.send(': still here\n\n'), options.heartbeatMs).unref()
  let lifetime: NodeJS.Timeout | undefined
  onClose(() => {
    clearInterval(heartbeat)
    clearTimeout(lifetime)
    closed()
  })

  return {
    stream: body.stream,
    onEvents: (events) => (waiting === null ? sendEvents(events) : void waiting.push(...events)),
    onReset(position) {
      if (waiting === null) {
        begun = position
        body.send(resetAt(position))
      } else {
        waiting = []
        reset = position
      }
    },
    onEnd: body.end,
    onClose,
    begin(position, first, missed = []) {
      const meanwhile = waiting ?? []
      waiting = null
      // not before: a stream that ends without a position would make its reader miss events
      if (!body.ended.aborted) lifetime = setTimeout(body.end, options.lifetimeMs).unref()
      body.send(reset === null ? first : resetAt(reset))
      if (reset === null) sendEvents(missed)
      begun = reset ?? position
      sendEvents(meanwhile)
    },
  }
}

const texts = new WeakMap<LoadedEvent, string>()

/** Every reader gets the same text, so it is created once. */
function textOf(loaded: LoadedEvent): string {
  const { kind, ...data } = loaded.event
  const text =
    texts.get(loaded) ?? messageOf({ id: loaded.position, event: kind, data: JSON.stringify(data) })
  texts.set(loaded, text)
  return text
}

const resetAt = (id: Position): string => messageOf({ id, event: 'reset', data: '{}' })

function messageOf({ id, ...rest }: { id: Position; event?: string; data?: string }): string {
  return formatEvent({ id: formatPosition(id), ...rest })
}

/** Responds with its own stream instead of an envelope. */
export type StreamHandler = (context: ReadContext, request: Request) => Promise<Response>
