import type { Permission } from '../endpoint/permission.ts'
import type { BatchAction } from './vocabulary.ts'

/** The permission that a batch needs in the scope of each target. */
export const BATCH_PERMISSION: Readonly<Record<BatchAction, Permission>> = {
  RETRY: 'operation:retry',
  TAKEOVER: 'operation:takeover',
  INSTALL: 'installation:install',
  UPGRADE: 'installation:upgrade',
  CONFIGURE: 'configuration:write',
  DETACH: 'installation:detach',
}
