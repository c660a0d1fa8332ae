import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { billing, crm, installBoth, SCOPE } from '../../testing/bundles.ts'
import { actorWith, testRuntime } from '../../testing/runtime.ts'
import type { TestRuntime } from '../../testing/runtime.ts'
import type { Input } from '../context.ts'
import { readSummary } from '../overview/overview.ts'
import { listInstalledVersions } from './read.ts'

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
