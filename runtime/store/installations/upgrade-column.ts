import { sql } from 'kysely'
import { isNewer, newestVersionOf } from '../catalog/newest-version.ts'

/**
 * The newest published version of the bundle, if it is newer than that of an ACTIVE installation. Expects the alias
 * `installation`.
 */
export const upgradeTo = sql<string | null>`(
  select newest.version
  from runtime.bundle_version as installed, lateral ${newestVersionOf('installed')} as newest
  where installation.state = 'ACTIVE'
    and installed.bundle_environment_key = installation.bundle_environment_key
    and installed.bundle_id = installation.bundle_id and installed.version = installation.version
    and ${isNewer('newest', 'installed')})`
