import type { EventTables, OutboxEvent, ReceivedEvent } from './event-store.ts'

export interface MemoryEvent extends OutboxEvent {
  owner: string | null
  leaseUntil: number | null
}

export interface MemoryEventTables {
  events: Map<string, MemoryEvent>
  received: Map<string, ReceivedEvent>
}

/** The events of the memory store. Stored objects are replaced, never changed: an open transaction has its own maps. */
export function memoryEvents<Tx extends { tables: MemoryEventTables }>(): EventTables<Tx> {
  const change = ({ tables }: Tx, event: MemoryEvent | undefined, changes: Partial<MemoryEvent>): void => {
    if (event !== undefined) tables.events.set(event.eventId, { ...event, ...changes })
  }
  return {
    insert({ tables }, event) {
      if (!tables.events.has(event.eventId))
        tables.events.set(event.eventId, { ...structuredClone(event), owner: null, leaseUntil: null })
    },
    lease(tx, { owner, now, leaseUntil, limit }) {
      const due = [...tx.tables.events.values()]
        .filter((event) => event.state === 'PENDING' && event.nextAttemptAt <= now)
        .filter((event) => event.leaseUntil === null || event.leaseUntil <= now)
        .sort((a, b) => a.nextAttemptAt - b.nextAttemptAt || a.createdAt - b.createdAt)
        .slice(0, limit)
      for (const event of due) change(tx, event, { owner, leaseUntil })
      return due.map(publicPart)
    },
    settle(tx, owner, update) {
      const event = tx.tables.events.get(update.eventId)
      if (event?.owner === owner) change(tx, event, { ...update, owner: null, leaseUntil: null })
    },
    owners: ({ tables }) => [
      ...new Set([...tables.events.values()].flatMap(({ owner }) => (owner === null ? [] : [owner]))),
    ],
    release(tx, owner) {
      for (const event of tx.tables.events.values())
        if (event.owner === owner) change(tx, event, { owner: null, leaseUntil: null })
    },
    list: ({ tables }, { state, limit }) =>
      [...tables.events.values()]
        .filter((event) => state === null || event.state === state)
        .sort((a, b) => b.createdAt - a.createdAt)
        .slice(0, limit)
        .map(publicPart),
    count({ tables }) {
      const counts = { PENDING: 0, DELIVERED: 0, FAILED: 0 }
      for (const { state } of tables.events.values()) counts[state]++
      return counts
    },
    retry(tx, { eventId, now }) {
      const event = tx.tables.events.get(eventId)
      if (event?.state !== 'FAILED') return false
      change(tx, event, { state: 'PENDING', attempts: 0, nextAttemptAt: now, endedAt: null })
      return true
    },
    forgetDelivered({ tables }, endedBefore) {
      for (const [eventId, { state, endedAt }] of tables.events)
        if (state === 'DELIVERED' && endedAt !== null && endedAt < endedBefore) tables.events.delete(eventId)
    },
    readReceived: ({ tables }, key) => tables.received.get(nameOf(key)) ?? null,
    insertReceived: ({ tables }, event) => void tables.received.set(nameOf(event), event),
    forgetReceived({ tables }, before) {
      for (const [name, { receivedAt }] of tables.received)
        if (receivedAt < before) tables.received.delete(name)
    },
  }
}

const nameOf = ({ source, eventId }: Pick<ReceivedEvent, 'source' | 'eventId'>): string =>
  JSON.stringify([source, eventId])

function publicPart(stored: MemoryEvent): OutboxEvent {
  const { owner: _, leaseUntil: _until, ...event } = stored
  return structuredClone(event)
}
