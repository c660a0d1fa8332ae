import type { ClaimColumns } from './installation.ts'
import type { LedgerRow } from './ledger.ts'

/** A resource in the ledger of an ACTIVE installation, with the claim of that installation. */
export type OwnedResource = Pick<
  LedgerRow,
  'locator' | 'bundle_install_id' | 'kind' | 'title' | 'definitions' | 'written_by'
> &
  ClaimColumns
