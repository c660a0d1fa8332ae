import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { INSTALLATION_SORTS } from '#contract/runtime-api/vocabulary.ts'
import type { Installation } from '#contract/runtime-api/installations.ts'
import type { Input } from '../context.ts'
import { billing, crm, installBoth, SCOPE, startInstall } from '../../testing/bundles.ts'
import { claimedAs } from '../../store/installations/search.ts'
import { actorWith, refused, testRuntime } from '../../testing/runtime.ts'
import type { TestRuntime } from '../../testing/runtime.ts'
import { detach } from './detach.ts'
import { listInstallations } from './read.ts'
import { loadInstallationRows } from '../../events/load-events.ts'

let runtime: TestRuntime
const scopes = [1, 2, 3].map((workspaceId) => ({ ...SCOPE, workspaceId }))

// Three scopes with both bundles ACTIVE; a fourth with one not yet installed, one failed and one detached.
before(async () => {
  runtime = await testRuntime()
  await runtime.publish(crm)
  await runtime.publish(billing)
  for (const version of ['1.9.0', '1.10.0', '2.0.0-rc.1']) await runtime.publish({ ...crm, version })
  const installed = []
  for (const scope of scopes) installed.push(await installBoth(runtime, scope))
  await startInstall(runtime, billing, { scope: { ...SCOPE, workspaceId: 4 } })
  for (const [index, end] of ['fail', 'succeed'].entries()) {
    const bundleInstallId = installed[index]?.billing ?? ''
    const { operation } = await runtime.write((context) =>
      detach(context, { params: { bundleInstallId }, query: {}, body: { reason: 'gone' } }),
    )
    await (end === 'fail' ? runtime.fail(operation.operationId) : runtime.succeed(operation.operationId))
  }
})
after(() => runtime.close())

type Query = Input<'GET /installations'>['query']
const list = (query: Partial<Query> = {}, actor = runtime.actor) =>
  listInstallations(
    { ...runtime.read, actor },
    { params: {}, query: { limit: 50, sort: '-updatedAt', ...query }, body: undefined },
  )
const idOf = ({ installation }: Installation) => installation.bundleInstallId

describe('the list of installations', () => {
  it('shows each installation once, in every order and page size', async () => {
    // some in the same microsecond, so that only the id decides their order
    await sql`update runtime.installation set updated_at = '2026-01-31T08:00:00.123456Z' where workspace_id < 3`.execute(
      runtime.db,
    )
    for (const sort of INSTALLATION_SORTS) {
      const whole = await list({ sort })
      assert.equal(whole.items.length, 7)
      assert.equal(whole.nextCursor, null)
      for (const limit of [1, 2, 3, 7]) {
        const ids: string[] = []
        let cursor: string | undefined
        do {
          const page = await list({ sort, limit, cursor })
          ids.push(...page.items.map(idOf))
          cursor = page.nextCursor ?? undefined
        } while (cursor !== undefined)
        assert.deepEqual(ids, whole.items.map(idOf))
      }
    }
    const up = await list({ sort: 'updatedAt' })
    const down = await list({ sort: '-updatedAt' })
    assert.deepEqual(up.items.map(idOf), down.items.map(idOf).toReversed())
  })

  it('pages through outdated installations in every order', async () => {
    for (const sort of INSTALLATION_SORTS) {
      const whole = await list({ sort, upgrade: ['available'] })
      assert.equal(whole.items.length, 3)
      assert.deepEqual(
        whole.items.map(({ upgradeTo }) => upgradeTo),
        ['1.10.0', '1.10.0', '1.10.0'],
      )
      const first = await list({ sort, upgrade: ['available'], limit: 2 })
      const rest = await list({ sort, upgrade: ['available'], cursor: first.nextCursor ?? undefined })
      assert.deepEqual([...first.items, ...rest.items], whole.items)
    }
  })

  it('finds frequent words in every order, page by page', async () => {
    const cases: [q: string, upgrade: Query['upgrade'], found: number][] = [
      ['crm', undefined, 3],
      ['bill', undefined, 4],
      ['crm bill', undefined, 0],
      ['crm 1.0', undefined, 3],
      ['crm', ['available'], 3],
      ['crm', ['none'], 0],
      ['bill', ['none'], 2],
    ]
    // as if there were many more, so that no word is rare
    await sql`update runtime.version_count set count = count + 10000`.execute(runtime.db)
    for (const sort of INSTALLATION_SORTS) {
      const order = (await list({ sort })).items.map(idOf)
      for (const [q, upgrade, found] of cases) {
        const whole = (await list({ sort, q, upgrade })).items.map(idOf)
        assert.equal(whole.length, found, `${q}, ${String(upgrade)}, ${sort}`)
        assert.deepEqual(
          whole,
          order.filter((id) => whole.includes(id)),
        )
        const first = await list({ sort, q, upgrade, limit: 2 })
        const rest =
          first.nextCursor === null ? [] : (await list({ sort, q, upgrade, cursor: first.nextCursor })).items
        assert.deepEqual([...first.items, ...rest].map(idOf), whole)
      }
    }
    await sql`update runtime.version_count set count = count - 10000`.execute(runtime.db)
  })

  it('finds a word in environment and application, however many applications there are', async () => {
    const environment = SCOPE.environmentKey.slice(1).toUpperCase()
    const expectFound = async () => {
      for (const [q, found] of [
        ['HO', 7],
        [environment, 7],
        [`ho ${environment}`, 7],
        ['p-5', 0],
        ['3', 2],
      ] as const)
        assert.equal((await list({ q })).items.length, found, q)
    }
    await expectFound()
    await sql`insert into runtime.scope
      (environment_key, application_runtime_id, workspace_id, saved_by_id, saved_by_name)
      select 'elsewhere', 'app-' || n, 7, 'test', 'Test' from generate_series(1, 501) as n`.execute(
      runtime.db,
    )
    await expectFound()
    await sql`delete from runtime.scope where environment_key = 'elsewhere'`.execute(runtime.db)
  })

  it('is sorted by version, not by text', async () => {
    const { items } = await list({ bundleId: 'crm' })
    for (const [at, version] of ['1.9.0', '1.10.0'].entries())
      await sql`update runtime.installation set version = ${version}
        where bundle_install_id = ${items.map(idOf)[at]}`.execute(runtime.db)
    const versions = async (sort: Query['sort']) =>
      (await list({ sort, bundleId: 'crm' })).items.map(({ version, upgradeTo }) => [version, upgradeTo])
    const ascending = [
      ['1.0.0', '1.10.0'],
      ['1.9.0', '1.10.0'],
      ['1.10.0', null],
    ]
    assert.deepEqual(await versions('version'), ascending)
    assert.deepEqual(await versions('-version'), ascending.toReversed())
    assert.equal((await list({ upgrade: ['available'] })).items.length, 2)
    await sql`update runtime.installation set version = '1.0.0' where bundle_id = 'crm'`.execute(runtime.db)
  })

  it('is limited to what the person may see', async () => {
    const [scope] = scopes
    assert.ok(scope)
    const reader = actorWith([{ permissions: ['read'], scope }], 'Reader')
    assert.equal((await list({}, reader)).items.length, 2)
    assert.equal((await list({ workspaceId: 2 }, reader)).items.length, 0)
    assert.equal((await list({}, actorWith([], 'Nobody'))).items.length, 0)
    const writer = actorWith([{ permissions: ['configuration:write'], scope: null }], 'Writer')
    assert.equal((await list({}, writer)).items.length, 0)
  })

  const filters: [Partial<Query>, number][] = [
    [{ bundleId: 'crm' }, 3],
    [{ workspaceId: 4 }, 1],
    [{ environmentKey: 'elsewhere' }, 0],
    [{ version: '1.0.0' }, 6],
    [{ bundleEnvironmentKey: 'dev' }, 7],
    [{ bundleEnvironmentKey: 'elsewhere' }, 0],
    [{ upgrade: ['available'] }, 3],
    [{ upgrade: ['none'] }, 2],
    [{ upgrade: ['available', 'none'] }, 5],
    [{ upgrade: ['available'], sort: 'bundleId' }, 3],
    [{ upgrade: ['available'], sort: '-version' }, 3],
    [{ upgrade: ['available'], state: ['DETACHED'] }, 0],
    [{ upgrade: ['available'], version: '1.0.0', bundleId: 'crm' }, 3],
    [{ upgrade: ['available'], bundleId: 'billing' }, 0],
    [{ upgrade: ['available'], workspaceId: 2 }, 1],
    [{ upgrade: ['available'], environmentKey: SCOPE.environmentKey }, 3],
    [{ upgrade: ['available'], environmentKey: 'elsewhere' }, 0],
    [{ upgrade: ['available'], q: 'crm' }, 3],
    [{ upgrade: ['available'], q: 'bill' }, 0],
    [{ state: ['NOT_INSTALLED', 'DETACHED'] }, 2],
    [{ state: ['ACTIVE'] }, 5],
    [{ claim: ['none'] }, 5],
    [{ claim: ['any'] }, 2],
    [{ claim: ['FAILED'] }, 1],
    [{ claim: ['FAILED', 'PENDING'] }, 2],
    [{ claim: ['none', 'FAILED'] }, 6],
    [{ claim: ['none', 'any'] }, 7],
    [{ claim: ['any', 'FAILED'] }, 2],
    [{ claim: ['RUNNING'] }, 0],
    [{ q: 'CUSTOM' }, 3],
    [{ q: 'bill' }, 4],
    // each word matches a bundle, a scope or a version
    [{ q: 'bill nowhere' }, 0],
    [{ q: 'bill 1.0' }, 3],
    [{ q: '/4' }, 1],
    [{ q: '/SHOP/4' }, 1],
    [{ q: 'BILL /4' }, 1],
    [{ q: '%' }, 0],
    [{ q: '_' }, 0],
  ]
  for (const [query, count] of filters) {
    it(`finds ${count} by ${JSON.stringify(query)}`, async () => {
      assert.equal((await list(query)).items.length, count)
    })
  }

  it('pages through all of them if many are claimed', async () => {
    const many = async (count: number) => {
      const { rows } = await sql<{ id: string }>`
        select bundle_install_id as id from runtime.installation
        where ${await claimedAs(runtime.db, ['FAILED', 'PENDING'], count)}`.execute(runtime.db)
      return rows.map(({ id }) => id).toSorted()
    }
    assert.equal((await many(2)).length, 2)
    assert.deepEqual(await many(1), await many(2))
  })

  it('shows the claim of a row, in the list and on its own', async () => {
    const { items } = await list({ claim: ['FAILED'] })
    const [row] = items
    assert.ok(row)
    assert.equal(row.claim?.operationType, 'DETACH')
    assert.equal(row.claim?.requestedBy.name, 'Ada')
    assert.deepEqual(await loadInstallationRows(runtime.db, [idOf(row)]), [row])
    assert.deepEqual(await loadInstallationRows(runtime.db, []), [])
  })

  it('refuses a cursor of another list or order', async () => {
    const { nextCursor } = await list({ limit: 1, sort: 'bundleId' })
    const other = (values: unknown) => Buffer.from(JSON.stringify(values)).toString('base64url')
    for (const cursor of [
      nextCursor ?? '',
      'x',
      other([1.5, 'a']),
      other([1e300, 'a']),
      other([1, "' or true"]),
    ])
      await assert.rejects(list({ cursor }), refused('REQUEST_INVALID'))
  })
})
