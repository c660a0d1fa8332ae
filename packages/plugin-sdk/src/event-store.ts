import type { JsonValue } from '../../../contract/json-schema/json.ts'
import type { ReferenceLocation } from './resolve-reference.ts'
import type { Awaitable } from './awaitable.ts'

/** PENDING until the target confirms it, or until the retry policy gives it up. */
export const EVENT_STATES = ['PENDING', 'DELIVERED', 'FAILED'] as const
export type EventState = (typeof EVENT_STATES)[number]

/** An event in the outbox. It contains the logical reference, never an address or a token. Times are milliseconds since 1970. */
export interface OutboxEvent extends ReferenceLocation {
  /** The same in every attempt. */
  eventId: string
  /** The business key by which the target recognizes the event; the same in every attempt. */
  idempotencyKey: string
  /** The event method that the target Module declares. */
  method: string
  payload: JsonValue
  state: EventState
  attempts: number
  createdAt: number
  nextAttemptAt: number
  lastError: DeliveryError | null
  /** When it was delivered or given up. */
  endedAt: number | null
}

export interface DeliveryError {
  errorCode: string
  message: string
}

/** The result of an attempt, as it is stored. */
export type EventUpdate = Pick<
  OutboxEvent,
  'eventId' | 'state' | 'attempts' | 'nextAttemptAt' | 'lastError' | 'endedAt'
>

/** An event that a receiver has handled. */
export interface ReceivedEvent {
  /** The plugin that sent it. */
  source: string
  eventId: string
  /** SHA-256 of method and body, in hexadecimal. */
  fingerprint: string
  receivedAt: number
}

/** Where a store keeps events. All methods are called inside a transaction of the store. */
export interface EventTables<Tx> {
  /** Inserts a pending event; an event with this id is kept as it is. */
  insert(tx: Tx, event: OutboxEvent): Awaitable<void>
  /** Leases due events to this owner, the earliest first. */
  lease(
    tx: Tx,
    by: { owner: string; now: number; leaseUntil: number; limit: number },
  ): Awaitable<OutboxEvent[]>
  /** Stores the result of an attempt and ends the lease, if this owner still has it. */
  settle(tx: Tx, owner: string, update: EventUpdate): Awaitable<void>
  /** The owners of leases. */
  owners(tx: Tx): Awaitable<string[]>
  /** Ends the leases of an owner that no longer exists. */
  release(tx: Tx, owner: string): Awaitable<void>
  /** The newest first. */
  list(tx: Tx, which: { state: EventState | null; limit: number }): Awaitable<OutboxEvent[]>
  count(tx: Tx): Awaitable<Record<EventState, number>>
  /** Makes a failed event pending and due. Whether there was one. */
  retry(tx: Tx, which: { eventId: string; now: number }): Awaitable<boolean>
  /** Deletes delivered events that ended before this time. */
  forgetDelivered(tx: Tx, endedBefore: number): Awaitable<void>
  readReceived(tx: Tx, key: { source: string; eventId: string }): Awaitable<ReceivedEvent | null>
  insertReceived(tx: Tx, event: ReceivedEvent): Awaitable<void>
  forgetReceived(tx: Tx, before: number): Awaitable<void>
}
