import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type pg from 'pg'
import { migrate } from '#database/migrate.ts'
import { openDatabase } from '#database/pool.ts'
import type { Database } from '#database/pool.ts'
import { testDatabase } from '#database/testing.ts'
import type { TestDatabase } from '#database/testing.ts'
import { RUNTIME_MIGRATIONS } from './migrations.ts'

/** The last migration before the columns that 0037 and 0038 fill. */
const BEFORE = '0013_audit_origin'
/** More than a batch of each kind. */
const ROWS = 2_500
/** The last one that fills the rows. */
const FILLING = '0038_fill_failures'

describe('a database with data that is migrated', () => {
  let database: TestDatabase
  let open: Database<object>

  before(async () => {
    database = await testDatabase({ migrations: [] })
    // the reader idles while the migrations run, however long that takes
    open = openDatabase<object>(database.connection, { max: 2, idleInTransactionTimeoutMs: 300_000 })
    await migrate(open.pool, RUNTIME_MIGRATIONS, { until: BEFORE })
    await addRows(open.pool, 'old')
  })
  after(async () => {
    await open.close()
    await database.close()
  })

  it('shows its rows to a transaction that took its snapshot before', async () => {
    // A read that waits for a lock of the migration is in this position. Of a table that the migration rewrites, PostgreSQL
    // shows such a transaction no row.
    const reader = await open.pool.connect()
    try {
      await reader.query('begin isolation level repeatable read; select 1')
      await migrate(open.pool, RUNTIME_MIGRATIONS, { until: FILLING })
      const { rows } = await reader.query(`
        select (select count(*) from runtime.scope) as scopes,
          (select count(*) from runtime.installation) as installations,
          (select count(*) from runtime.bundle_version) as versions,
          (select count(*) from runtime.operation) as operations`)
      assert.deepEqual(rows, [{ scopes: ROWS, installations: ROWS, versions: ROWS, operations: ROWS }])
    } finally {
      reader.release(true)
    }
  })

  it('has in its old rows what triggers put into new ones', async () => {
    await addRows(open.pool, 'new')
    for (const [table, columns] of [
      ['scope', `replace(path, 'new', 'old') as path`],
      ['installation', 'version, version_order'],
      [
        'bundle_version',
        `version, precedence, is_release, replace(properties::text, 'new', 'old') as properties`,
      ],
      ['operation', `failure_group`],
      ['operation_text', 'words'],
    ] as const) {
      const read = async (kind: string) => {
        const of = OF_KIND[table]
        return (
          await open.pool.query(`select ${columns} from runtime.${table} where ${of} order by 1`, [kind])
        ).rows as unknown[]
      }
      const [old, made] = [await read('old'), await read('new')]
      assert.equal(old.length, ROWS, table)
      assert.deepEqual(old, made, table)
    }
  })

  it('is filled again after an interruption', async () => {
    await open.pool.query(`
      update runtime.operation_text set words = '' where created_at < '2026-01-01T00:10Z';
      delete from runtime.migration where name = '${FILLING}'`)
    assert.deepEqual(await migrate(open.pool, RUNTIME_MIGRATIONS, { until: FILLING }), [FILLING])
    const { rows } = await open.pool.query(`select from runtime.operation_text where words = ''`)
    assert.equal(rows.length, 0)
  })
})

const OF_KIND = {
  scope: 'application_runtime_id = $1',
  installation: 'application_runtime_id = $1',
  bundle_version: 'bundle_environment_key = $1',
  operation: 'application_runtime_id = $1',
  operation_text:
    'operation_id in (select operation_id from runtime.operation where application_runtime_id = $1)',
}

/** One scope, installation, version and failed operation for each number. */
async function addRows(pool: pg.Pool, kind: 'old' | 'new'): Promise<void> {
  await pool.query(`
    insert into runtime.scope (environment_key, application_runtime_id, workspace_id, saved_by_id, saved_by_name)
      select 'Prod', '${kind}', n, 'ada', 'Ada' from generate_series(1, ${ROWS}) n;
    insert into runtime.bundle_version (bundle_environment_key, bundle_id, version, title, manifest, published_by_id, published_by_name)
      select '${kind}', 'mail', '1.' || n || case when n % 3 = 0 then '-beta' else '' end, 'Mail',
        '{"resources":[{"kind":"MODULE","name":"core","title":"Core","properties":{"port":{"schema":{"title":"Port"}}}}]}', 'ada', 'Ada'
      from generate_series(1, ${ROWS}) n;
    insert into runtime.installation (bundle_install_id, scope_id, environment_key, application_runtime_id, workspace_id,
        bundle_environment_key, bundle_id, title, state, version)
      select gen_random_uuid(), scope_id, environment_key, application_runtime_id, workspace_id, 'dev', 'mail', 'Mail',
        'ACTIVE', '1.' || workspace_id
      from runtime.scope where application_runtime_id = '${kind}';
    insert into runtime.operation (operation_id, bundle_install_id, scope_id, environment_key, application_runtime_id,
        workspace_id, bundle_environment_key, bundle_id, operation_type, target_version, execution_sequence, state, phase,
        requested_by_id, requested_by_name, created_at, finished_at, failure)
      select gen_random_uuid(), bundle_install_id, scope_id, environment_key, application_runtime_id, workspace_id,
        'dev', 'mail', 'INSTALL', version, 1, 'RUNNING', 'BEFORE_RESOURCES', 'ada', 'Ada',
        timestamptz '2026-01-01T00:00Z' + workspace_id * interval '1 second', null, null
      from runtime.installation where application_runtime_id = '${kind}';
    update runtime.operation set state = 'FAILED', finished_at = created_at,
      failure = json_build_object('errorCode', 'MAIL_REFUSED', 'message', 'The server of tenant ' || workspace_id || ' refuses',
        'errorPath', json_build_array('bundle-runtime', 'mailer'))
      where application_runtime_id = '${kind}'`)
}
