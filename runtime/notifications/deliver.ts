import { createHmac } from 'node:crypto'
import { inTransaction } from '#database/transaction.ts'
import type { RuntimeDeps } from '../deps/runtime-deps.ts'
import { webhookPlace } from '../sealing/places.ts'
import { opening } from '../sealing/sealed-value.ts'
import { openAddress } from '../sealing/webhook-address.ts'
import { keepBody, recordDelivered, recordFailed, type DueDelivery } from '../store/webhooks/deliver.ts'
import { writeNotification } from './write-notification.ts'

const TIMEOUT_MS = 10_000
/** The content of a response does not matter. */
const RESPONSE_BYTES_MAX = 65_536
const FIRST_DELAY_MS = 5_000
const DELAY_MAX_MS = 3_600_000

/** Makes one attempt of a delivery and records its result. Throws if the result could not be recorded. */
export async function deliver(deps: RuntimeDeps, delivery: DueDelivery, signal: AbortSignal): Promise<void> {
  const { status, error } = await send(deps, delivery, signal)
  // the runtime stops: nothing is known about the receiver
  if (signal.aborted) return
  await inTransaction(deps.db, async (tx) => {
    if (status !== null && status >= 200 && status < 300) return recordDelivered(tx, delivery, status)
    return recordFailed(tx, delivery, {
      status,
      error,
      isGone: status === 410,
      delayMs: delivery.is_overdue ? null : delayMs(delivery.attempts, deps.random.fraction()),
    })
  })
}

/** The HTTP status, or why there is none; `not-sent` if this platform could not make the request. */
async function send(
  deps: RuntimeDeps,
  delivery: DueDelivery,
  signal: AbortSignal,
): Promise<{ status: number | null; error: string | null }> {
  const { delivery_id: id, webhook_id, secret: sealed } = delivery
  try {
    const body = await bodyOf(deps, delivery)
    const { url, secret } = await opening(deps.vault, deps.db, () => ({
      url: openAddress(deps.vault, delivery),
      secret: deps.vault.open(sealed, webhookPlace(webhook_id)),
    }))
    const timestamp = Math.floor(deps.clock.now().getTime() / 1000)
    const result = await deps.http.request({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/json', ...signedHeaders(secret, { id, timestamp, body }) },
      body: Buffer.from(body, 'utf8'),
      timeoutMs: TIMEOUT_MS,
      maxResponseBytes: RESPONSE_BYTES_MAX,
      signal,
    })
    return result.kind === 'response'
      ? { status: result.status, error: null }
      : { status: null, error: result.reason }
  } catch (error) {
    deps.log.warn('a notification could not be sent', { deliveryId: id }, error)
    return { status: null, error: 'not-sent' }
  }
}

async function bodyOf(deps: RuntimeDeps, delivery: DueDelivery): Promise<string> {
  const { delivery_id, body, is_written, format } = delivery
  if (is_written) return body
  return keepBody(deps.db, delivery_id, await writeNotification(deps, body, format))
}

/** 5 s after the first attempt, then four times as long each time, up to an hour; half of it is jitter. */
export function delayMs(attempts: number, fraction: number): number {
  const full = Math.min(FIRST_DELAY_MS * 4 ** Math.min(attempts - 1, 10), DELAY_MAX_MS)
  return Math.round(full / 2 + (full / 2) * fraction)
}

/** The headers of a delivery, as Standard Webhooks defines them. `timestamp` is in seconds since 1970. */
function signedHeaders(
  secret: Uint8Array,
  { id, timestamp, body }: { id: string; timestamp: number; body: string },
): Record<string, string> {
  const signature = createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64')
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${signature}`,
  }
}
