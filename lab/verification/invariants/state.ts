import type { OperationType, Outcome, Stage } from '#contract/protocol/vocabulary.ts'
import type { OperationState, Phase } from '#contract/runtime-api/vocabulary.ts'
import { readJson } from './reader.ts'
import type { Reader } from './reader.ts'

// The content of the tables, read with plain SQL. Times are in milliseconds.

export interface OperationFact {
  operation_id: string
  bundle_install_id: string
  scope_id: number
  bundle: string
  operation_type: OperationType
  current_version: string | null
  target_version: string
  execution_sequence: number
  run: number
  state: OperationState
  phase: Phase
  holds_claim: boolean
  takes_over: string | null
  taken_over_by: string | null
  error_code: string | null
  created_at: number
  finished_at: number | null
  lease_owner: string | null
  lease_epoch: number
  /** Of the plan; null if the plan cannot be read. */
  resources: { locator: string; action: string; targetVersion: string }[] | null
  plugins: { pluginId: string; order: number }[] | null
}

export interface CallFact {
  operation_id: string
  stage: Stage
  plugin_id: string
  call_order: number
  outcome: Outcome | null
  ended_well: boolean
  failed: boolean
  error_code: string | null
  attempts: number
  /** SHA-256 of the frozen request; null before it is frozen, and if it is stored encrypted. */
  request_hash: string | null
}

export interface AttemptFact {
  operation_id: string
  stage: Stage
  plugin_id: string
  attempt: number
  run: number
  lease_epoch: number
  late: boolean
  started_at: number
  finished_at: number | null
  outcome: Outcome | null
  error_code: string | null
  /** Whether its failure says that a repetition may succeed. */
  retryable: boolean | null
  /** Of a message of this platform. */
  reason: string | null
  by_platform: boolean
  http_status: number | null
}

export interface InstallationFact {
  bundle_install_id: string
  scope_id: number
  bundle: string
  state: 'NOT_INSTALLED' | 'ACTIVE' | 'DETACHED'
  version: string | null
  last_execution_sequence: number
}

export interface ResourceFact {
  bundle_install_id: string
  scope_id: number
  locator: string
  version: string
  instance_ref: unknown
}

export interface ScopeFact {
  scope_id: number
  snapshot_version: number
}

export interface SnapshotFact {
  scope_id: number
  snapshot_version: number
  cause: string
  operation_id: string | null
  /** Of a recovery after a failover or restore, which raises the version and changes nothing. */
  is_recovery: boolean
}

export interface ChangeFact {
  scope_id: number
  snapshot_version: number
  locator: string
  property: string
  is_sensitive: boolean
  before: unknown
  after: unknown
}

export interface PropertyFact {
  scope_id: number
  locator: string
  property: string
  bundle_install_id: string
  value: unknown
}

export interface AuditFact {
  sequence: number
  action: string
  outcome: 'DONE' | 'REFUSED'
  operation_id: string | null
  request_id: string
}

export interface EventFact {
  xid: string
  event_id: number
  kind: 'operation' | 'installation' | 'configuration'
  scope_id: number
  object_id: string
  version: number | null
}

/** The last time the runtime raised all numbers, because the database may have gone back in time. */
export interface RecoveryFact {
  recovered_at: number
}

export interface State {
  operations: OperationFact[]
  calls: CallFact[]
  attempts: AttemptFact[]
  installations: InstallationFact[]
  resources: ResourceFact[]
  scopes: ScopeFact[]
  snapshots: SnapshotFact[]
  changes: ChangeFact[]
  properties: PropertyFact[]
  audit: AuditFact[]
  events: EventFact[]
  /** At most one. */
  recoveries: RecoveryFact[]
}

const ms = (column: string): string => `(extract(epoch from ${column}) * 1000)::float8`

// each is limited to the scopes in $1
const parts: Record<keyof State, string> = {
  scopes: `select scope_id, snapshot_version from runtime.scope where scope_id = any($1)`,
  installations: `select bundle_install_id, scope_id, bundle_environment_key || '/' || bundle_id as bundle, state,
      version, last_execution_sequence
    from runtime.installation where scope_id = any($1)`,
  operations: `select o.operation_id, bundle_install_id, scope_id,
      bundle_environment_key || '/' || bundle_id as bundle, operation_type, current_version, target_version,
      execution_sequence, run, state, phase, holds_claim, takes_over, taken_over_by,
      failure ->> 'errorCode' as error_code, ${ms('created_at')} as created_at, ${ms('finished_at')} as finished_at,
      lease_owner, lease_epoch,
      (select json_agg(json_build_object('locator', r -> 'locator', 'action', r -> 'action',
        'targetVersion', r -> 'targetVersion')) from json_array_elements(plan -> 'resources') r) as resources,
      (select coalesce(json_agg(json_build_object('pluginId', p -> 'pluginId', 'order', p -> 'order')), '[]')
        from json_array_elements(plan -> 'plugins') p) as plugins
    from runtime.operation o left join runtime.operation_plan using (operation_id)
    where scope_id = any($1) order by bundle_install_id, execution_sequence`,
  calls: `select operation_id, stage, plugin_id, call_order, outcome, ended_well, failed,
      last_failure ->> 'errorCode' as error_code, attempts,
      case when get_byte(request, 0) = ascii('{') then encode(sha256(request), 'hex') end as request_hash
    from runtime.plugin_call join mine using (operation_id) order by operation_id, stage, plugin_id`,
  attempts: `select operation_id, stage, plugin_id, attempt, run, lease_epoch, late, ${ms('started_at')} as started_at,
      ${ms('finished_at')} as finished_at, outcome, failure ->> 'errorCode' as error_code,
      (failure ->> 'retryable')::boolean as retryable, failure -> 'parameters' ->> 'reason' as reason, by_platform, http_status
    from runtime.attempt join mine using (operation_id) order by operation_id, stage, plugin_id, attempt`,
  resources: `select bundle_install_id, scope_id, locator, version,
      properties -> 'instanceRefProperty' as instance_ref
    from runtime.installed_resource where scope_id = any($1)`,
  snapshots: `select scope_id, snapshot_version, cause, operation_id, saved_by_id = 'bundle-runtime' as is_recovery
    from runtime.snapshot where scope_id = any($1) order by scope_id, snapshot_version`,
  changes: `select scope_id, snapshot_version, locator, property, is_sensitive, before, after
    from runtime.snapshot_change where scope_id = any($1) order by scope_id, snapshot_version`,
  properties: `select scope_id, locator, property, bundle_install_id, value
    from runtime.configuration_property where scope_id = any($1)`,
  audit: `select sequence, action, outcome, operation_id, request_id
    from runtime.audit_entry
    where (environment_key, application_runtime_id, workspace_id) in (
      select environment_key, application_runtime_id, workspace_id from runtime.scope where scope_id = any($1))
    order by sequence`,
  events: `select event_xid::text as xid, event_id, kind, scope_id, object_id, version
    from runtime.event where scope_id = any($1) order by event_xid, event_id`,
  recoveries: `select ${ms('recovered_at')} as recovered_at from runtime.server_identity
    where recovered_at is not null and cardinality($1::bigint[]) > 0`,
}

const STATEMENT = `
  with mine as (select operation_id from runtime.operation where scope_id = any($1))
  select json_build_object(${Object.entries(parts)
    .map(([name, part]) => `'${name}', (select coalesce(json_agg(part), '[]') from (${part}) part)`)
    .join(',\n')})::text as json`

/** Everything in these scopes, read by one statement and so consistent. */
export async function readState(reader: Reader, scopeIds: readonly number[]): Promise<State> {
  // the statement builds exactly this shape
  return (await readJson(reader, STATEMENT, [scopeIds])) as State
}

/** All scopes of the database. */
export async function allScopes(reader: Reader): Promise<number[]> {
  const text = `select coalesce(json_agg(scope_id), '[]')::text as json from runtime.scope`
  // the statement builds an array of integers
  return (await readJson(reader, text, [])) as number[]
}

/** Whether an operation still has work to do. */
export const isUnfinished = ({ state }: Pick<OperationFact, 'state'>): boolean =>
  state === 'PENDING' || state === 'RUNNING' || state === 'WAITING'
