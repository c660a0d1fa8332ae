import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import { API, CREDENTIAL } from './http.ts'
import type { TestHttp } from './http.ts'
import { parsePosition } from '../store/events.ts'
import type { Position } from '../store/events.ts'

/**
 * Opens the event stream as a person with all permissions, from now on or after a given message. Resolves when the
 * stream has started.
 */
export async function openEvents(
  http: Pick<TestHttp, 'send' | 'assertion'>,
  lastEventId?: string,
): Promise<TestReader> {
  const response = await http.send(`${API}/events`, {
    headers: {
      authorization: `Bearer ${CREDENTIAL}`,
      'x-runtime-actor-assertion': await http.assertion(),
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    },
  })
  assert.ok(response.body !== null)
  const reader = new TestReader(response.body)
  await reader.begun()
  return reader
}

export interface Message {
  id: string
  event: string
  data: string
}

/** Reads a real event stream. A message without an event is the position where the stream starts. */
export class TestReader {
  readonly messages: Message[] = []
  readonly comments: string[] = []
  /** Settles when the stream has ended. */
  readonly ended: Promise<void>
  private readonly abort = new AbortController()
  private rest = ''

  constructor(body: ReadableStream<Uint8Array>) {
    this.ended = this.read(body)
  }

  get lastId(): string {
    return this.messages.at(-1)?.id ?? ''
  }

  get positions(): Position[] {
    return this.messages.map(({ id }) => parsePosition(id)).filter((position) => position !== null)
  }

  /** Resolves with the messages that have an event, once there are `count`. */
  async events(count: number, timeoutMs = 10_000): Promise<Message[]> {
    const events = () => this.messages.filter(({ event }) => event !== '')
    await until(() => events().length >= count, timeoutMs)
    return events()
  }

  async begun(): Promise<void> {
    await until(() => this.messages.length > 0)
  }

  /** Disconnects as a closed browser does. */
  leave(): Promise<void> {
    this.abort.abort()
    return this.ended
  }

  private async read(body: ReadableStream<Uint8Array>): Promise<void> {
    const reader = body.getReader()
    const gone = new Promise<'gone'>((resolve) =>
      this.abort.signal.addEventListener('abort', () => resolve('gone'), { once: true }),
    )
    const decoder = new TextDecoder()
    for (;;) {
      const next = await Promise.race([gone, reader.read().catch(() => ({ done: true, value: undefined }))])
      if (next === 'gone') return reader.cancel()
      if (next.done) return
      this.take(decoder.decode(next.value, { stream: true }))
    }
  }

  private take(text: string): void {
    this.rest += text
    const blocks = this.rest.split('\n\n')
    this.rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const message = { id: '', event: '', data: '' }
      for (const line of block.split('\n')) {
        const [, name = '', value = ''] = /^(\w*): ?(.*)$/.exec(line) ?? []
        if (name === '') this.comments.push(value)
        if (name === 'id' || name === 'event' || name === 'data') message[name] = value
      }
      if (message.id !== '') this.messages.push(message)
    }
  }
}

/** How long a test rests at most before it asks again. */
const MAX_REST_MS = 100

/**
 * Waits until the condition is met. It rests three times as long as asking takes, 10 to 100 ms: a condition that reads over
 * HTTP costs as much processor time as what it waits for. The time limit ends a test that would hang: a busy machine takes
 * many times as long as an idle one.
 */
export async function until(condition: () => boolean | Promise<boolean>, timeoutMs = 60_000): Promise<void> {
  const end = performance.now() + timeoutMs
  for (;;) {
    const asked = performance.now()
    if (await condition()) return
    const answered = performance.now()
    if (answered > end)
      throw new Error(`the condition was not met within ${timeoutMs} ms: ${condition.toString()}`)
    const restMs = Math.min(MAX_REST_MS, Math.max(10, 3 * (answered - asked)))
    await new Promise((resolve) => setTimeout(resolve, restMs))
  }
}

/** How many statements of this database wait for a lock. */
export async function countLockWaits<Tables>(db: Kysely<Tables>): Promise<number> {
  const { rows } = await sql`select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
  return rows.length
}
