import { openDatabase } from '#database/pool.ts'
import { testVault } from '#runtime/testing/vault.ts'
import type { RuntimeTables } from '#runtime/model/tables.ts'
import { CANARY, MANIFESTS, PLUGIN_IDS } from '../bundles.ts'
import { checkAuditChain } from '../invariants/audit-chain.ts'
import { checkCanary } from '../invariants/canaries.ts'
import type { Violation } from '../suite.ts'
import { SimulatedDatabase } from './database.ts'
import type { Vault } from '#runtime/model/vault.ts'

/** A database for simulated runs, one after the other, each in a separate scope. */
export interface Simulation {
  database: SimulatedDatabase
  vault: Vault
  /** What is checked once per database: the audit chain, and that no sensitive value is stored in plain text. */
  checkDatabase(): Promise<Violation[]>
  close(): Promise<void>
}

const PUBLISHED_AT = '2026-01-01T00:00:00Z'

export async function openSimulation(databaseUrl: string): Promise<Simulation> {
  const database = await SimulatedDatabase.open(databaseUrl)
  const { db, close } = openDatabase<RuntimeTables>(database.connection)
  await db
    .insertInto('runtime.bundle_version')
    .values(
      MANIFESTS.map((manifest) => ({
        bundle_environment_key: manifest.bundle.environmentKey,
        bundle_id: manifest.bundle.bundleId,
        version: manifest.version,
        title: manifest.title,
        description: null,
        manifest: JSON.stringify(manifest),
        published_at: PUBLISHED_AT,
        published_by_id: 'ada',
        published_by_name: 'Ada',
      })),
    )
    .execute()
  await db
    .insertInto('runtime.plugin')
    .values(
      PLUGIN_IDS.map((pluginId) => ({
        plugin_id: pluginId,
        title: pluginId,
        endpoint: `http://plugins.test/${pluginId}`,
        enabled: true,
        timeout_ms: 1_500,
        max_attempts: 4,
        max_backoff_ms: 2_000,
        updated_at: PUBLISHED_AT,
      })),
    )
    .execute()
  const vault = await testVault(db)
  await close()
  return {
    database,
    vault,
    checkDatabase: async () => [
      ...(await checkAuditChain(database)),
      ...(await checkCanary(database, CANARY)),
    ],
    close: () => database.close(),
  }
}
