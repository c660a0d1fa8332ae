import type { ColumnType, Generated } from 'kysely'
import type { DeliveryState, NotificationEvent, WebhookFormat } from '#contract/runtime-api/vocabulary.ts'

export interface WebhookTable {
  webhook_id: string
  title: string
  /** What people see of the address. */
  url: string
  /** Sealed; null until a replica has sealed what an earlier version wrote. */
  address: Buffer
  events: NotificationEvent[]
  environment_key: string | null
  application_runtime_id: string | null
  workspace_id: number | null
  retrying_after_minutes: number
  format: ColumnType<WebhookFormat, WebhookFormat | undefined, WebhookFormat>
  enabled: boolean
  /** Sealed. */
  secret: Buffer
  created_at: Generated<string>
  failing_since: string | null
  disabled_because: 'FAILING' | 'GONE' | null
  /** When a person last saved it. */
  updated_at: Generated<string>
}

/** The outbox of notifications, and the log of what was sent. */
export interface WebhookDeliveryTable {
  delivery_id: Generated<string>
  webhook_id: string
  event: NotificationEvent | 'test'
  subject: string
  operation_id: string | null
  batch_id: string | null
  body: string
  /** Whether `body` is what is sent; before, it is what a trigger recorded. */
  is_written: Generated<boolean>
  state: Generated<DeliveryState>
  attempts: Generated<number>
  created_at: Generated<string>
  available_at: Generated<string>
  ended_at: string | null
  last_status: number | null
  last_error: string | null
}
