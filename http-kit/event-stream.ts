/** The headers of a `text/event-stream` response. */
export const EVENT_STREAM_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  // reverse proxies would otherwise buffer events
  'x-accel-buffering': 'no',
}

export interface EventBodyOptions {
  /** How much data a reader may leave unread. One message may exceed it; the next one ends the stream. */
  maxUnreadBytes: number
  /** How long `drained` waits for the reader to make room before it ends the stream; default 30,000. */
  stallMs?: number
}

/**
 * The body of an event stream for one reader. It ends when the reader leaves, when the reader does not read, or when
 * `end` is called. None of these waits for the reader, so everything that belongs to the stream can be released on
 * `ended`.
 */
export interface EventBody {
  stream: ReadableStream<Uint8Array>
  /** Aborted once, when the stream ends. */
  ended: AbortSignal
  /** Enqueues a message. Ends the stream if the reader has left too much unread; does nothing after the end. */
  send(message: string): void
  /** Resolves when there is room for another message, or when the stream has ended. */
  drained(): Promise<void>
  /** Ends the stream. The reader still receives what was enqueued before. */
  end(): void
}

const STALL_MS = 30_000

export function createEventBody({ maxUnreadBytes, stallMs = STALL_MS }: EventBodyOptions): EventBody {
  const encoder = new TextEncoder()
  const ended = new AbortController()
  let controller: ReadableStreamDefaultController<Uint8Array> | null = null
  let onRoom = (): void => undefined

  const end = (): void => {
    if (controller === null) return
    const ending = controller
    controller = null
    ended.abort()
    onRoom()
    try {
      ending.close()
    } catch {
      // the reader left first
    }
  }
  const hasRoom = (): boolean => controller === null || (controller.desiredSize ?? 0) > 0

  const stream = new ReadableStream<Uint8Array>(
    {
      start: (started) => {
        controller = started
      },
      pull: () => onRoom(),
      cancel: end,
    },
    new ByteLengthQueuingStrategy({ highWaterMark: maxUnreadBytes }),
  )
  return {
    stream,
    ended: ended.signal,
    send(message) {
      if (!hasRoom()) end()
      controller?.enqueue(encoder.encode(message))
    },
    async drained() {
      if (hasRoom()) return
      const stalled = setTimeout(end, stallMs).unref()
      await new Promise<void>((resolve) => {
        onRoom = resolve
      })
      clearTimeout(stalled)
    },
    end,
  }
}

/** Formats one server-sent event. An `id` alone only sets the position to resume from. */
export function formatEvent({ id, event, data }: { id?: string; event?: string; data?: string }): string {
  const lines: string[] = []
  if (id !== undefined) lines.push(`id: ${id}`)
  if (event !== undefined) lines.push(`event: ${event}`)
  if (data !== undefined) lines.push(`data: ${data}`)
  return `${lines.join('\n')}\n\n`
}
