import { createHash, randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { isJsonValue } from '../../../contract/json-schema/json.ts'
import type { JsonValue } from '../../../contract/json-schema/json.ts'
import { InstallationIdentity } from '../../../contract/protocol/scope.ts'
import { deliverEvent, type DeliveryFailure } from './deliver-event.ts'
import { declarationSource } from './event-declarations.ts'
import type { EventState, EventTables, EventUpdate, OutboxEvent } from './event-store.ts'
import { isOwnerGone, newOwner } from './owner.ts'
import type { PlatformOptions } from './platform.ts'
import type { ReferenceLocation } from './resolve-reference.ts'
import type { Store } from './store.ts'
import { printError, printEventError } from './print-error.ts'

/** An event to publish through a reference property, such as `eventPublisher`. */
export interface EventToPublish extends ReferenceLocation {
  /** The event method that the target Module declares. */
  method: string
  payload: JsonValue
  /**
   * The business key by which the target recognizes the event, 1 to 128 visible ASCII characters. An event with the same
   * location, method and key is published once, however often it is given. Default: a new one.
   */
  idempotencyKey?: string
}

/**
 * Milliseconds until the next attempt, or null to give the event up. If it throws or returns anything else,
 * {@link defaultRetryPolicy} decides.
 */
export type RetryPolicy = (failure: DeliveryFailure, event: OutboxEvent) => number | null

export interface OutboxOptions<Tx> extends PlatformOptions {
  /** The plugin's store: the event is committed with the business change, or neither is. */
  store: Store<Tx>
  /** `event.attempts` includes the failed attempt. Default: {@link defaultRetryPolicy}. */
  retry?: RetryPolicy
  /** Events that are sent at the same time; default 32. Targets that are slow or do not respond take at most half of it. */
  concurrency?: number
  /** How often a started outbox looks for due events; default 500 ms. */
  pollMs?: number
  /** How long delivered events are kept; default 7 days. Failed ones are kept until they are retried. */
  retentionMs?: number
  /**
   * Receives errors of the store, of `credential` and of `retry`, with the id of the event if it was one event's; the
   * outbox tries again. Default: print both, without addresses.
   */
  onError?: (error: unknown, eventId: string | null) => void
  /** Milliseconds since 1970. */
  now?: () => number
}

export interface EventOutbox<Tx> {
  /** Enqueues an event in the transaction of the business change. Returns its id. */
  publish(tx: Tx, event: EventToPublish): Promise<string>
  /** Delivers events in the background until `stop`. */
  start(): void
  /** Waits for the attempts in progress. */
  stop(): Promise<void>
  /**
   * Makes one attempt for each event that is due; returns how many were due. Of those whose service was slow or did not respond, it tries as many as
   * half of `concurrency` at a time, and leaves the others for later.
   */
  deliverDue(): Promise<number>
  /** The newest events first; default 100 of any state. */
  list(which?: { state?: EventState; limit?: number }): Promise<OutboxEvent[]>
  count(): Promise<Record<EventState, number>>
  /** Makes a failed event due again. Whether there was one. */
  retry(eventId: string): Promise<boolean>
}

const DAY_MS = 24 * 60 * 60 * 1000
/** Results that come within this time share a transaction, which costs more than an event. */
const GROUP_MS = 10
const LEASE_MIN_MS = 60_000
/**
 * Resolving, reading the declaration and calling the target are at most 7 requests, each with its credential; the rest is
 * for the transaction.
 */
const LEASE_TIMEOUTS = 9
const ATTEMPTS_MAX = 20
const DELAY_MAX_MS = 10 * 60 * 1000
/** The longest delay that a retry policy may return. */
const DELAY_LIMIT_MS = 100 * 365 * DAY_MS
/** The error itself may contain a path or a secret: it goes to `onError` and is not stored. */
const UNEXPECTED_FAILURE: DeliveryFailure = {
  errorCode: 'DELIVERY_ERROR',
  message: 'The attempt ended with an unexpected error',
  retryable: true,
}

/** There was no attempt, because enough others wait for slow targets. */
const POSTPONED = Symbol('postponed')
const SLOW_MAX = 10_000
/** A target that takes this part of the time limit is slow. */
const SLOW_PART = 1 / 4

/** Gives up what is not retryable, and after 20 attempts; waits 1 s, then twice as long each time, up to 10 minutes. */
export const defaultRetryPolicy: RetryPolicy = ({ retryable }, { attempts }) =>
  retryable && attempts < ATTEMPTS_MAX
    ? Math.min(1_000 * 2 ** (attempts - 1), DELAY_MAX_MS) * (0.75 + Math.random() / 2)
    : null

/**
 * Publishes events at least once. Each attempt resolves the reference again, checks the payload against the declaration
 * of the target, and sends the same event id and idempotency key. Addresses and tokens are never stored.
 */
export function eventOutbox<Tx>(options: OutboxOptions<Tx>): EventOutbox<Tx> {
  const { store, retry = defaultRetryPolicy, now = Date.now, pollMs = 500, concurrency = 32 } = options
  const { retentionMs = 7 * DAY_MS, onError = printEventError } = options
  const { platformApiBase, credential, timeoutMs = 10_000 } = options
  const events = eventsOf(store)
  const platform = { platformApiBase, credential, timeoutMs }
  const declarations = declarationSource(platform, now)
  const owner = newOwner()
  const leaseMs = Math.max(LEASE_MIN_MS, LEASE_TIMEOUTS * timeoutMs)
  /** How long slow targets usually take, by reference: their events take at most half of the places, so that others are sent. */
  const slow = new Map<string, number>()
  let waiting = 0
  /** When such a place is free for the next event that is postponed. */
  let nextPlaceAt = 0
  /** Results that the store did not accept yet. */
  const unsettled: EventUpdate[] = []
  let stopping: AbortController | null = null
  let loop: Promise<void> = Promise.resolve()

  /** Stores results and leases due events in one transaction. The lease begins when the transaction does. */
  const settleAndLease = (results: readonly EventUpdate[], dueBy: number, limit: number) =>
    results.length === 0 && limit === 0
      ? []
      : store.transaction(async (tx) => {
          for (const result of results) await events.settle(tx, owner, result)
          if (limit === 0) return []
          return events.lease(tx, { owner, now: dueBy, leaseUntil: now() + leaseMs, limit })
        })

  /**
   * Makes one attempt for each event that is due when this is called. With a signal, also for those that become due while
   * attempts are in progress, because one of them may take long; what is not started when it aborts stays. An event is
   * leased only when its attempt can start, and the results of all attempts that end during one transaction are stored by
   * the next one. Returns the number of attempts.
   */
  async function deliver(signal?: AbortSignal): Promise<number> {
    const calledAt = now()
    const running = new Map<string, Promise<void>>()
    const ended = unsettled.splice(0)
    let wake = (): void => undefined
    let total = 0
    let hasMore = true
    let lookedAt = -Infinity
    const mayLease = (): boolean => hasMore && signal?.aborted !== true
    const send = async (event: OutboxEvent): Promise<void> => {
      const failure = await attempt(event)
      if (failure === POSTPONED) ended.push({ ...event, nextAttemptAt: postponedUntil(event) })
      else ended.push(updateAfter({ ...event, attempts: event.attempts + 1 }, failure))
      running.delete(event.eventId)
      wake()
    }
    try {
      do {
        if (signal?.aborted === false && performance.now() - lookedAt >= pollMs) {
          await tidyOften()
          lookedAt = performance.now()
          hasMore = true
        }
        const results = [...ended]
        const limit: number = mayLease() ? concurrency - running.size : 0
        const leased = await settleAndLease(results, signal === undefined ? calledAt : now(), limit)
        ended.splice(0, results.length)
        if (limit > 0) hasMore = leased.length === limit
        total += leased.length
        for (const event of leased) running.set(event.eventId, send(event))
        if (ended.length === 0 && running.size > 0) {
          const woken = new Promise<void>((resolve) => (wake = resolve))
          await (signal === undefined
            ? woken
            : Promise.race([woken, wait(pollMs, undefined, { ref: false })]))
        }
        if (running.size > 0) await wait(GROUP_MS)
      } while (running.size > 0 || ended.length > 0 || mayLease())
      return total
    } finally {
      // After an error of the store: the next call stores these results before it leases anything.
      await Promise.all(running.values())
      unsettled.push(...ended)
    }
  }

  /** Never throws, so that an unexpected error affects only the event in whose attempt it occurs. */
  async function attempt(event: OutboxEvent): Promise<DeliveryFailure | typeof POSTPONED | null> {
    const place = placeOf(event)
    const isSlow = slow.has(place)
    if (isSlow && waiting >= concurrency / 2) return POSTPONED
    waiting += Number(isSlow)
    let tookMs = 0
    const onCalled = (ms: number): void => void (tookMs = ms)
    try {
      return await deliverEvent(event, { platform, declarations, timeoutMs, now, onCalled })
    } catch (error) {
      report(error, event)
      return UNEXPECTED_FAILURE
    } finally {
      noteTime(place, tookMs)
      waiting -= Number(isSlow)
    }
  }

  /** Rises at once and falls slowly: a target that answers some events at once must not get all places with the others. */
  function noteTime(place: string, tookMs: number): void {
    const before = slow.get(place)
    const usualMs = Math.max(tookMs, ((before ?? 0) * 3 + tookMs) / 4)
    if (usualMs >= timeoutMs * SLOW_PART) {
      if (before !== undefined || slow.size < SLOW_MAX) slow.set(place, usualMs)
    } else if (slow.delete(place)) {
      // the places that its events would have taken are free earlier
      nextPlaceAt = 0
    }
  }

  /** After those before it, but not later than the longest delay of a retry: their service may be fast again. */
  const postponedUntil = (event: OutboxEvent): number => {
    const takesMs = (slow.get(placeOf(event)) ?? timeoutMs) / Math.max(1, concurrency / 2)
    nextPlaceAt = Math.min(now() + DELAY_MAX_MS, Math.max(now(), nextPlaceAt) + takesMs)
    return Math.ceil(nextPlaceAt)
  }

  function report(error: unknown, event: OutboxEvent | null): void {
    try {
      onError(error, event?.eventId ?? null)
    } catch (errorOfHandler) {
      printError(errorOfHandler)
    }
  }

  /** The delay by the author's policy. If the policy throws or returns no valid delay, by the default policy. */
  function retryDelay(failure: DeliveryFailure, event: OutboxEvent): number | null {
    try {
      const delay = retry(failure, event)
      if (delay === null || (delay >= 0 && delay <= DELAY_LIMIT_MS)) return delay
      throw new RangeError(`The retry policy returned ${delay}: return null or milliseconds, up to 100 years`)
    } catch (error) {
      report(error, event)
      return defaultRetryPolicy(failure, event)
    }
  }

  function updateAfter(event: OutboxEvent, failure: DeliveryFailure | null): EventUpdate {
    const { eventId, attempts, nextAttemptAt } = event
    const result = { eventId, attempts, nextAttemptAt }
    if (failure === null) return { ...result, state: 'DELIVERED', lastError: null, endedAt: now() }
    const lastError = { errorCode: failure.errorCode, message: storable(failure.message) }
    const delay = retryDelay(failure, event)
    if (delay === null) return { ...result, state: 'FAILED', lastError, endedAt: now() }
    // Later than now, so that one call makes one attempt.
    const later = Math.round(now() + Math.max(1, delay))
    return { ...result, state: 'PENDING', nextAttemptAt: later, lastError, endedAt: null }
  }

  let tidiedAt = -Infinity
  /** Takes over immediately what a crashed process on this machine was sending, and deletes old events; once a minute. */
  async function tidyOften(): Promise<void> {
    if (now() - tidiedAt <= 60_000) return
    await store.transaction(async (tx) => {
      for (const other of await events.owners(tx)) if (isOwnerGone(other)) await events.release(tx, other)
      await events.forgetDelivered(tx, now() - retentionMs)
    })
    tidiedAt = now()
  }

  async function deliverUntil(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await deliver(signal).catch((error: unknown) => report(error, null))
      await wait(pollMs, undefined, { signal }).catch(() => undefined)
    }
  }

  return {
    async publish(tx, event) {
      const made = newEvent(event, now())
      await events.insert(tx, made)
      return made.eventId
    },
    start() {
      if (stopping !== null) return
      stopping = new AbortController()
      loop = deliverUntil(stopping.signal)
    },
    async stop() {
      stopping?.abort()
      await loop
      stopping = null
    },
    deliverDue: () => deliver(),
    list: ({ state, limit = 100 } = {}) =>
      store.transaction((tx) => events.list(tx, { state: state ?? null, limit })),
    count: () => store.transaction((tx) => events.count(tx)),
    retry: (eventId) => store.transaction((tx) => events.retry(tx, { eventId, now: now() })),
  }
}

/** The reference of an event, whose target may be slow. */
const placeOf = ({ installation, resource, propertyKey }: OutboxEvent): string =>
  JSON.stringify([installation.bundleInstallId, resource, propertyKey])

/** PostgreSQL stores no NUL character. */
const storable = (message: string): string => message.replaceAll('\0', '\ufffd')

/** The events of the store. Throws if it is an author's own store that keeps none. */
export function eventsOf<Tx>({ events }: Store<Tx>): EventTables<Tx> {
  if (events === undefined) throw new Error('This store keeps no events: give it `events`')
  return events
}

function newEvent(event: EventToPublish, createdAt: number): OutboxEvent {
  const { installation, resource, propertyKey, method, payload, idempotencyKey } = event
  // an event that cannot be read again would keep all others from being sent
  if (!InstallationIdentity.safeParse(installation).success)
    throw new TypeError('The installation of an event must be exactly that of a call')
  if (!isJsonValue(payload)) throw new TypeError('The payload of an event must be JSON')
  if (idempotencyKey !== undefined && !/^[\x21-\x7e]{1,128}$/.test(idempotencyKey))
    throw new TypeError('An idempotencyKey must have 1 to 128 visible ASCII characters')
  const eventId =
    idempotencyKey === undefined
      ? randomUUID()
      : createHash('sha256')
          .update(
            JSON.stringify([installation.bundleInstallId, resource, propertyKey, method, idempotencyKey]),
          )
          .digest('hex')
          .slice(0, 32)
  return {
    eventId,
    idempotencyKey: idempotencyKey ?? eventId,
    installation,
    resource,
    propertyKey,
    method,
    payload,
    state: 'PENDING',
    attempts: 0,
    createdAt,
    nextAttemptAt: createdAt,
    lastError: null,
    endedAt: null,
  }
}
