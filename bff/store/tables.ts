import type { ColumnType, Generated, Kysely, Transaction } from 'kysely'
import type { RoleGrant } from '../session/roles.ts'

// What the tables of migrations/*.sql hold, as the driver hands it over. Json columns are written as text.

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
  }
  'bff.sign_in': { state_hash: Buffer; browser_hash: Buffer; return_to: string; created_at: Time }
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
  'bff.sign_in_limit': { bucket: number; tokens: number; updated_at: Time }
}

export type BffDb = Kysely<BffTables> | Transaction<BffTables>

/** For `migrate` and `testDatabase`. */
export const bffMigrations = { schema: 'bff', folder: new URL('migrations/', import.meta.url) }
