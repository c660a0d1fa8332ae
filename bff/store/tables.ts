import type { ColumnType, Generated, Kysely, Transaction } from 'kysely'
import type { ViewPage } from '#contract/console-api/pages/saved-views.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import type { AuditAction } from '#contract/runtime-api/vocabulary.ts'
import type { RoleGrant } from '../roles.ts'

// The rows of the tables in migrations/*.sql as the driver returns them. JSON columns are written as text.

type Time = Generated<string>
type Json<T> = ColumnType<T, string, string>

export interface BffTables {
  'bff.session': {
    id_hash: Buffer
    iss: string
    sub: string
    name: string
    roles: Json<RoleGrant[]>
    created_at: Time
    last_seen_at: Time
    authenticated_at: string | null
    provider_session: string | null
    sealed_tokens: Buffer | null
    asked_at: string | null
    client_address: string | null
    user_agent: string | null
  }
  'bff.logout_token': { token_hash: Buffer; expires_at: string }
  'bff.sign_in': {
    state_hash: Buffer
    browser_hash: Buffer
    return_to: string
    created_at: Time
    confirms_session: Buffer | null
    confirms_iss: string | null
    confirms_sub: string | null
  }
  'bff.idp_record': {
    id_hash: Buffer
    kind: string
    payload: Json<Record<string, unknown>>
    grant_id: string | null
    uid: string | null
    consumed_at: string | null
    expires_at: string
  }
  'bff.idp_user': {
    username: string
    sub: string
    name: string
    password_hash: string
    roles: Json<RoleGrant[]>
    is_password_shown: Generated<boolean>
    created_at: Time
  }
  'bff.audit_event': {
    event_id: string
    merge_key: Buffer | null
    action: AuditAction
    outcome: 'DONE' | 'REFUSED'
    subject: string
    error_code: string | null
    actor_id: string | null
    actor_name: string | null
    actor_issuer: string | null
    scope: ColumnType<Scope | null, string | null, string | null>
    bundle_install_id: string | null
    operation_id: string | null
    client_address: string | null
    request_id: string
    occurrences: Generated<number>
    first_at: Time
    last_at: Time
    available_at: string
    attempts: Generated<number>
  }
  'bff.saved_view': {
    view_id: string
    iss: string
    sub: string
    owner_name: string
    page: ViewPage
    name: string
    search: string
    is_shared: boolean
    updated_at: Time
    /** SHA-256 of the request that created it; null for views of earlier versions. */
    request_digest: Buffer | null
  }
  'bff.looked_at': { iss: string; sub: string; causes_at: Time }
  'bff.service_account': {
    account_id: string
    name: string
    roles: Json<RoleGrant[]>
    created_by_id: string
    created_by_name: string
    created_at: Time
    updated_at: Time
  }
  'bff.service_account_token': {
    token_id: string
    account_id: string
    token_hash: Buffer
    created_by_id: string
    created_by_name: string
    created_at: Time
    expires_at: string
    last_used_at: string | null
    revoked_at: string | null
  }
  'bff.sign_in_limit': { bucket: number; tokens: number; updated_at: Time }
}

export type BffDb = Kysely<BffTables> | Transaction<BffTables>

/** For `migrate` and `testDatabase`. */
export const bffMigrations = { schema: 'bff', folder: new URL('migrations/', import.meta.url) }
