import type { Clock } from '#http-kit/clock.ts'
import type { Log } from '#http-kit/log.ts'
import { TransportError } from '#http-kit/problem.ts'
import { newestPosition } from '../store/events/newest-position.ts'
import { readEvents } from '../store/events/read-events.ts'
import { loadEvents } from './load-events.ts'
import type { LoadedEvent } from './load-events.ts'
import type { Position } from '../store/events/position.ts'
import type { Db } from '../model/db.ts'

export interface Subscriber {
  onEvents(events: readonly LoadedEvent[]): void
  /** The feed ends and sends nothing more. */
  onEnd(): void
}

export interface Subscription {
  /** The subscriber is given everything after this, and nothing before. */
  position: Position
  unsubscribe(): void
}

export interface Feed {
  subscribe(subscriber: Subscriber): Promise<Subscription>
  /** Something was committed: look at once. */
  wake(): void
  /** What was passed on so far; null while nobody reads. */
  position(): Position | null
  stop(): Promise<void>
}

export interface FeedOptions {
  db: Db
  clock: Clock
  log: Log
  /** How often to look; default 100. */
  pollMs?: number
  /** How often to look while other replicas tell when they commit, and have been quiet for a while; default 1,000. */
  calmPollMs?: number
  /** Whether other replicas tell when they commit. */
  isTold?: () => boolean
}

const BATCH = 500
/** A commit shows only when all older transactions have ended, so a woken feed looks a few times in quick succession. */
const EAGER_LOOKS = 5
const EAGER_MS = 20
const TROUBLE_MS = 1_000
/** So long a transaction may hold back what a wake was for, before it is looked for less often. */
const ALERT_MS = 2_000

/**
 * The one reader of events in a process, for however many subscribers. It reads only while there are any. It looks when
 * it is woken, and also by itself: seldom while other replicas tell what they commit, often while they cannot.
 */
export function createFeed(options: FeedOptions): Feed {
  const { db, clock, log, pollMs = 100, calmPollMs = 1_000, isTold = () => false } = options
  const subscribers = new Set<Subscriber>()
  let position: Position | null = null
  let starting: Promise<void> | null = null
  let running: Promise<void> | null = null
  let isStopped = false
  let eagerLooks = 0
  let wokenAt = 0
  let isInTrouble = false
  let pause = new AbortController()

  const wake = (): void => {
    eagerLooks = EAGER_LOOKS
    wokenAt = clock.monotonic()
    pause.abort()
  }

  const rest = async (ms: number): Promise<void> => {
    // a wake that came while it looked is answered by the next look, which is soon
    if (pause.signal.aborted) pause = new AbortController()
    if (!isStopped) await clock.sleep(ms, pause.signal).catch(() => undefined)
  }

  const untilNextLook = (): number => {
    if (eagerLooks > 0) return EAGER_MS
    return isTold() && clock.monotonic() - wokenAt > ALERT_MS ? calmPollMs : pollMs
  }

  const look = async (from: Position): Promise<boolean> => {
    const rows = await readEvents(db, from, BATCH)
    const last = rows.at(-1)
    if (last === undefined) return false
    const events = await loadEvents(db, rows)
    // from here on without a pause: whoever subscribes is before or after this batch, never in it
    position = { xid: last.event_xid, eventId: last.event_id }
    for (const subscriber of subscribers) subscriber.onEvents(events)
    return rows.length === BATCH
  }

  const run = async (): Promise<void> => {
    const mayRead = (): boolean => subscribers.size > 0 && !isStopped
    for (let from = position; from !== null && mayRead(); from = position) {
      try {
        const isMore = await look(from)
        isInTrouble = false
        if (isMore) continue
      } catch (error) {
        if (!isInTrouble) log.warn('events cannot be read; trying again every second', {}, error)
        isInTrouble = true
        await rest(TROUBLE_MS)
        continue
      }
      await rest(untilNextLook())
      eagerLooks = Math.max(0, eagerLooks - 1)
    }
    position = null
    running = null
  }

  const start = async (): Promise<void> => {
    position = await newestPosition(db)
  }

  const subscribe = async (subscriber: Subscriber): Promise<Subscription> => {
    if (position === null) await (starting ??= start().finally(() => (starting = null)))
    // the last subscriber may have left meanwhile, and the place with it
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
