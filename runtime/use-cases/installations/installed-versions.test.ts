import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { billing, crm, installBoth, SCOPE } from '../../testing/bundles.ts'
import { actorWith, testRuntime } from '../../testing/runtime.ts'
import type { TestRuntime } from '../../testing/runtime.ts'
import type { Input } from '../context.ts'
import { listScopesWith } from '../../store/installations/version-matrix.ts'
import type { ScopeFilter } from '../../store/visible-scopes.ts'
import { readSummary } from '../overview/overview.ts'
import { listInstalledVersions, listVersionsByScope } from './read.ts'

let runtime: TestRuntime
const scopes = [1, 2, 3].map((workspaceId) => ({ ...SCOPE, workspaceId }))

// CRM in three scopes: 1.0.0 twice, 1.10.0 once; billing 1.0.0 in all of them
before(async () => {
  runtime = await testRuntime()
  for (const manifest of [crm, billing, { ...crm, version: '1.10.0' }, { ...crm, version: '1.9.0' }])
    await runtime.publish(manifest)
  const installed = []
  for (const scope of scopes) installed.push(await installBoth(runtime, scope))
  await sql`update runtime.installation set version = '1.10.0' where bundle_install_id = ${installed[2]?.crm}`.execute(
    runtime.db,
  )
})
after(() => runtime.close())

const read = (query: Partial<Input<'GET /installed-versions'>['query']> = {}, actor = runtime.actor) =>
  listInstalledVersions(
    { ...runtime.read, actor },
    { params: {}, query: { limit: 50, ...query }, body: undefined },
  )
const summarize = async (...[query, actor]: Parameters<typeof read>) =>
  (await read(query, actor)).items.map(
    ({ bundle, newest, installations, outdated, versions }) =>
      `${bundle.bundleId}: ${outdated} of ${installations} older than ${newest.version}: ${versions
        .map((one) => `${one.version} ${one.installations}${one.isOutdated ? ' outdated' : ''}`)
        .join(', ')}`,
  )
const ALL = [
  'billing: 0 of 3 older than 1.0.0: 1.0.0 3',
  'crm: 2 of 3 older than 1.10.0: 1.10.0 1, 1.0.0 2 outdated',
]

const matrix = async (
  query: Partial<Input<'GET /installed-versions/scopes'>['query']> = {},
  actor = runtime.actor,
) => {
  const { items, nextCursor, bundles } = await listVersionsByScope(
    { ...runtime.read, actor },
    { params: {}, query: { limit: 50, bundleLimit: 12, ...query }, body: undefined },
  )
  return {
    bundles: bundles.items.map(({ bundle }) => bundle.bundleId),
    nextBundles: bundles.nextCursor,
    nextCursor,
    rows: items.map(
      ({ workspaceId, installations }) =>
        `${workspaceId}: ${installations
          .map(
            ({ bundle, version, claim }) =>
              `${bundle.bundleId} ${version}${claim === null ? '' : ` ${claim}`}`,
          )
          .toSorted()
          .join(', ')}`,
    ),
  }
}

describe('versions by scope', () => {
  it('are those of each bundle in each scope', async () => {
    const { bundles, rows } = await matrix()
    assert.deepEqual(bundles, ['billing', 'crm'])
    assert.deepEqual(rows, [
      '1: billing 1.0.0, crm 1.0.0',
      '2: billing 1.0.0, crm 1.0.0',
      '3: billing 1.0.0, crm 1.10.0',
    ])
  })

  it('leave out scopes that have none of the bundles, or nothing outdated', async () => {
    assert.deepEqual((await matrix({ upgrade: 'available' })).rows, ['1: crm 1.0.0', '2: crm 1.0.0'])
    assert.deepEqual(
      (await matrix({ q: 'billing' })).rows,
      [1, 2, 3].map((n) => `${n}: billing 1.0.0`),
    )
    assert.deepEqual(await matrix({ q: 'nothing like it' }), {
      bundles: [],
      nextBundles: null,
      nextCursor: null,
      rows: [],
    })
    assert.deepEqual((await matrix({ workspaceId: 3, upgrade: 'available' })).rows, [])
  })

  it('are those of the scopes that the person may see', async () => {
    const [, scope] = scopes
    assert.ok(scope)
    const reader = actorWith([{ permissions: ['read'], scope }], 'Reader')
    assert.deepEqual((await matrix({}, reader)).rows, ['2: billing 1.0.0, crm 1.0.0'])
    assert.deepEqual((await matrix({}, actorWith([], 'Nobody'))).rows, [])
  })

  it('are found by version or scope by scope, with the same result', async () => {
    const wanted = [{ ...crm.bundle, version: '1.0.0' }]
    const find = async (few: number, filter: ScopeFilter = {}) =>
      (
        await listScopesWith(
          runtime.db,
          { kind: 'everything' },
          { wanted, filter, after: null, limit: 10, few },
        )
      ).map(({ workspace_id }) => workspace_id)
    for (const few of [0, 100]) {
      assert.deepEqual(await find(few), [1, 2])
      assert.deepEqual(await find(few, { workspaceId: 2 }), [2])
    }
  })

  it('come in pages of scopes and of bundles', async () => {
    const first = await matrix({ limit: 2, bundleLimit: 1 })
    assert.deepEqual(first.rows, ['1: billing 1.0.0', '2: billing 1.0.0'])
    const below = await matrix({ limit: 2, bundleLimit: 1, cursor: first.nextCursor ?? '' })
    assert.deepEqual([below.rows, below.nextCursor], [['3: billing 1.0.0'], null])
    const beside = await matrix({ limit: 2, bundleLimit: 1, bundleCursor: first.nextBundles ?? '' })
    assert.deepEqual([beside.bundles, beside.rows], [['crm'], ['1: crm 1.0.0', '2: crm 1.0.0']])
    assert.equal(beside.nextBundles, null)
    await assert.rejects(matrix({ cursor: first.nextBundles ?? '' }), { code: 'REQUEST_INVALID' })
  })
})

describe('installed versions', () => {
  it('are counted by bundle, the highest version first', async () => {
    assert.deepEqual(await summarize(), ALL)
    assert.deepEqual(await summarize({ environmentKey: SCOPE.environmentKey }), ALL)
    assert.deepEqual(await summarize({ environmentKey: 'elsewhere' }), [])
  })

  it('are those of the scopes that the person may see', async () => {
    const [scope] = scopes
    assert.ok(scope)
    const reader = actorWith([{ permissions: ['read'], scope }], 'Reader')
    assert.deepEqual(await summarize({}, reader), [
      'billing: 0 of 1 older than 1.0.0: 1.0.0 1',
      'crm: 1 of 1 older than 1.10.0: 1.0.0 1 outdated',
    ])
    assert.deepEqual(await summarize({}, actorWith([], 'Nobody')), [])
    const { outdated } = await readSummary(
      { ...runtime.read, actor: reader },
      { params: {}, query: {}, body: undefined },
    )
    assert.equal(outdated, 1)
  })

  it('can be limited to a bundle, a text, and what is outdated', async () => {
    assert.deepEqual(await summarize({ bundleId: 'billing' }), [ALL[0]])
    assert.deepEqual(await summarize({ bundleId: 'crm', bundleEnvironmentKey: 'other' }), [])
    assert.deepEqual(await summarize({ q: 'CUSTOM' }), [ALL[1]])
    assert.deepEqual(await summarize({ upgrade: 'available' }), [ALL[1]])
  })

  it('say how many newer versions there are, releases only', async () => {
    await runtime.publish({ ...crm, version: '1.10.1-rc.1' })
    const { items } = await read({ bundleId: 'crm' })
    assert.deepEqual(
      items[0]?.versions.map(({ version, behind }) => [version, behind]),
      [
        ['1.10.0', 0],
        ['1.0.0', 2],
      ],
    )
  })

  it('come in pages', async () => {
    const first = await read({ limit: 1 })
    assert.deepEqual(
      first.items.map(({ bundle }) => bundle.bundleId),
      ['billing'],
    )
    const second = await read({ limit: 1, cursor: first.nextCursor ?? '' })
    assert.deepEqual(
      second.items.map(({ bundle }) => bundle.bundleId),
      ['crm'],
    )
    assert.equal(second.nextCursor, null)
  })
})
