import { createHmac } from 'node:crypto'

/** The headers of a delivery, as Standard Webhooks defines them. `timestamp` is in seconds since 1970. */
export function signedHeaders(
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
