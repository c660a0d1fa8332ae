import { parseTrustedJson } from '../../../contract/protocol/strict-json.ts'
import { InstallationIdentity } from '../../../contract/protocol/scope.ts'
import type { JsonValue } from '../../../contract/json-schema/json.ts'
import { EVENT_STATES, type EventTables, type OutboxEvent } from './event-store.ts'
import { integer, oneOf, orNull, text, type Row, type RunSql } from './sql.ts'

/** The tables of events, in SQLite's words; see `sql.ts`. */
export const EVENT_SCHEMA = `
CREATE TABLE IF NOT EXISTS plugin_sdk_event (
  event_id TEXT NOT NULL PRIMARY KEY,
  idempotency_key TEXT NOT NULL,
  installation TEXT NOT NULL,
  resource TEXT NOT NULL,
  property_key TEXT NOT NULL,
  method TEXT NOT NULL,
  payload TEXT NOT NULL,
  state TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  next_attempt_at INTEGER NOT NULL,
  owner TEXT,
  lease_until INTEGER,
  last_error_code TEXT,
  last_error_message TEXT,
  ended_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS plugin_sdk_event_due ON plugin_sdk_event (state, next_attempt_at);
CREATE INDEX IF NOT EXISTS plugin_sdk_event_owner ON plugin_sdk_event (owner) WHERE owner IS NOT NULL;
CREATE INDEX IF NOT EXISTS plugin_sdk_event_ended ON plugin_sdk_event (state, ended_at);
CREATE TABLE IF NOT EXISTS plugin_sdk_received_event (
  source TEXT NOT NULL,
  event_id TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  received_at INTEGER NOT NULL,
  PRIMARY KEY (source, event_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS plugin_sdk_received_event_at ON plugin_sdk_received_event (received_at);
`

const INSERT = `
  INSERT INTO plugin_sdk_event (event_id, idempotency_key, installation, resource, property_key, method, payload, state,
    attempts, created_at, next_attempt_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
  ON CONFLICT (event_id) DO NOTHING`
const LEASE = `
  UPDATE plugin_sdk_event SET owner = $1, lease_until = $2
  WHERE event_id IN (
    SELECT event_id FROM plugin_sdk_event
    WHERE state = 'PENDING' AND next_attempt_at <= $3 AND (lease_until IS NULL OR lease_until <= $3)
    ORDER BY next_attempt_at, created_at LIMIT $4)
  RETURNING *`
const SETTLE = `
  UPDATE plugin_sdk_event SET
    owner = NULL, lease_until = NULL, state = $3, attempts = $4, next_attempt_at = $5, last_error_code = $6,
    last_error_message = $7, ended_at = $8
  WHERE event_id = $1 AND owner = $2`
const OWNERS = 'SELECT DISTINCT owner FROM plugin_sdk_event WHERE owner IS NOT NULL'
const RELEASE = 'UPDATE plugin_sdk_event SET owner = NULL, lease_until = NULL WHERE owner = $1'
const LIST = `
  SELECT * FROM plugin_sdk_event WHERE $1 = '' OR state = $1 ORDER BY created_at DESC, event_id LIMIT $2`
const COUNT = 'SELECT state, count(*) AS events FROM plugin_sdk_event GROUP BY state'
const RETRY = `
  UPDATE plugin_sdk_event SET state = 'PENDING', attempts = 0, next_attempt_at = $2, ended_at = NULL
  WHERE event_id = $1 AND state = 'FAILED' RETURNING event_id`
const FORGET_DELIVERED = `DELETE FROM plugin_sdk_event WHERE state = 'DELIVERED' AND ended_at < $1`
const READ_RECEIVED = 'SELECT * FROM plugin_sdk_received_event WHERE source = $1 AND event_id = $2'
const INSERT_RECEIVED = `
  INSERT INTO plugin_sdk_received_event (source, event_id, fingerprint, received_at) VALUES ($1, $2, $3, $4)`
const FORGET_RECEIVED = 'DELETE FROM plugin_sdk_received_event WHERE received_at < $1'

/** The events of a store that speaks SQL. */
export function sqlEvents<Tx>(run: RunSql<Tx>): EventTables<Tx> {
  return {
    async insert(tx, event) {
      await run(tx, INSERT, [
        event.eventId,
        event.idempotencyKey,
        JSON.stringify(event.installation),
        event.resource,
        event.propertyKey,
        event.method,
        JSON.stringify(event.payload),
        event.state,
        event.attempts,
        event.createdAt,
        event.nextAttemptAt,
      ])
    },
    async lease(tx, { owner, now, leaseUntil, limit }) {
      const leased = (await run(tx, LEASE, [owner, leaseUntil, now, limit])).map(eventOf)
      return leased.toSorted((a, b) => a.nextAttemptAt - b.nextAttemptAt || a.createdAt - b.createdAt)
    },
    async settle(tx, owner, { eventId, state, attempts, nextAttemptAt, lastError, endedAt }) {
      const error = [lastError?.errorCode ?? null, lastError?.message ?? null]
      await run(tx, SETTLE, [eventId, owner, state, attempts, nextAttemptAt, ...error, endedAt])
    },
    owners: async (tx) => (await run(tx, OWNERS, [])).map(({ owner }) => text(owner)),
    async release(tx, owner) {
      await run(tx, RELEASE, [owner])
    },
    list: async (tx, { state, limit }) => (await run(tx, LIST, [state ?? '', limit])).map(eventOf),
    async count(tx) {
      const counts = { PENDING: 0, DELIVERED: 0, FAILED: 0 }
      for (const row of await run(tx, COUNT, []))
        counts[oneOf(EVENT_STATES, row['state'])] = integer(row['events'])
      return counts
    },
    retry: async (tx, { eventId, now }) => (await run(tx, RETRY, [eventId, now])).length > 0,
    async forgetDelivered(tx, endedBefore) {
      await run(tx, FORGET_DELIVERED, [endedBefore])
    },
    async readReceived(tx, { source, eventId }) {
      const [row] = await run(tx, READ_RECEIVED, [source, eventId])
      if (row === undefined) return null
      const receivedAt = integer(row['received_at'])
      return { source, eventId, fingerprint: text(row['fingerprint']), receivedAt }
    },
    async insertReceived(tx, { source, eventId, fingerprint, receivedAt }) {
      await run(tx, INSERT_RECEIVED, [source, eventId, fingerprint, receivedAt])
    },
    async forgetReceived(tx, before) {
      await run(tx, FORGET_RECEIVED, [before])
    },
  }
}

const eventOf = (row: Row): OutboxEvent => ({
  eventId: text(row['event_id']),
  idempotencyKey: text(row['idempotency_key']),
  installation: InstallationIdentity.parse(JSON.parse(text(row['installation']))),
  resource: text(row['resource']),
  propertyKey: text(row['property_key']),
  method: text(row['method']),
  // written by JSON.stringify
  payload: parseTrustedJson(text(row['payload'])) as JsonValue,
  state: oneOf(EVENT_STATES, row['state']),
  attempts: integer(row['attempts']),
  createdAt: integer(row['created_at']),
  nextAttemptAt: integer(row['next_attempt_at']),
  lastError:
    row['last_error_code'] === null
      ? null
      : { errorCode: text(row['last_error_code']), message: text(row['last_error_message']) },
  endedAt: orNull(integer, row['ended_at']),
})
