import { inTransaction } from '#database/transaction.ts'
import type { RuntimeDeps } from '../deps/runtime-deps.ts'
import { webhookPlace } from '../sealing/places.ts'
import { opening } from '../sealing/opening.ts'
import { recordDelivered, recordFailed, takeDeliveries } from '../store/webhooks/deliver.ts'
import type { DueDelivery } from '../store/webhooks/deliver.ts'
import { signedHeaders } from './signature.ts'

const TIMEOUT_MS = 10_000
/** The content of a response does not matter. */
const RESPONSE_BYTES_MAX = 65_536
const FIRST_DELAY_MS = 5_000
const DELAY_MAX_MS = 3_600_000

/** Sends the deliveries that are due, at most `limit` of them at once; returns how many there were. */
export async function deliverDue(deps: RuntimeDeps, limit: number, signal: AbortSignal): Promise<number> {
  const due = await takeDeliveries(deps.db, limit)
  await Promise.all(
    due.map((delivery) =>
      deliver(deps, delivery, signal).catch((error: unknown) =>
        // it is sent again when the lease of this attempt ends
        deps.log.warn('a notification could not be sent', { deliveryId: delivery.delivery_id }, error),
      ),
    ),
  )
  return due.length
}

async function deliver(deps: RuntimeDeps, delivery: DueDelivery, signal: AbortSignal): Promise<void> {
  const { delivery_id: id, webhook_id, body, url } = delivery
  const secret = await opening(deps.vault, deps.db, () =>
    deps.vault.open(delivery.secret, webhookPlace(webhook_id)),
  )
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
  // the runtime stops: nothing is known about the receiver
  if (signal.aborted) return
  await inTransaction(deps.db, async (tx) => {
    const status = result.kind === 'response' ? result.status : null
    if (status !== null && status >= 200 && status < 300) return recordDelivered(tx, delivery, status)
    return recordFailed(tx, delivery, {
      status,
      error: result.kind === 'failed' ? result.reason : null,
      isGone: status === 410,
      delayMs: delivery.is_overdue ? null : delayMs(delivery.attempts, deps.random.fraction()),
    })
  })
}

/** 5 s after the first attempt, then four times as long each time, up to an hour; half of it is jitter. */
export function delayMs(attempts: number, fraction: number): number {
  const full = Math.min(FIRST_DELAY_MS * 4 ** Math.min(attempts - 1, 10), DELAY_MAX_MS)
  return Math.round(full / 2 + (full / 2) * fraction)
}
