import { openDatabase } from '#database/pool.ts'
import type { RuntimeTables } from '#runtime/store/tables.ts'
import type { Vault } from '#runtime/sealing/vault.ts'
import { testVault } from '#runtime/sealing/testing-vault.ts'
import { PLUGIN_IDS } from './bundles.ts'
import { SimDatabase } from './database.ts'
import { MANIFESTS } from './history.ts'

/** A database on which histories are lived, one after the other, each in a scope of its own. */
export interface Simulation {
  database: SimDatabase
  vault: Vault
  close(): Promise<void>
}

export async function openSimulation(databaseUrl: string): Promise<Simulation> {
  const database = await SimDatabase.open(databaseUrl)
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
        published_at: '2026-01-01T00:00:00Z',
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
        updated_at: '2026-01-01T00:00:00Z',
      })),
    )
    .execute()
  const vault = await testVault(db)
  await close()
  return { database, vault, close: () => database.close() }
}
