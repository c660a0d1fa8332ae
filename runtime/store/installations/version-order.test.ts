import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { newestVersion, versionPrecedence } from '#contract/protocol/version-order.ts'
import { billing, installBoth, crm, SCOPE } from '../../testing/bundles.ts'
import { testRuntime } from '../../testing/runtime.ts'
import type { TestRuntime } from '../../testing/runtime.ts'
import { mergeVersionCounts } from '../overview/aggregate-counts.ts'

let runtime: TestRuntime
before(async () => {
  runtime = await testRuntime()
})
after(() => runtime.close())

/** Every text of up to five of these parts. */
function* texts(parts: readonly string[], length: number): Generator<string> {
  if (length === 0) return
  for (const part of parts) {
    yield part
    for (const rest of texts(parts, length - 1)) yield part + rest
  }
}

describe('versions in the database', () => {
  it('have the order of the contract', async () => {
    const versions = [
      ...texts(['0', '10', '7', '.', '-', 'v', 'rc', '_'], 5),
      `1.${'9'.repeat(126)}`,
      '1.0.0-alpha-1.0a.00',
    ]
    const { rows } = await sql<{ version: string; precedence: string }>`
      select version, runtime.version_precedence(version) as precedence
      from unnest(${versions}::text[]) as version`.execute(runtime.db)
    assert.equal(rows.length, versions.length)
    for (const { version, precedence } of rows) assert.equal(precedence, versionPrecedence(version), version)
  })

  it('have the same newest version', async () => {
    const orders = [
      ['1.0.0', '1.10.0', '1.9.0', '2.0.0-rc.1'],
      ['b', 'a'],
      ['2.0.0-a', '2.0.0-b', 'c'],
    ]
    for (const [place, versions] of orders.entries()) {
      const bundle = { environmentKey: 'dev', bundleId: `ordered-${place}` }
      for (const version of versions) await runtime.publish({ ...crm, bundle, version })
      const { rows } = await sql<{ version: string; publishedAt: string }>`
        select version, published_at as "publishedAt" from runtime.bundle_version
        where bundle_id = ${bundle.bundleId}
        order by is_release desc, precedence desc, published_at desc`.execute(runtime.db)
      assert.equal(newestVersion(rows)?.version, rows[0]?.version)
    }
  })

  it('are counted as they are installed, and when the counts are folded', async () => {
    await runtime.publish(crm)
    await runtime.publish(billing)
    const installed = await installBoth(runtime, SCOPE)
    await sql`update runtime.installation set version = '1.10.0' where bundle_install_id = ${installed.crm}`.execute(
      runtime.db,
    )
    await sql`update runtime.installation set state = 'DETACHED' where bundle_install_id = ${installed.billing}`.execute(
      runtime.db,
    )
    const differences = async () => {
      const { rows } = await sql`
        select environment_key, bundle_environment_key, bundle_id, version, state, sum(count) from (
          select *, 0 as kind from runtime.version_count
          union all
          select environment_key, bundle_environment_key, bundle_id, version, state, -1, 1 from runtime.installation
          where version is not null) as both_
        group by 1, 2, 3, 4, 5 having sum(count) <> 0`.execute(runtime.db)
      return rows
    }
    const countOf = async () =>
      Number(
        (await sql<{ count: number }>`select count(*) from runtime.version_count`.execute(runtime.db)).rows[0]
          ?.count,
      )
    assert.deepEqual(await differences(), [])
    assert.equal(await countOf(), 6)
    await mergeVersionCounts(runtime.db)
    assert.deepEqual(await differences(), [])
    assert.equal(await countOf(), 2)
  })
})
