import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, suite, test } from 'node:test'
import { sql } from 'kysely'
import type { Grant } from '#contract/endpoint/permission.ts'
import type { Operation, SearchReading } from '#contract/runtime-api/operations.ts'
import {
  bindingOf,
  bundleOf,
  locatorOf,
  moduleOf,
  startRuleHarness,
  TEXT,
  wrapped,
} from '../../testing/rules.ts'
import type { RuleHarness } from '../../testing/rules.ts'

const mail = {
  ...bundleOf('mailer', {
    resources: [moduleOf('main', { customer: TEXT, token: { ...TEXT, isSensitive: true } })],
    plugins: [bindingOf('postman', 1, { main: {} })],
  }),
  title: 'Text messages',
}
const shop = {
  ...bundleOf('storefront', { resources: [moduleOf('main', { customer: TEXT })] }),
  title: 'Web shop',
}
const SCOPE = { environmentKey: 'prod', applicationRuntimeId: 'eu-west', workspaceId: 77 }

suite('the search of operations by a sentence', { concurrency: false }, () => {
  let harness: RuleHarness
  let failed: string
  let mailed: string
  let sold: string

  before(async () => {
    harness = await startRuleHarness()
    await harness.register('postman')
    await harness.publish(mail, shop)
    const install = async (bundle: typeof mail, scope: typeof SCOPE, values: Record<string, string>) => {
      const properties = { [locatorOf(bundle, 'main')]: wrapped(values) }
      return (await harness.install(bundle, { scope, properties })).operationId
    }
    mailed = await install(mail, SCOPE, { customer: 'Example AG', token: 'Hidden word' })
    await harness.succeeds(mailed)
    sold = await install(shop, harness.newScope(), { customer: 'Walnut Ltd' })
    await harness.succeeds(sold)
    harness.plugin.script(() => ({
      errorCode: 'RELAY_LOCKED',
      data: { message: 'The relay refused the connection', retryable: false, errorPath: ['postman'] },
    }))
    failed = await install(mail, harness.newScope(), { customer: 'Muster', token: 'x' })
    await harness.fails(failed, 'RELAY_LOCKED')
  })
  after(() => harness.close())

  const list = async (q: string, more: Record<string, string> = {}, grants?: Grant[]) => {
    const query = new URLSearchParams({ q, ...more }).toString()
    const page = await harness.ok(`/operations?${query}`, { ...(grants && { grants }) })
    return page as unknown as { items: Operation[]; search?: SearchReading }
  }
  const find = async (...asked: Parameters<typeof list>) =>
    (await list(...asked)).items.map(({ operationId }) => operationId)

  test('finds titles of bundles, scopes, values, and words of failures, in any order', async () => {
    for (const [q, ...found] of [
      ['Text messages', failed, mailed],
      ['messages text', failed, mailed],
      ['Example AG', mailed],
      ['walnut', sold],
      ['relay text messages refused', failed],
      ['refused muster', failed],
      ['prod example', mailed],
      ['eu-west', mailed],
      ['eu-west 77 text', mailed],
      ['prod/eu-west/77', mailed],
    ] as const)
      for (const sort of ['-createdAt', '-finishedAt'] as const)
        assert.deepEqual(await find(q, { sort }), found, `${q} ${sort}`)
  })

  test('finds an installation by a value that another one has in very many properties', async () => {
    const idOf = async (operationId: string) =>
      (await harness.operation(operationId)).installation.bundleInstallId
    const [many, one] = [await idOf(mailed), await idOf(sold)]
    const add = (id: string, count: number) =>
      sql`
      insert into runtime.configuration_property
        (scope_id, locator, property, bundle_install_id, value, snapshot_version, manager)
      select scope_id, 'source/x/MODULE/main', 'added-' || n, bundle_install_id,
        '{"@type":"Data","value":"haystack"}', 1, 'person'
      from runtime.installation, generate_series(1, ${count}::int) n where bundle_install_id = ${id}`.execute(
        harness.db,
      )
    await add(many, 900)
    await add(one, 1)
    assert.deepEqual(new Set(await find('haystack')), new Set([mailed, sold]))
    await sql`delete from runtime.configuration_property where property like 'added-%'`.execute(harness.db)
  })

  test('compares the order of words in a small value, and takes no large one apart for it (J01)', async () => {
    const { installation } = await harness.operation(sold)
    const setTo = (value: string) =>
      sql`
      insert into runtime.configuration_property
        (scope_id, locator, property, bundle_install_id, value, snapshot_version, manager)
      select scope_id, 'source/x/MODULE/main', 'added', bundle_install_id,
        jsonb_build_object('@type', 'Data', 'value', ${value}::text), 1, 'person'
      from runtime.installation where bundle_install_id = ${installation.bundleInstallId}
      on conflict (scope_id, locator, property) do update set value = excluded.value`.execute(harness.db)
    for (const [value, ...found] of [
      ['hazel oak', sold],
      ['oak hazel'],
      [`oak ${'elm '.repeat(2_000)} hazel`, sold],
      [`oak ${Array.from({ length: 300 }, () => randomUUID()).join(' ')} hazel`, sold],
    ] as const) {
      await setTo(value)
      assert.deepEqual(await find('hazel-oak'), found, value.slice(0, 20))
    }
    // one that has the words in another order is not compared where there are more than may be looked at
    await setTo('oak hazel')
    const counted = await sql`select from runtime.find_values('hazel <-> oak', 1)`.execute(harness.db)
    assert.equal(counted.rows.length, 1)
    await sql`delete from runtime.configuration_property where property = 'added'`.execute(harness.db)
  })

  test('takes a list of very many parts apart in a time that grows with it (J01)', async () => {
    const list = `[${'7,'.repeat(1_000_000)}7]`
    const words = (value: string) => sql<{ words: string }>`
      select runtime.value_words(jsonb_build_object('@type', 'Data', 'value', ${value}::jsonb))::text as words`
    const of = async (value: string) => (await words(value).execute(harness.db)).rows[0]?.words
    // within the time of a statement
    assert.match((await of(list)) ?? '', /^'7':1,2,3,/)
    assert.equal(await of('[7, {"name": "oak"}, [true, null, "hazel"]]'), `'7':1 'hazel':3 'oak':2`)
  })

  test('finds the owner of a plugin, and the reason of its registration', async () => {
    await harness.registerWith('postman', {
      owner: { team: 'Team Courier' },
      reason: 'Security review SEC-77',
    })
    for (const q of ['courier', 'SEC-77']) assert.deepEqual(await find(q), [failed, mailed], q)
    for (const q of ['courier relay', 'relay sec-77']) assert.deepEqual(await find(q), [failed], q)
    assert.deepEqual(await find('courier walnut relay', { state: 'FAILED' }), [failed])
  })

  test('reads the list where a word means a plugin of very many calls', async () => {
    const { db } = harness
    await db.connection().execute(async (connection) => {
      await sql`set session_replication_role = replica`.execute(connection)
      await sql`insert into runtime.plugin_call select (jsonb_populate_record(plugin_call, jsonb_build_object('operation_id', gen_random_uuid()))).*
        from (select plugin_call from runtime.plugin_call where plugin_id = 'postman' limit 1) as one, generate_series(1, 3001)`.execute(
        connection,
      )
      await sql`set session_replication_role = origin`.execute(connection)
    })
    assert.deepEqual(await find('courier'), [failed, mailed])
    for (const sort of ['-createdAt', 'createdAt', '-finishedAt'])
      assert.deepEqual(await find('courier relay', { sort }), [failed], sort)
    assert.deepEqual(await find('courier text', { sort: 'createdAt' }), [mailed, failed])
    const total = await harness.ok('/operations/total?q=courier+relay', {})
    assert.deepEqual(total, { total: 1, isMore: false })
    await sql`delete from runtime.plugin_call where not exists (
      select from runtime.operation where operation.operation_id = plugin_call.operation_id)`.execute(db)
  })

  test('never finds a sensitive value, nor one of a scope that the person may not read', async () => {
    assert.deepEqual(await find('Hidden'), [])
    const elsewhere: Grant[] = [{ permissions: ['read'], scope: harness.newScope() }]
    for (const q of ['Example', 'Text messages', 'Example AG text'])
      assert.deepEqual(await find(q, {}, elsewhere), [], q)
    const here: Grant[] = [{ permissions: ['read'], scope: SCOPE }]
    assert.deepEqual(await find('Example', {}, here), [mailed])
    // what is defined as sensitive later is sealed at once
    const sensitive = {
      ...mail,
      version: '2.0.0',
      resources: [
        moduleOf('main', {
          customer: { ...TEXT, isSensitive: true },
          token: { ...TEXT, isSensitive: true },
        }),
      ],
    }
    await harness.publish(sensitive)
    harness.plugin.script(() => ({ outcome: 'APPLIED' }))
    const { installation } = await harness.operation(mailed)
    const upgraded = await harness.upgrade(installation.bundleInstallId, { targetVersion: '2.0.0' })
    await harness.succeeds(upgraded)
    assert.deepEqual(await find('Example'), [])
    assert.deepEqual(await find('prod/eu-west/77'), [upgraded, mailed])
  })

  test('the counts and the causes use the words that the list uses', async () => {
    const q = encodeURIComponent('relay refused zebra')
    const { items, search } = await list('relay refused zebra')
    assert.deepEqual(search?.leftOut, ['zebra'])
    const { causes } = await harness.ok(`/causes?q=${q}`, {})
    assert.deepEqual(
      (causes as unknown as { count: number }[]).map(({ count }) => count),
      [items.length],
    )
    const { buckets } = await harness.ok(`/operations/counts?bucket=day&q=${q}`, {})
    assert.deepEqual(
      (buckets as unknown as { counts: object }[]).map(({ counts }) => counts),
      [{ FAILED: items.length }],
    )
  })

  test('falls back to fewer words, the rarer ones, and says so', async () => {
    const page = await list('relay doesn’t answer walnut refused since yesterday')
    assert.deepEqual(
      page.items.map(({ operationId }) => operationId),
      [failed],
    )
    assert.deepEqual(page.search?.words, ['relay', 'refused'])
    assert.deepEqual(page.search?.leftOut, ['answer', 'walnut'])
    assert.equal(page.search.phrase, 'since yesterday')
    const all = await list('refused relay')
    assert.deepEqual(all.search?.leftOut, [])
    const none = await list('nowhere nothing')
    assert.deepEqual([none.items, none.search?.leftOut], [[], []])
    // within the filters: no succeeded operation has a failure
    const succeeded = await list('relay walnut', { state: 'SUCCEEDED' })
    assert.deepEqual(
      [succeeded.items.map(({ operationId }) => operationId), succeeded.search?.words],
      [[sold], ['walnut']],
    )
    const total = await harness.ok('/operations/total?q=relay+walnut+refused', {})
    assert.deepEqual(total, { total: 1, isMore: false })
  })

  test('falls back where each word is in the texts of other operations only', async () => {
    for (const [operationId, text] of [
      [failed, 'zebra'],
      [sold, 'walrus'],
    ] as const)
      await harness.ok(`/operations/${operationId}/notes`, { method: 'POST', body: { text } })
    const page = await list('zebra walrus')
    assert.equal(page.items.length, 1)
    assert.equal(page.search?.words.length, 1)
    assert.equal(page.search.leftOut.length, 1)
  })

  test('reads when it was, in the time zone of the person', async () => {
    await sql`update runtime.operation set created_at = created_at - interval '3 hours'
      where operation_id = ${sold}`.execute(harness.db)
    assert.deepEqual(await find('storefront last 4 hours'), [sold])
    assert.deepEqual(await find('storefront last hour'), [])
    assert.deepEqual(await find('最近一小时 relay'), [failed])
    assert.deepEqual(await find('relay today', { timeZone: 'Asia/Shanghai' }), [failed])
    const { search } = await list('relay 昨天', { timeZone: 'Asia/Shanghai' })
    assert.match(search?.since ?? '', /T16:00:00\.000Z$/)
    // the filter still holds
    assert.deepEqual(await find('relay today', { until: 'PT36H' }), [])
    const { causes } = await harness.ok('/causes?q=relay+last+hour', {})
    assert.equal(Array.isArray(causes) && causes.length, 1)
  })
})
