import { setTimeout as sleep } from 'node:timers/promises'
import { readEnvelope } from '#contract/protocol/envelope.ts'
import type { ConsoleEvent } from '#contract/runtime-api/audit.ts'
import { CONSOLE_ACTOR_ID } from '#contract/runtime-api/vocabulary.ts'
import type { Log } from '#http-kit/log.ts'
import type { Outbound } from '#http-kit/outbound-result.ts'
import type { AssertedPerson } from '../runtime/actor-assertion.ts'
import { deleteEvent, deleteOldEvents, takeEvent } from '../store/audit-events.ts'
import type { AuditEventRow } from '../store/audit-events.ts'
import type { BffDb } from '../store/tables.ts'

interface ForwarderOptions {
  db: BffDb
  send: SendEvent
  log: Log
  /** How often to look for due events, in milliseconds; default 1,000. */
  pollMs?: number | undefined
}

interface EventForwarder {
  /** Stops, and aborts the request in progress. */
  stop(): Promise<void>
}

const RETENTION_DAYS = 7
/** The maximum pause between two attempts while the runtime cannot be reached. */
const MAX_PAUSE_MS = 5_000

/** Sends due events to the audit of the runtime until it is stopped. Any number of replicas can share the work. */
export function startEventForwarder({ db, send, log, pollMs = 1_000 }: ForwarderOptions): EventForwarder {
  const stopped = new AbortController()
  /** Consecutive failed attempts. */
  let failures = 0

  const sendDue = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      const event = await takeEvent(db)
      if (event === undefined) return
      const sent = await send(event, stopped.signal)
      // the runtime may have recorded it; the event will be due again soon
      if (sent.kind === 'undelivered' && stopped.signal.aborted) return
      if (sent.kind === 'undelivered') {
        if (failures === 0) log.warn('audit events are waiting: the runtime cannot be reached')
        failures++
        const dropped = await deleteOldEvents(db, RETENTION_DAYS)
        if (dropped > 0) log.error('audit events that could not be delivered were dropped', { dropped })
        return
      }
      const { errorCode } = sent.kind === 'refused' ? sent : {}
      if (errorCode !== undefined) log.error('the runtime refused an audit event', { errorCode })
      await deleteEvent(db, event.event_id)
      if (failures > 0) log.info('audit events are being delivered again')
      failures = 0
    }
  }

  const run = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      await sendDue().catch((error: unknown) => log.warn('audit events could not be delivered', {}, error))
      const pauseMs = Math.min(pollMs * 2 ** Math.min(failures, 20), Math.max(pollMs, MAX_PAUSE_MS))
      await sleep(pauseMs, undefined, { signal: stopped.signal }).catch(() => undefined)
    }
  }
  const running = run()
  return {
    async stop() {
      stopped.abort()
      await running
    },
  }
}

/** The result of sending an event; an undelivered event may or may not have been recorded. */
export type SendResult =
  | { kind: 'recorded' }
  | { kind: 'refused'; errorCode: string }
  | { kind: 'undelivered' }
type SendEvent = (event: AuditEventRow, signal: AbortSignal) => Promise<SendResult>

/** The actor of events whose person is unknown. */
const CONSOLE = { id: CONSOLE_ACTOR_ID, name: 'Bundle Console' }
/** Shorter than the pause before an event is due again. */
const TIMEOUT_MS = 8_000

/** Sends an event to the runtime on behalf of its person; the runtime records the same event only once. */
export function createEventSender(options: {
  outbound: Outbound
  /** `{platform_api_base}/bundle-runtime/api` */
  baseUrl: string
  credential: string
  /** For assertions that are valid only for recording. */
  assertionOf: (person: AssertedPerson) => Promise<string>
}): SendEvent {
  return async (event, signal) => {
    const result = await options.outbound.request({
      method: 'POST',
      url: `${options.baseUrl}/audit/entries`,
      headers: {
        authorization: `Bearer ${options.credential}`,
        'x-runtime-actor-assertion': await options.assertionOf(actorOf(event)),
        'idempotency-key': event.event_id,
        'content-type': 'application/json',
      },
      body: Buffer.from(JSON.stringify(bodyOf(event))),
      timeoutMs: TIMEOUT_MS,
      signal,
    })
    if (result.kind === 'failed' || result.status !== 200) return { kind: 'undelivered' }
    const envelope = readEnvelope(parse(result.body))
    if (envelope.kind === 'success') return { kind: 'recorded' }
    return envelope.kind === 'failure'
      ? { kind: 'refused', errorCode: envelope.errorCode }
      : { kind: 'undelivered' }
  }
}

function actorOf({ actor_id: id, actor_name: name, actor_issuer: issuer }: AuditEventRow): AssertedPerson {
  if (id === null || name === null) return { ...CONSOLE, grants: [] }
  return { id, name, grants: [], issuer: issuer ?? undefined }
}

function bodyOf(event: AuditEventRow): ConsoleEvent {
  return {
    action: event.action,
    outcome: event.outcome,
    subject: event.subject,
    errorCode: event.error_code,
    scope: event.scope,
    bundleInstallId: event.bundle_install_id,
    operationId: event.operation_id,
    clientAddress: event.client_address,
    requestId: event.request_id,
    occurrences: { count: event.occurrences, firstAt: event.first_at, lastAt: event.last_at },
  }
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString('utf8'))
  } catch {
    return undefined
  }
}
