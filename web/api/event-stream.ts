import type { RuntimeEvent } from '#contract/console-api/shapes.ts'

export type ConnectionState = 'connecting' | 'open' | 'lost'

export interface StreamListener {
  onEvent: (event: RuntimeEvent) => void
  /** Events may have been missed: whatever is shown must be asked for again. */
  onReset: () => void
  /** Whoever follows is not signed in any more; nothing comes until they are. */
  onSignedOut: () => void
  onState: (state: ConnectionState) => void
}

const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 15_000
/** The server says something at least every 15 s; a line that is silent for longer is dead. */
const SILENCE_MS = 40_000

/**
 * Follows `/api/events` until it is stopped, and takes up where it ended after every loss. It is read by fetch, not by
 * EventSource, because every request to the API carries the header that other sites cannot send.
 */
export function followEvents(listener: StreamListener): () => void {
  const stopped = new AbortController()
  void follow(listener, stopped.signal)
  return () => stopped.abort()
}

async function follow(listener: StreamListener, stopped: AbortSignal): Promise<void> {
  let lastEventId = ''
  let losses = 0
  let wasOpen = false
  const read = { id: (id: string) => (lastEventId = id) }
  while (!stopped.aborted) {
    const opened = await readStream(lastEventId, stopped, listener, read, () => {
      // without an id to resume from, a new stream starts now and what came between is unknown
      if (wasOpen && lastEventId === '') listener.onReset()
      wasOpen = true
      losses = 0
      listener.onState('open')
    })
    if (stopped.aborted) return
    losses = opened ? 1 : losses + 1
    if (losses > 1) listener.onState('lost')
    await wait(Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (losses - 1)), stopped)
  }
}

async function readStream(
  lastEventId: string,
  stopped: AbortSignal,
  listener: StreamListener,
  read: { id: (id: string) => void },
  onOpen: () => void,
): Promise<boolean> {
  const dead = new AbortController()
  let silence = setTimeout(() => dead.abort(), SILENCE_MS)
  try {
    const response = await fetch('/api/events', {
      headers: {
        accept: 'text/event-stream',
        'x-requested-by': 'console',
        ...(lastEventId !== '' && { 'last-event-id': lastEventId }),
      },
      credentials: 'same-origin',
      cache: 'no-store',
      signal: AbortSignal.any([stopped, dead.signal]),
    })
    if (response.status === 401) listener.onSignedOut()
    if (!response.ok || response.body === null) return false
    onOpen()
    let rest = ''
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return true
      clearTimeout(silence)
      silence = setTimeout(() => dead.abort(), SILENCE_MS)
      rest += value
      for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n')) {
        dispatch(rest.slice(0, end), listener, read)
        rest = rest.slice(end + 2)
      }
    }
  } catch {
    // refused, cut or silent: all the same to whoever waits for it to come back
    return false
  } finally {
    clearTimeout(silence)
    dead.abort()
  }
}

function dispatch(block: string, listener: StreamListener, read: { id: (id: string) => void }): void {
  let kind = ''
  let data = ''
  for (const line of block.split('\n')) {
    if (line.startsWith('id: ')) read.id(line.slice(4))
    else if (line.startsWith('event: ')) kind = line.slice(7)
    else if (line.startsWith('data: ')) data += line.slice(6)
  }
  if (kind === 'reset') listener.onReset()
  // checked by the BFF against the schema that this type comes from
  else if (data !== '') listener.onEvent({ kind, ...(JSON.parse(data) as object) } as RuntimeEvent)
}

function wait(ms: number, stopped: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    const hurry = () => {
      clearTimeout(timer)
      resolve()
    }
    stopped.addEventListener('abort', hurry, { once: true })
    window.addEventListener('online', hurry, { once: true })
  })
}
