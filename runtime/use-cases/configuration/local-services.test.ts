import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { JsonValue } from '#contract/json-schema/json.ts'
import { SCOPE } from '../../testing/bundles.ts'
import { refused, testRuntime } from '../../testing/runtime.ts'
import type { TestRuntime } from '../../testing/runtime.ts'
import { listLocalServices, readLocalService, saveLocalService } from './local-services.ts'

let runtime: TestRuntime
before(async () => {
  runtime = await testRuntime()
})
after(() => runtime.close())

const put = (serviceName: string, version: number, values: Record<string, JsonValue>) =>
  runtime.write((context) =>
    saveLocalService(context, { params: { ...SCOPE, serviceName }, query: {}, body: { values, version } }),
  )
const list = (limit: number, cursor?: string) =>
  listLocalServices(runtime.read, { params: SCOPE, query: { limit, cursor }, body: undefined })

describe('a local service', () => {
  it('is created from version 0, and each save increases the version by one', async () => {
    assert.deepEqual((await list(10)).items, [])
    const made = await put('mail', 0, { host: 'a' })
    assert.equal(made.version, 1)
    assert.equal((await put('mail', 1, { host: 'b', nested: { instanceRefProperty: 1 } })).version, 2)
    const read = await readLocalService(runtime.read, {
      params: { ...SCOPE, serviceName: 'mail' },
      query: {},
      body: undefined,
    })
    assert.deepEqual(read.values, { host: 'b', nested: { instanceRefProperty: 1 } })
    assert.equal(read.savedBy.name, 'Ada')
  })

  it('is saved only on top of its current version', async () => {
    await put('queue', 0, {})
    for (const version of [0, 2, 9])
      await assert.rejects(put('queue', version, {}), refused('LOCAL_SERVICE_STALE'))
    await assert.rejects(put('nobody', 1, {}), refused('LOCAL_SERVICE_STALE'))
    const results = await Promise.allSettled([put('queue', 1, { a: 1 }), put('queue', 1, { b: 1 })])
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1)
  })

  it('cannot contain the protected property', async () => {
    await assert.rejects(put('mail', 2, { instanceRefProperty: 'x' }), refused('PROPERTY_PROTECTED'))
  })

  it('creates no operation, no installation and no snapshot, but an audit entry', async () => {
    await put('quiet', 0, { a: 1 })
    const count = async (table: 'runtime.operation' | 'runtime.installation') =>
      (await runtime.db.selectFrom(table).selectAll().execute()).length
    assert.deepEqual([await count('runtime.operation'), await count('runtime.installation')], [0, 0])
    const scope = await runtime.db.selectFrom('runtime.scope').selectAll().executeTakeFirstOrThrow()
    assert.equal(scope.snapshot_version, 1)
    const audit = await runtime.db
      .selectFrom('runtime.audit_entry')
      .select(['action', 'subject'])
      .where('subject', '=', 'quiet')
      .execute()
    assert.deepEqual(audit, [{ action: 'local-service.save', subject: 'quiet' }])
  })

  it('notifies subscribers of the scope', async () => {
    const events = () => runtime.db.selectFrom('runtime.event').select(['kind', 'version']).execute()
    const before = await events()
    await put('quiet', 1, {})
    assert.deepEqual((await events()).slice(before.length), [{ kind: 'configuration', version: 1 }])
  })

  it('is listed by name, one page at a time', async () => {
    const names: string[] = []
    let cursor: string | undefined
    do {
      const page = await list(1, cursor)
      names.push(...page.items.map(({ serviceName }) => serviceName))
      cursor = page.nextCursor ?? undefined
    } while (cursor !== undefined)
    assert.deepEqual(names, ['mail', 'queue', 'quiet'])
  })
})
