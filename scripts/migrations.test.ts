import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { bffMigrations } from '#bff/store/tables.ts'
import { readMigrations } from '#database/migrate.ts'
import { violationsOf } from '#database/migration-rules.ts'
import { RUNTIME_MIGRATIONS } from '#runtime/store/migrations.ts'
import { RELEASED } from '../lab/deploy/upgrade/previous-release.ts'

describe('the migrations since the last release', () => {
  it('let replicas of that release continue', async () => {
    for (const [source, released] of [
      [RUNTIME_MIGRATIONS, RELEASED.runtime],
      [bffMigrations, RELEASED.bff],
    ] as const)
      assert.deepEqual(violationsOf(await readMigrations(source.folder), released), [])
  })
})
