import type { ColumnType, Generated } from 'kysely'
import type { Person } from '#contract/runtime-api/common.ts'
import type { FollowSubject } from '#contract/runtime-api/inbox.ts'
import type { InboxEvent, InboxReason } from '#contract/runtime-api/vocabulary.ts'

export interface FollowTable {
  follow_id: Generated<string>
  person_id: string
  person_name: string
  kind: FollowSubject['kind']
  /** The id of the operation, the installation, the scope or the cause. */
  object_id: string
  /** Null of a cause. */
  scope_id: number | null
  created_at: Generated<string>
  escalate_after_minutes: number | null
  escalate_to: ColumnType<Person[], string, string>
  /** When the escalation ends; null if there is none. */
  escalates_until: string | null
}

export interface InboxNotificationTable {
  notification_id: Generated<string>
  person_id: string
  event: InboxEvent
  because: InboxReason
  /** What it reports, so that each is reported once; of a change request, it begins with its id and a slash. */
  subject: string
  operation_id: string | null
  batch_id: string | null
  cause_id: string | null
  by_id: string | null
  by_name: string | null
  at: Generated<string>
  read_at: string | null
  snoozed_until: string | null
}
