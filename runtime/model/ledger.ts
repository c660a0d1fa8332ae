import type { Selectable } from 'kysely'
import type { TypedValue } from '#contract/protocol/typed-value.ts'
import type { ClaimColumns } from './installation.ts'
import type { PlannedResource } from './plan.ts'
import type { RuntimeTables } from './tables.ts'

/** A planned resource with the properties to write, and the operation that writes them. */
export type ResourceToPut = Omit<PlannedResource, 'properties'> & {
  operationId: string
  bundleInstallId: string
  scopeId: number
  properties: Record<string, TypedValue>
}

export type StoredLedgerRow = Selectable<RuntimeTables['runtime.installed_resource']>

export type LedgerRow = Omit<StoredLedgerRow, 'properties'> & { properties: Record<string, TypedValue> }

/** A resource in the ledger of an ACTIVE installation, with the claim of that installation. */
export type OwnedResource = Pick<
  LedgerRow,
  'locator' | 'bundle_install_id' | 'kind' | 'title' | 'definitions' | 'written_by'
> &
  ClaimColumns
