import type { ColumnType, Generated, GeneratedAlways } from 'kysely'
import type { JsonValue } from '#contract/json-schema/json.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import type { ResourceKind } from '#contract/protocol/locator.ts'
import type { AuthorManifest } from '#contract/protocol/manifest.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import type { OperationType, Outcome, Stage } from '#contract/protocol/vocabulary.ts'
import type { AuditChange } from '#contract/runtime-api/audit.ts'
import type { Failure } from '#contract/runtime-api/common.ts'
import type { Manager } from '#contract/runtime-api/managers.ts'
import type { WireEvidence } from '#contract/runtime-api/operations.ts'
import type {
  InstallationState,
  OperationState,
  Phase,
  PluginPolicyName,
} from '#contract/runtime-api/vocabulary.ts'
import type { PauseTable, PinColumns, StandingColumns } from './safeguard-columns.ts'
import type { FreezeTable } from './freeze.ts'
import type { FrozenPlan, Writes, StoredValue } from './plan.ts'
import type { BatchTables } from './batch-tables.ts'
import type { CauseNoteTable, CauseTable } from './cause-tables.ts'
import type { ChangeRequestTables } from './change-request-tables.ts'
import type { FollowTable, InboxNotificationTable } from './inbox-tables.ts'
import type { PluginReadTable, PluginRefusalTable, PluginReportTable, PluginTable } from './plugin.ts'
import type { WebhookDeliveryTable, WebhookTable } from './webhook-tables.ts'

// The content of the tables of migrations/*.sql as the driver returns it: int8 as number, timestamptz as RFC 3339
// text in UTC, json parsed. Json columns are written as text from JSON.stringify.

type Time = Generated<string>
type Json<T> = ColumnType<T, string, string>
type NullableJson<T> = ColumnType<T | null, string | null | undefined, string | null>

interface ScopeColumns {
  environment_key: string
  application_runtime_id: string
  workspace_id: number
}

interface AuditColumns {
  actor_id: string
  actor_name: string
  actor_issuer: string | null
  client_address: string | null
  action: string
  subject: string
  environment_key: string | null
  application_runtime_id: string | null
  workspace_id: number | null
  bundle_install_id: string | null
  operation_id: string | null
  reason: string | null
  changes: Json<AuditChange[]>
  outcome: 'DONE' | 'REFUSED'
  error_code: string | null
  request_id: string
  occurrence_count: number | null
  first_occurred_at: string | null
  last_occurred_at: string | null
}

export interface RuntimeTables extends BatchTables, ChangeRequestTables {
  'runtime.scope': ScopeColumns & {
    scope_id: Generated<number>
    snapshot_version: Generated<number>
    saved_at: Time
    saved_by_id: string
    saved_by_name: string
  }
  'runtime.bundle_version': StandingColumns & {
    bundle_environment_key: string
    bundle_id: string
    version: string
    title: string
    description: string | null
    manifest: Json<AuthorManifest>
    published_at: Time
    published_by_id: string
    published_by_name: string
    /** Computed from the version, with the next one: its place among versions, and whether it is a release. */
    precedence: GeneratedAlways<string>
    is_release: GeneratedAlways<boolean>
    /** Computed from the manifest: locator, title of the resource, name and title of each property. */
    properties: GeneratedAlways<{ locator: string; resource: string; property: string; title: string }[]>
  }
  'runtime.installation': ScopeColumns &
    PinColumns & {
      bundle_install_id: string
      scope_id: number
      bundle_environment_key: string
      bundle_id: string
      title: string
      state: InstallationState
      version: string | null
      /** The place of the version in lists; a trigger sets it. */
      version_order: GeneratedAlways<string>
      last_execution_sequence: Generated<number>
      /** All null unless it is protected from being detached. */
      protected_at: Generated<string | null>
      protected_by_id: Generated<string | null>
      protected_by_name: Generated<string | null>
      protected_reason: Generated<string | null>
      created_at: Time
      updated_at: Time
    }
  'runtime.installed_resource': {
    bundle_install_id: string
    locator: string
    scope_id: number
    kind: ResourceKind
    title: string
    module_id: string | null
    version: string
    definitions: Json<Record<string, PropertyDefinition>>
    written_by: Json<Record<string, string>>
    properties: Json<Record<string, StoredValue>>
    verified_at: Time
  }
  'runtime.configuration_property': {
    scope_id: number
    locator: string
    property: string
    bundle_install_id: string
    value: Json<StoredValue>
    snapshot_version: number
    manager: Generated<Manager>
    /** The order in which the keys of the value were written; null if it is that of jsonb. */
    key_order: NullableJson<JsonValue>
  }
  'runtime.gateway_domain': {
    environment_key: string
    domain: string
    bundle_install_id: string
    locator: string
    property: string
  }
  'runtime.snapshot': {
    scope_id: number
    snapshot_version: number
    saved_at: Time
    saved_by_id: string
    saved_by_name: string
    reason: string | null
    cause: 'CREATED' | 'SAVE' | OperationType
    operation_id: string | null
  }
  'runtime.snapshot_change': {
    scope_id: number
    snapshot_version: number
    locator: string
    property: string
    is_sensitive: boolean
    before: NullableJson<StoredValue>
    after: NullableJson<StoredValue>
    /** The manager since this change; null if the value was removed, or if it is unknown. */
    manager: Manager | null
  }
  'runtime.sensitive_mark': {
    scope_id: number
    locator: string
    property: string
    marked_at: Time
  }
  'runtime.operation': ScopeColumns & {
    operation_id: string
    bundle_install_id: string
    scope_id: number
    bundle_environment_key: string
    bundle_id: string
    operation_type: OperationType
    current_version: string | null
    target_version: string
    execution_sequence: number
    run: Generated<number>
    state: OperationState
    phase: Phase
    holds_claim: Generated<boolean>
    in_doubt_since: string | null
    takes_over: string | null
    taken_over_by: string | null
    failure: NullableJson<Failure>
    /** Set by a trigger with the failure. */
    cause_id: ColumnType<string | null, never, never>
    requested_by_id: string
    requested_by_name: string
    reason: string | null
    created_at: Time
    started_at: string | null
    finished_at: string | null
    next_attempt_at: string | null
    /** Null in the first run. */
    run_started_at: string | null
    earlier_runs_ms: Generated<number>
    available_at: Time
    /** The plugin of the next call; empty if it is not known. */
    next_plugin: Generated<string>
    lease_owner: string | null
    lease_epoch: Generated<number>
    assignee_id: string | null
    assignee_name: string | null
    /** It was started or retried in spite of what refused it. */
    overridden: Generated<boolean>
    change_request_id: string | null
    /** It, or its scope, is paused: no plugin is called for it. */
    paused: Generated<boolean>
    /** When the last pause of it, or of its scope, ended. */
    resumed_at: string | null
  }
  'runtime.cause': CauseTable
  'runtime.cause_note': CauseNoteTable
  'runtime.operation_note': {
    operation_id: string
    /** From 1, without gaps. */
    number: number
    author_id: string
    author_name: string
    at: Time
    text: string
  }
  'runtime.operation_retry': {
    operation_id: string
    run: number
    started_at: Time
    started_by_id: string
    started_by_name: string
    reason: string | null
    failure: NullableJson<Failure>
    failed_at: string | null
  }
  'runtime.operation_plan': { operation_id: string; plan: Json<FrozenPlan<StoredValue>> }
  'runtime.plugin_call': {
    operation_id: string
    stage: Stage
    plugin_id: string
    call_order: number
    /** Sealed. */
    request: Buffer | null
    outcome: Outcome | null
    ended_well: Generated<boolean>
    failed: Generated<boolean>
    writes: NullableJson<Writes<StoredValue>>
    attempts: Generated<number>
    run_attempts: Generated<number>
    last_failure: NullableJson<Failure>
    next_attempt_at: string | null
  }
  'runtime.attempt': {
    operation_id: string
    stage: Stage
    plugin_id: string
    attempt: number
    run: number
    lease_epoch: number
    late: Generated<boolean>
    started_at: Time
    finished_at: string | null
    due_at: Generated<string | null>
    sent_ms: Generated<number | null>
    connected_ms: Generated<number | null>
    answered_ms: Generated<number | null>
    ended_ms: Generated<number | null>
    outcome: Outcome | null
    failure: NullableJson<Failure>
    http_status: number | null
    response: NullableJson<JsonValue>
    wire: NullableJson<WireEvidence>
    /** The platform answered it instead of a retired plugin. */
    by_platform: Generated<boolean>
  }
  'runtime.plugin': PluginTable
  'runtime.plugin_report': PluginReportTable
  'runtime.plugin_policy': { environment_key: string; policy: PluginPolicyName }
  'runtime.change_freeze': FreezeTable
  'runtime.pause': PauseTable
  /** Written by triggers. */
  'runtime.plugin_endpoint': { plugin_id: string; since: Time; endpoint: string }
  'runtime.plugin_credential': {
    credential_id: string
    plugin_id: string
    secret_hash: Buffer
    created_at: Time
    last_used_at: string | null
    revoked_at: string | null
  }
  'runtime.follow': FollowTable
  'runtime.inbox_notification': InboxNotificationTable
  'runtime.webhook': WebhookTable
  'runtime.webhook_delivery': WebhookDeliveryTable
  'runtime.service': {
    service_id: string
    title: string
    url: string
    methods: Json<string[]>
    owner_bundle_install_id: string | null
    owner_locator: string | null
    consumers: Json<Scope[]>
    enabled: boolean
    updated_at: Time
  }
  'runtime.local_service': {
    scope_id: number
    service_name: string
    values: Json<Record<string, JsonValue>>
    version: number
    saved_at: Time
    saved_by_id: string
    saved_by_name: string
  }
  'runtime.audit_entry': AuditColumns & {
    sequence: number
    format: Generated<number>
    at: Time
    previous_hash: Buffer
    hash: Buffer
  }
  'runtime.audit_draft': AuditColumns & { draft_id: Generated<number> }
  'runtime.audit_head': { one: true; sequence: number; hash: Buffer }
  'runtime.comparison': {
    actor_id: string
    scope_id: number
    locator: string
    property: string
    digest: Buffer
    compared_at: Time
  }
  'runtime.plugin_refusal': PluginRefusalTable
  'runtime.plugin_read': PluginReadTable
  'runtime.idempotency': {
    actor_id: string
    endpoint: string
    key: string
    request_hash: Buffer
    answer: NullableJson<JsonValue>
    created_at: Time
  }
  'runtime.event': {
    event_xid: Generated<string>
    event_id: Generated<number>
    kind: 'operation' | 'installation' | 'configuration'
    scope_id: number
    object_id: string
    version: number | null
    at: Time
  }
  'runtime.data_key': {
    data_key_id: number
    wrapped: Buffer
    sealing_key: string
    created_at: Time
    replaced_at: string | null
  }
  'runtime.sealing_pass': {
    table_name: string
    data_key_id: number
    started_at: Time
    last_row: NullableJson<string[]>
    unopened: Generated<number>
    finished_at: string | null
  }
  'runtime.signing_key': {
    kid: string
    public_jwk: Json<JsonValue>
    last_seen_at: Time
    clock_ahead_ms: number | null
    worker_seen_at: string | null
  }
}
