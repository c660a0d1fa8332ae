import type { Clock } from '#http-kit/clock.ts'
import type { Log } from '#http-kit/log.ts'
import { TransportError } from '#http-kit/problem-response.ts'
import { newestPosition, readEvents } from '../store/events.ts'
import type { Position } from '../store/events.ts'
import { loadEvents } from './load-events.ts'
import type { LoadedEvent } from './load-events.ts'
import type { Db } from '../model/db.ts'

export interface Subscriber {
  onEvents(events: readonly LoadedEvent[]): void
  /** The database was recovered: what follows comes after this position, and earlier events may be lost. */
  onReset(position: Position): void
  /** The feed has ended; nothing more follows. */
  onEnd(): void
}

export interface Subscription {
  /** The subscriber receives everything after this position, and nothing before. */
  position: Position
  unsubscribe(): void
}

export interface Feed {
  subscribe(subscriber: Subscriber): Promise<Subscription>
  /** Something was committed: poll immediately. */
  wake(): void
  /** The position delivered so far; null without subscribers. */
  position(): Position | null
  stop(): Promise<void>
}

export interface FeedOptions {
  db: Db
  clock: Clock
  log: Log
  /** Milliseconds between polls; default 100. */
  pollMs?: number
  /**
   * Milliseconds between polls while other replicas announce their commits and have been quiet for a while; default
   * 1,000.
   */
  calmPollMs?: number
  /** Whether other replicas announce their commits. */
  isNotified?: () => boolean
}

const BATCH = 500
/**
 * A commit becomes visible only after all older transactions have ended, so a woken feed polls a few times in quick
 * succession.
 */
const EAGER_POLLS = 5
const EAGER_MS = 20
const RETRY_MS = 1_000
/** How long the feed keeps polling often after a wake, because an open transaction may hold back the event. */
const ALERT_MS = 2_000

/**
 * The only reader of events in a process, for any number of subscribers. Without subscribers it does not read. It
 * polls when it is woken and periodically: rarely while other replicas announce their commits, often while they
 * cannot.
 */
export function createFeed(options: FeedOptions): Feed {
  const { db, clock, log, pollMs = 100, calmPollMs = 1_000, isNotified = () => false } = options
  const subscribers = new Set<Subscriber>()
  let position: Position | null = null
  let starting: Promise<void> | null = null
  let running: Promise<void> | null = null
  let isStopped = false
  let eagerPolls = 0
  let wokenAt = 0
  let isFailing = false
  let pause = new AbortController()

  const wake = (): void => {
    eagerPolls = EAGER_POLLS
    wokenAt = clock.monotonic()
    pause.abort()
  }

  const rest = async (ms: number): Promise<void> => {
    // a wake during a poll is covered by the next poll, which follows soon
    if (pause.signal.aborted) pause = new AbortController()
    if (!isStopped) await clock.sleep(ms, pause.signal).catch(() => undefined)
  }

  const pollDelay = (): number => {
    if (eagerPolls > 0) return EAGER_MS
    return isNotified() && clock.monotonic() - wokenAt > ALERT_MS ? calmPollMs : pollMs
  }

  const poll = async (from: Position): Promise<boolean> => {
    const rows = await readEvents(db, from, BATCH)
    if (rows === null) {
      const reset = await newestPosition(db)
      position = reset
      for (const subscriber of subscribers) subscriber.onReset(reset)
      return false
    }
    const last = rows.at(-1)
    if (last === undefined) return false
    const events = await loadEvents(db, rows, from.epoch)
    // synchronous from here on: a new subscriber starts before or after this batch, never inside it
    position = { epoch: from.epoch, xid: last.event_xid, eventId: last.event_id }
    for (const subscriber of subscribers) subscriber.onEvents(events)
    return rows.length === BATCH
  }

  const run = async (): Promise<void> => {
    const mayRead = (): boolean => subscribers.size > 0 && !isStopped
    for (let from = position; from !== null && mayRead(); from = position) {
      try {
        const hasMore = await poll(from)
        isFailing = false
        if (hasMore) continue
      } catch (error) {
        if (!isFailing) log.warn('events cannot be read; retrying every second', {}, error)
        isFailing = true
        await rest(RETRY_MS)
        continue
      }
      await rest(pollDelay())
      eagerPolls = Math.max(0, eagerPolls - 1)
    }
    position = null
    running = null
  }

  const start = async (): Promise<void> => {
    position = await newestPosition(db)
  }

  const subscribe = async (subscriber: Subscriber): Promise<Subscription> => {
    if (position === null) await (starting ??= start().finally(() => (starting = null)))
    // the last subscriber may have left in the meantime, which resets the position
    if (position === null) return subscribe(subscriber)
    if (isStopped) throw new TransportError('SERVICE_UNAVAILABLE', undefined, { 'retry-after': '1' })
    subscribers.add(subscriber)
    running ??= run()
    return { position, unsubscribe: () => void subscribers.delete(subscriber) }
  }

  return {
    wake,
    subscribe,
    position: () => position,
    async stop() {
      isStopped = true
      for (const subscriber of subscribers) subscriber.onEnd()
      subscribers.clear()
      pause.abort()
      await running
    },
  }
}
