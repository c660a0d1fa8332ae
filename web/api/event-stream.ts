import { createParser } from 'eventsource-parser'
import type { RuntimeEvent } from '#contract/console-api/shapes.ts'
import type { ConnectionState } from '../base/connection.ts'
import { personHeader } from './client.ts'

interface StreamListener {
  onEvent: (event: RuntimeEvent) => void
  /**
   * The first stream is open and did not resume from a position. Earlier events were not received, so earlier
   * responses may be out of date.
   */
  onBegin: () => void
  /** Events may have been missed: everything shown must be refetched. */
  onReset: () => void
  /** The session has ended; no events arrive until the person signs in. */
  onSignedOut: () => void
  /** The stream has ended, or could not be opened; another one follows. */
  onEnd: () => void
  onState: (state: ConnectionState) => void
}

/** How a connection ended. `refused`: the server responded with an error. `silent`: it sent nothing for too long. */
interface Ending {
  kind: 'ended' | 'failed' | 'refused' | 'replaced' | 'silent'
  /** How long the stream was open. */
  openMs: number
  retryAfter: string | null
}

/** The server sends something every 2 s; a connection that is silent for longer is broken, or the server hangs. */
const IDLE_TIMEOUT_MS = 4_500
/** A stream that was open for less counts as a failure, so that streams that break at once are not reopened in a loop. */
const STABLE_MS = 5_000
/** A visible tab whose stream was replaced retries after this time. */
const REPLACED_RETRY_MS = 60_000
/** The server sends no larger event. */
const MAX_EVENT_CHARACTERS = 4_194_304

/**
 * Follows `/api/events` until it is stopped, and resumes after each lost connection. Uses fetch instead of
 * EventSource, because every API request needs the header that other sites cannot send.
 *
 * @param position to resume from; null for events from now on.
 */
export function followEvents(listener: StreamListener, position: string | null = null): () => void {
  const stopped = new AbortController()
  void follow(listener, position, stopped.signal)
  return () => stopped.abort()
}

async function follow(
  listener: StreamListener,
  position: string | null,
  stopped: AbortSignal,
): Promise<void> {
  const place = { lastEventId: position ?? '' }
  let failures = 0
  let wasOpen = false
  while (!stopped.aborted) {
    const ending = await readStream(place, stopped, listener, () => {
      // without an id to resume from, a new stream starts now and events in between are lost
      if (place.lastEventId === '') {
        if (wasOpen) listener.onReset()
        else listener.onBegin()
      }
      wasOpen = true
      listener.onState('open')
    })
    if (stopped.aborted) return
    listener.onEnd()
    if (ending.kind === 'replaced') {
      failures = 0
      listener.onState('paused')
      await waitUntilVisible(stopped)
      continue
    }
    failures = ending.openMs >= STABLE_MS ? 1 : failures + 1
    if (failures > 1 || ending.kind === 'refused' || ending.kind === 'silent') listener.onState('lost')
    await wait(reconnectDelay(failures, ending.retryAfter), stopped)
  }
}

async function readStream(
  place: { lastEventId: string },
  stopped: AbortSignal,
  listener: StreamListener,
  onOpen: () => void,
): Promise<Ending> {
  const closing = new AbortController()
  let idleTimer = setTimeout(() => closing.abort(), IDLE_TIMEOUT_MS)
  // a lost network closes no connection, and would be noticed only by the silence
  window.addEventListener('offline', () => closing.abort(), { signal: closing.signal })
  let openedAt: number | null = null
  const ending = (kind: Ending['kind'], retryAfter: string | null = null): Ending => ({
    kind,
    openMs: openedAt === null ? 0 : performance.now() - openedAt,
    retryAfter,
  })
  try {
    const response = await fetch('/api/events', {
      headers: {
        accept: 'text/event-stream',
        'x-requested-by': 'console',
        ...personHeader(),
        ...(place.lastEventId !== '' && { 'last-event-id': place.lastEventId }),
      },
      credentials: 'same-origin',
      cache: 'no-store',
      signal: AbortSignal.any([stopped, closing.signal]),
    })
    if (response.status === 401) {
      listener.onSignedOut()
      return ending('failed')
    }
    if (!response.ok || response.body === null) return ending('refused', response.headers.get('retry-after'))
    const parser = createStreamParser(place, listener)
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    for (let isFirst = true; ; isFirst = false) {
      const { done, value } = await reader.read()
      if (done) return ending('ended')
      if (isFirst) {
        // not before: of a response that a proxy holds back only the headers may arrive
        openedAt = performance.now()
        onOpen()
      }
      clearTimeout(idleTimer)
      idleTimer = setTimeout(() => closing.abort(), IDLE_TIMEOUT_MS)
      if (parser.feed(value) === 'replaced') return ending('replaced')
    }
  } catch {
    // only the idle timer has aborted it here
    return ending(closing.signal.aborted ? 'silent' : 'failed')
  } finally {
    clearTimeout(idleTimer)
    closing.abort()
  }
}

/** Parses the stream, notifies the listener and stores the position to resume from. */
function createStreamParser(place: { lastEventId: string }, listener: StreamListener) {
  let isReplaced = false
  const parser = createParser({
    maxBufferSize: MAX_EVENT_CHARACTERS,
    onId: (id) => (place.lastEventId = id),
    onEvent({ event: kind, data }) {
      if (kind === 'replaced') isReplaced = true
      else if (kind === 'reset') listener.onReset()
      else {
        const event = readEvent(kind, data)
        if (event === null) listener.onReset()
        else listener.onEvent(event)
      }
    },
    onError({ type }) {
      if (type !== 'max-buffer-size-exceeded') return
      // resuming would hit the same event again: the next stream starts at the end, with a reset
      place.lastEventId = ''
      throw new RangeError('An event is too large')
    },
  })
  return {
    feed(chunk: string): 'replaced' | null {
      parser.feed(chunk)
      return isReplaced ? 'replaced' : null
    },
  }
}

/** The event, or null if its data is not a JSON object. */
function readEvent(kind: string | undefined, data: string): RuntimeEvent | null {
  try {
    const value: unknown = JSON.parse(data)
    // the console's server has checked it against the schema that this type comes from
    return typeof value === 'object' && value !== null ? ({ kind, ...value } as RuntimeEvent) : null
  } catch {
    return null
  }
}

function wait(ms: number, stopped: AbortSignal): Promise<void> {
  return waitFor(ms, stopped, [[window, 'online']])
}

/** Resolves when the person returns to this tab. */
async function waitUntilVisible(stopped: AbortSignal): Promise<void> {
  do {
    await waitFor(document.visibilityState === 'visible' ? REPLACED_RETRY_MS : null, stopped, [
      [document, 'visibilitychange'],
      [window, 'focus'],
    ])
  } while (!stopped.aborted && document.visibilityState !== 'visible')
}

/** Resolves after `ms` (if not null), on the first of the events, or when stopped. */
function waitFor(
  ms: number | null,
  stopped: AbortSignal,
  events: readonly [target: EventTarget, type: string][],
): Promise<void> {
  const done = new AbortController()
  return new Promise<void>((resolve) => {
    const timer = ms === null ? undefined : setTimeout(resolve, ms)
    const { signal } = done
    signal.addEventListener('abort', () => clearTimeout(timer), { once: true })
    stopped.addEventListener('abort', () => resolve(), { signal })
    for (const [target, type] of events) target.addEventListener(type, () => resolve(), { signal })
  }).finally(() => done.abort())
}

const MIN_DELAY_MS = 500
const MAX_DELAY_MS = 15_000
/** The maximum `Retry-After` that is respected. */
const MAX_RETRY_AFTER_MS = 60_000

/**
 * How long to wait before the event stream is reopened, in milliseconds. It doubles with each failure, is never
 * shorter than the server's `Retry-After`, and has up to 50 % jitter, so that the tabs of many people do not
 * reconnect at the same moment.
 *
 * @param failures consecutive failures, at least 1.
 * @param retryAfter the header, or null. Only the form in seconds is supported.
 */
export function reconnectDelay(
  failures: number,
  retryAfter: string | null,
  random: () => number = Math.random,
): number {
  const backoff = Math.min(MAX_DELAY_MS, MIN_DELAY_MS * 2 ** (failures - 1))
  const requested = /^\d{1,4}$/.test(retryAfter ?? '')
    ? Math.min(MAX_RETRY_AFTER_MS, Number(retryAfter) * 1000)
    : 0
  return Math.max(backoff, requested) * (1 + random() / 2)
}
