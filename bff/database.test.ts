import assert from 'node:assert/strict'
import { it } from 'node:test'
import { findPending } from '#database/migrate.ts'
import { openDatabase } from '#database/pool.ts'
import type { ConnectionSettings } from '#database/settings.ts'
import { testDatabase } from '#database/testing.ts'
import { createLog } from '#http-kit/log.ts'
import { openConsoleDatabase } from './database.ts'
import { bffMigrations } from './store/tables.ts'

const log = createLog({ name: 'test', level: 'silent' })

const isMigrated = async (connection: ConnectionSettings): Promise<boolean> => {
  const { pool, close } = openDatabase(connection, { max: 1 })
  return (await findPending(pool, bffMigrations).finally(() => close())).length === 0
}

it('migrates over the direct connection, because a pooler may not keep the lock of a migration', async () => {
  const [pooled, direct] = await Promise.all([
    testDatabase({ migrations: [] }),
    testDatabase({ migrations: [] }),
  ])
  try {
    const database = await openConsoleDatabase({
      connection: pooled.connection,
      direct: direct.connection,
      log,
    })
    await database.close()
    assert.equal(await isMigrated(direct.connection), true)
    assert.equal(await isMigrated(pooled.connection), false)
  } finally {
    await Promise.all([pooled.close(), direct.close()])
  }
})
