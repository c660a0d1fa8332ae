import { randomBytes } from 'node:crypto'
import { deterministicName } from '#plugin-sdk/src/find-or-adopt.ts'
import type { SqliteTransaction } from '#plugin-sdk/src/sqlite-store.ts'

export const TENANT_SCHEMA = `
CREATE TABLE IF NOT EXISTS tenant (
  tenant_id TEXT NOT NULL PRIMARY KEY,
  bundle_install_id TEXT NOT NULL,
  locator TEXT NOT NULL,
  display_name TEXT NOT NULL,
  plan TEXT NOT NULL,
  seats INTEGER NOT NULL,
  access_token TEXT,
  state TEXT NOT NULL CHECK (state IN ('ACTIVE', 'REMOVED')),
  execution_sequence INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  UNIQUE (bundle_install_id, locator)
) STRICT;
`

/** The properties of a tenant that an operator decides. */
export interface TenantTerms {
  displayName: string
  plan: string
  seats: number
}

/** One tenant for one resource of one installation. A removed tenant remains as a tombstone without its token. */
export interface Tenant extends TenantTerms {
  tenantId: string
  bundleInstallId: string
  locator: string
  state: 'ACTIVE' | 'REMOVED'
  /** Of the operation that last changed it. */
  executionSequence: number
  createdAt: string
  updatedAt: string
}

export interface TenantOwner {
  bundleInstallId: string
  locator: string
}

const COLUMNS = `tenant_id AS tenantId, bundle_install_id AS bundleInstallId, locator, display_name AS displayName,
  plan, seats, state, execution_sequence AS executionSequence, created_at AS createdAt, updated_at AS updatedAt`

/** All tenants, including removed ones, without their tokens; oldest first. */
export const listTenants = (tx: SqliteTransaction): Tenant[] =>
  // The columns have the names of the type's fields, and STRICT enforces their types.
  tx.prepare(`SELECT ${COLUMNS} FROM tenant ORDER BY created_at, tenant_id`).all() as unknown as Tenant[]

export const findTenant = (tx: SqliteTransaction, { bundleInstallId, locator }: TenantOwner): Tenant | null =>
  (tx
    .prepare(`SELECT ${COLUMNS} FROM tenant WHERE bundle_install_id = ? AND locator = ?`)
    .get(bundleInstallId, locator) as Tenant | undefined) ?? null

/** The tenant's token, or null after its removal. */
export function readAccessToken(tx: SqliteTransaction, tenantId: string): string | null {
  const row = tx.prepare('SELECT access_token FROM tenant WHERE tenant_id = ?').get(tenantId)
  return typeof row?.['access_token'] === 'string' ? row['access_token'] : null
}

export interface TenantChange {
  owner: TenantOwner
  terms: TenantTerms
  executionSequence: number
  now: string
}

/**
 * Creates the tenant, revives a removed one with a new token, or changes its terms. Returns false if nothing changed.
 * Its id is derived from its owner, so it is always the same.
 */
export function putTenant(
  tx: SqliteTransaction,
  { owner, terms, executionSequence, now }: TenantChange,
): boolean {
  const found = findTenant(tx, owner)
  if (found?.state === 'ACTIVE' && hasTerms(found, terms)) return false
  const { displayName, plan, seats } = terms
  if (found?.state === 'ACTIVE')
    tx.prepare(
      'UPDATE tenant SET display_name = ?, plan = ?, seats = ?, execution_sequence = ?, updated_at = ? WHERE tenant_id = ?',
    ).run(displayName, plan, seats, executionSequence, now, found.tenantId)
  else
    tx.prepare(
      `INSERT INTO tenant VALUES (?, ?, ?, ?, ?, ?, ?, 'ACTIVE', ?, ?, ?)
       ON CONFLICT (tenant_id) DO UPDATE SET display_name = excluded.display_name, plan = excluded.plan,
         seats = excluded.seats, access_token = excluded.access_token, state = excluded.state,
         execution_sequence = excluded.execution_sequence, updated_at = excluded.updated_at`,
    ).run(
      tenantIdOf(owner),
      owner.bundleInstallId,
      owner.locator,
      displayName,
      plan,
      seats,
      randomBytes(32).toString('base64url'),
      executionSequence,
      now,
      now,
    )
  return true
}

/** Removes the installation's tenants, or only those of one locator; false if there were none. */
export function removeTenants(
  tx: SqliteTransaction,
  { bundleInstallId, locator }: { bundleInstallId: string; locator?: string },
  { executionSequence, now }: { executionSequence: number; now: string },
): boolean {
  const { changes } = tx
    .prepare(
      `UPDATE tenant SET state = 'REMOVED', access_token = NULL, execution_sequence = ?, updated_at = ?
       WHERE bundle_install_id = ? AND (? IS NULL OR locator = ?) AND state = 'ACTIVE'`,
    )
    .run(executionSequence, now, bundleInstallId, locator ?? null, locator ?? null)
  return Number(changes) > 0
}

export const hasTerms = (tenant: TenantTerms, { displayName, plan, seats }: TenantTerms): boolean =>
  tenant.displayName === displayName && tenant.plan === plan && tenant.seats === seats

const tenantIdOf = ({ bundleInstallId, locator }: TenantOwner): string =>
  deterministicName('tenant', bundleInstallId, locator)
