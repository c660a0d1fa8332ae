import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { sql } from 'kysely'
import { until } from '../testing/stream.ts'
import { engineSteps, testEngine } from '../testing/engine.ts'
import type { TestEngine } from '../testing/engine.ts'
import { planWith, reader } from '../testing/plan.ts'

const engine: TestEngine = await testEngine()
const { endsWell } = engineSteps(engine)

suite('the acquired state of an operation', { concurrency: false }, () => {
  before(() => engine.register('first'))
  after(() => engine.close())

  test('is the same if the server outputs bytea in the other format', async () => {
    const { db } = engine.runtime
    const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db)
    await sql`alter database ${sql.id(rows[0]!.name)} set bytea_output = 'escape'`.execute(db)
    // existing sessions would keep their setting
    const end = sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()`
    await end.execute(db).catch(() => {})
    await until(async () => {
      const setting = await sql<{ format: string }>`select current_setting('bytea_output') as format`
        .execute(db)
        .catch(() => null)
      return setting?.rows[0]?.format === 'escape'
    })

    engine.plugin.script((_, earlier) =>
      earlier === 0
        ? { errorCode: 'BUSY', data: { message: 'later', retryable: true } }
        : { outcome: 'APPLIED' },
    )
    const installation = await engine.installation()
    const { operation_id } = await engine.freeze({ installation, plan: planWith([reader('first', 1)]) })
    await endsWell(operation_id)
    const [once, again] = engine.plugin.calls
    assert.equal(once?.body, again?.body)
  })
})
