import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { wrapData } from '#contract/protocol/data.ts'
import type { Changes } from '#contract/runtime-api/common.ts'
import type { Configuration } from '#contract/runtime-api/configuration.ts'
import { deleteOperations } from '../../store/retention/finished-work.ts'
import { detach } from '../installations/detach.ts'
import { upgrade } from '../installations/upgrade.ts'
import { billing, CORE, crm, installBoth, LEDGER, SCOPE } from '../../testing/bundles.ts'
import { refused, testRuntime } from '../../testing/runtime.ts'
import type { TestRuntime } from '../../testing/runtime.ts'
import { readHistory, readHistoryPeople } from './history.ts'
import { readConfiguration } from './read.ts'
import { saveConfiguration } from './save.ts'
import { readSnapshot } from './snapshot.ts'

let runtime: TestRuntime
const seen: Configuration[] = []

const read = () => readConfiguration(runtime.read, { params: SCOPE, query: {}, body: undefined })
const history = (query: Partial<Parameters<typeof readHistory>[1]['query']> = {}) =>
  readHistory(runtime.read, { params: SCOPE, query: { limit: 50, ...query }, body: undefined })
const snapshot = (snapshotVersion: number) =>
  readSnapshot(runtime.read, { params: { ...SCOPE, snapshotVersion }, query: {}, body: undefined })

async function save(changes: Changes): Promise<void> {
  const { snapshotVersion } = await read()
  const body = { snapshotVersion, changes, reason: 'because' }
  const saved = await runtime.write((context) =>
    saveConfiguration(context, { params: SCOPE, query: {}, body }),
  )
  seen.push(await read())
  for (const { operationId } of saved.operations) await runtime.succeed(operationId)
}

// The history of the scope: two installs, two saves, an upgrade that drops and adds, a detach, a save.
before(async () => {
  runtime = await testRuntime()
  await runtime.publish(crm)
  await runtime.publish(billing)
  const core = crm.resources[0]
  assert.ok(core)
  const { password, ...others } = core.properties
  assert.ok(password)
  const properties = {
    ...others,
    name: { ...core.properties['name'], kind: 'DATA' as const, schema: true, isSensitive: true },
    color: { kind: 'DATA' as const, schema: true, default: 'red' },
  }
  await runtime.publish({ ...crm, version: '2.0.0', plugins: [], resources: [{ ...core, properties }] })
  const installed = await installBoth(runtime)
  seen.push(await read())
  await save({ [CORE]: { name: wrapData('Bolt'), password: wrapData('hunter2') } })
  await save({ [CORE]: { seats: null }, [LEDGER]: { currency: wrapData('EUR') } })
  const upgraded = await runtime.write((context) =>
    upgrade(context, {
      params: { bundleInstallId: installed.crm },
      query: {},
      body: { targetVersion: '2.0.0' },
    }),
  )
  await runtime.succeed(upgraded.operation.operationId)
  seen.push(await read())
  const detached = await runtime.write((context) =>
    detach(context, { params: { bundleInstallId: installed.crm }, query: {}, body: { reason: 'gone' } }),
  )
  await runtime.succeed(detached.operation.operationId)
  seen.push(await read())
  await save({ [LEDGER]: { currency: wrapData('USD') } })
})
after(() => runtime.close())

/** Claims and managers are always current, and values that became sensitive later are hidden in the past too. */
const essence = ({ resources, ...rest }: Configuration) => ({
  ...rest,
  resources: Object.fromEntries(
    Object.entries(resources).map(([locator, resource]) => [
      locator,
      {
        ...resource,
        properties: hideName(locator, resource.properties),
        claim: null,
        managedBy: undefined,
        // only of the configuration as it is now
        sensitiveSet: undefined,
      },
    ]),
  ),
})
const hideName = (locator: string, properties: Configuration['resources'][string]['properties']) =>
  locator === CORE && 'name' in properties
    ? { ...properties, name: { '@type': 'Data', isSensitive: true, isSet: true } }
    : properties

describe('a past snapshot', () => {
  it('shows the configuration as it was at that time', async () => {
    assert.ok(seen.length >= 6)
    for (const then of seen) {
      const now = await snapshot(then.snapshotVersion)
      assert.deepEqual(essence(now), essence(then))
      assert.ok(!JSON.stringify(now).includes('Bolt'))
    }
  })

  it('of an empty scope has no resource', async () => {
    assert.deepEqual((await snapshot(1)).resources, {})
  })

  it('that never existed is not found', async () => {
    await assert.rejects(snapshot(99), refused('NOT_FOUND'))
  })
})

describe('the history', () => {
  it('shows who changed what and why, newest first, without a sensitive value', async () => {
    const { items, nextCursor } = await history()
    assert.equal(nextCursor, null)
    assert.deepEqual(
      items.map(({ cause }) => cause),
      ['SAVE', 'DETACH', 'UPGRADE', 'SAVE', 'SAVE', 'INSTALL', 'CREATED'],
    )
    assert.deepEqual(items[0]?.changes, [
      {
        locator: LEDGER,
        property: 'currency',
        before: wrapData('EUR'),
        after: wrapData('USD'),
        managedBy: 'person',
      },
    ])
    assert.equal(items[0]?.reason, 'because')
    assert.equal(items[0]?.savedBy.name, 'Ada')
    assert.ok(!/hunter2|Bolt/.test(JSON.stringify(items)))
  })

  it('names the operations that each save started', async () => {
    const { items } = await history()
    const started = items.map(({ cause, operations }) => [cause, operations.length])
    assert.deepEqual(started, [
      ['SAVE', 1],
      ['DETACH', 0],
      ['UPGRADE', 0],
      ['SAVE', 2],
      ['SAVE', 1],
      ['INSTALL', 0],
      ['CREATED', 0],
    ])
    const ids = items.flatMap(({ operations }) => operations)
    assert.equal(new Set(ids).size, 4)
  })

  it('says how many operations retention has removed', async () => {
    const { items } = await history()
    assert.ok(items.every(({ operationsRemoved }) => operationsRemoved === undefined))
    const first = items.findLast(({ cause }) => cause === 'SAVE')
    const upgraded = items.find(({ cause }) => cause === 'UPGRADE')
    assert.ok(first && upgraded?.operationId)
    const ofTwo = items.find(({ operations }) => operations.length === 2)
    assert.ok(ofTwo)
    const [removed, ...kept] = ofTwo.operations
    assert.ok(removed)
    const ids = [removed, ...first.operations, upgraded.operationId]
    await runtime.deps.db.transaction().execute((tx) => deleteOperations(tx, ids))
    assert.deepEqual(
      (await history()).items.filter(({ operationsRemoved }) => operationsRemoved !== undefined),
      [
        { ...upgraded, operationsRemoved: 1 },
        { ...ofTwo, operations: kept, operationsRemoved: 1 },
        { ...first, operations: [], operationsRemoved: 1 },
      ],
    )
    // a filter shows fewer changes, and counts the same operations
    const filtered = (await history({ locator: LEDGER, property: 'currency' })).items.find(
      ({ snapshotVersion }) => snapshotVersion === ofTwo.snapshotVersion,
    )
    assert.equal(filtered?.operationsRemoved, 1)
  })

  it('can be filtered by person and time', async () => {
    const { items } = await history()
    const [newest, before] = items
    assert.ok(newest && before)
    assert.equal((await history({ savedBy: newest.savedBy.id })).items.length, items.length)
    assert.deepEqual((await history({ savedBy: 'nobody' })).items, [])
    assert.deepEqual((await history({ since: newest.savedAt })).items, [newest])
    assert.deepEqual((await history({ until: newest.savedAt, limit: 1 })).items, [before])
  })

  it('names everyone by whom it can be filtered', async () => {
    const { items } = await history()
    const people = await readHistoryPeople(runtime.read, { params: SCOPE, query: {}, body: undefined })
    assert.deepEqual(
      new Map(people.items.map(({ id, name }) => [id, name])),
      new Map(items.toReversed().map(({ savedBy: { id, name } }) => [id, name])),
    )
    const nowhere = { params: { ...SCOPE, workspaceId: 999 }, query: {}, body: undefined }
    await assert.rejects(readHistoryPeople(runtime.read, nowhere), refused('NOT_FOUND'))
  })

  it('can be filtered by property, one page at a time', async () => {
    const versions: number[] = []
    let cursor: string | undefined
    do {
      const page = await history({ locator: CORE, property: 'seats', limit: 1, ...(cursor && { cursor }) })
      for (const item of page.items) {
        versions.push(item.snapshotVersion)
        assert.deepEqual(
          item.changes.map(({ property }) => property),
          ['seats'],
        )
      }
      cursor = page.nextCursor ?? undefined
    } while (cursor !== undefined)
    assert.deepEqual(versions, [4, 2])
  })

  it('refuses a cursor of another list', async () => {
    for (const cursor of [
      'nonsense',
      Buffer.from('[1.5]').toString('base64url'),
      Buffer.from('["a"]').toString('base64url'),
    ])
      await assert.rejects(history({ cursor }), refused('REQUEST_INVALID'))
  })
})
