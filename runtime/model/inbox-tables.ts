import type { ColumnType, Generated } from 'kysely'
import type { Person } from '#contract/runtime-api/common.ts'
import type { FollowSubject } from '#contract/runtime-api/inbox.ts'
import type { InboxEvent, InboxReason } from '#contract/runtime-api/vocabulary.ts'

export interface FollowTable {
  follow_id: Generated<string>
  person_id: string
  person_name: string
  kind: FollowSubject['kind']
  /** The id of the operation, the installation or the scope. */
  object_id: string
  scope_id: number
  created_at: Generated<string>
  escalate_after_minutes: number | null
  escalate_to: ColumnType<Person[], string, string>
}

export interface InboxNotificationTable {
  notification_id: Generated<string>
  person_id: string
  event: InboxEvent
  because: InboxReason
  /** What it reports, so that each is reported once. */
  subject: string
  operation_id: string | null
  batch_id: string | null
  by_id: string | null
  by_name: string | null
  at: Generated<string>
  read_at: string | null
  snoozed_until: string | null
}
