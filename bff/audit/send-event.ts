import { CONSOLE_ACTOR_ID } from '#contract/runtime-api/vocabulary.ts'
import { readEnvelope } from '#contract/protocol/envelope.ts'
import type { ConsoleEvent } from '#contract/runtime-api/audit.ts'
import type { AssertedPerson } from '../actor-assertion.ts'
import type { AuditEventRow } from '../store/audit-events/take-event.ts'
import type { Outbound } from '#http-kit/outbound-types.ts'

/** The result of sending an event; an undelivered event may or may not have been recorded. */
export type SendResult =
  | { kind: 'recorded' }
  | { kind: 'refused'; errorCode: string }
  | { kind: 'undelivered' }
export type SendEvent = (event: AuditEventRow, signal: AbortSignal) => Promise<SendResult>

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
