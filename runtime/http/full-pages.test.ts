import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { JsonObject, JsonValue } from '#contract/json-schema/json.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { bundleOf, locatorOf, moduleOf, placeOf, startRuleHarness, wrapped } from '../testing/rules.ts'
import type { RuleHarness } from '../testing/rules.ts'
import { until } from '../testing/stream.ts'

// Lists of large values: a page is full before its response exhausts the memory, and the cursor leads to the rest.

const mail = bundleOf('mail', { resources: [moduleOf('smtp', { hosts: { kind: 'DATA', schema: true } })] })
const SMTP = locatorOf(mail, 'smtp')
/** A request has at most a megabyte. */
const large = (number: number): JsonValue => [number, ...Array.from({ length: 4 }, () => 'x'.repeat(240_000))]
const SAVES = 6
const PAGE_MAX = 7_000_000

let harness: RuleHarness
let scopes: Scope[] = []
before(async () => {
  harness = await startRuleHarness({ rateLimit: { perSecond: 1e6, burst: 1e6 } })
  await harness.publish(mail)
  scopes = Array.from({ length: SAVES }, () => harness.newScope())
  for (const [number, scope] of scopes.entries()) {
    await harness.installed(mail, { scope })
    await harness.saved(scope, { [SMTP]: wrapped({ hosts: large(number) }) })
  }
  const [first] = scopes
  assert.ok(first)
  for (let number = 1; number < SAVES; number++)
    await harness.saved(first, { [SMTP]: wrapped({ hosts: large(number) }) })
})
after(() => harness.close())

/** The items of all pages, each of which is small and has one at least. */
async function readAll(path: string): Promise<{ items: JsonObject[]; pages: number }> {
  const items: JsonObject[] = []
  let pages = 0
  for (let cursor: JsonValue | undefined = ''; cursor !== null; pages++) {
    const answer = await harness.http.call(
      `${path}limit=200${cursor === '' ? '' : `&cursor=${String(cursor)}`}`,
    )
    assert.equal(answer.errorCode, '0', JSON.stringify(answer.json).slice(0, 500))
    assert.ok(JSON.stringify(answer.data).length < PAGE_MAX)
    const found = answer.data['items'] as JsonObject[]
    assert.ok(found.length > 0)
    items.push(...found)
    cursor = answer.data['nextCursor']
  }
  return { items, pages }
}

const first = () => placeOf(scopes[0] as Scope)

test('the audit shows all entries, whatever is in them (J01, J02)', async () => {
  const { items, pages } = await readAll('/audit?')
  const sequences = items.map(({ sequence }) => Number(sequence))
  assert.ok(pages > 2)
  // one after the other, from the newest to the first
  assert.deepEqual(
    sequences,
    Array.from({ length: sequences[0] ?? 0 }, (_, index) => (sequences[0] ?? 0) - index),
  )
})

test('a history shows all snapshots, whatever they changed (J01, J02)', async () => {
  const path = `${first()}/configuration/history`
  for (const filter of ['?', `?property=hosts&`]) {
    const { items, pages } = await readAll(path + filter)
    assert.ok(pages > 1)
    assert.deepEqual(
      items.map(({ snapshotVersion }) => snapshotVersion),
      Array.from({ length: items.length }, (_, index) => Number(items[0]?.['snapshotVersion']) - index),
    )
    assert.ok(items.length >= SAVES)
  }
})

test('a property shows its values of all installations (J01, J02)', async () => {
  const { items, pages } = await readAll(
    '/properties?bundleId=mail&kind=MODULE&resource=smtp&property=hosts&',
  )
  assert.ok(pages > 1)
  assert.deepEqual(
    items.map(({ installation }) => (installation as JsonObject)['workspaceId']),
    scopes.map(({ workspaceId }) => workspaceId),
  )
})

test('batches are all in their list and in the inbox, whatever they set (J01, J02)', async () => {
  const made: string[] = []
  for (const [number, scope] of scopes.entries()) {
    const { items } = await harness.ok(`/installations?workspaceId=${scope.workspaceId}`, {})
    const [{ installation }] = items as [{ installation: JsonObject }]
    const body: JsonObject = {
      action: 'CONFIGURE',
      targets: [String(installation['bundleInstallId'])],
      input: { changes: { [SMTP]: wrapped({ hosts: large(number + SAVES) }) } },
    }
    const { batchId } = (await harness.ok('/batches', { method: 'POST', body }))['batch'] as JsonObject
    made.unshift(String(batchId))
  }
  const listed = await readAll('/batches?')
  assert.ok(listed.pages > 1)
  assert.deepEqual(
    listed.items.map(({ batchId }) => batchId),
    made,
  )
  await until(async () => Number((await harness.ok('/inbox/unread', {}))['unread']) >= SAVES)
  const inbox = await readAll('/inbox?')
  assert.ok(inbox.pages > 1)
  assert.deepEqual(new Set(inbox.items.map(({ batch }) => (batch as JsonObject)['batchId'])), new Set(made))
})

test('plugins are all in their list, whatever their runbooks say (J01, J02)', async () => {
  const text = 'x'.repeat(2_000)
  const runbooks = Array.from({ length: 100 }, (_, index) => ({
    errorCode: `CODE_${index}`,
    title: 'Look',
    text,
  }))
  const names = Array.from({ length: 25 }, (_, index) => `plugin-${String(index).padStart(2, '0')}`)
  for (const name of names) await harness.registerWith(name, { runbooks })
  const { items, pages } = await readAll('/plugins?q=plugin-&')
  assert.ok(pages > 1)
  assert.deepEqual(
    items.map(({ pluginId }) => pluginId),
    names,
  )
})

test('local services are all in their list (J01, J02)', async () => {
  const names = Array.from({ length: 25 }, (_, index) => `service-${String(index).padStart(2, '0')}`)
  for (const name of names)
    await harness.ok(`${first()}/local-services/${name}`, {
      method: 'PUT',
      body: { version: 0, values: { text: 'x'.repeat(200_000) } },
    })
  const { items, pages } = await readAll(`${first()}/local-services?`)
  assert.ok(pages > 1)
  assert.deepEqual(
    items.map(({ serviceName }) => serviceName),
    names,
  )
})

test('what was changed before an operation is as much as a page holds (J01)', async () => {
  const [scope] = scopes
  const { items } = (await harness.http.call(`/operations?sort=createdAt&workspaceId=${scope?.workspaceId}`))
    .data as { items: { operationId: string }[] }
  const { data } = await harness.http.call(`/operations/${items[0]?.operationId}/context`)
  const causes = data['causes'] as JsonObject[]
  const saves = causes.filter(({ kind }) => kind === 'configuration.save')
  assert.ok(saves.length > 0 && saves.length < SAVES, `${saves.length} saves`)
  assert.equal(data['hasMore'], true)
})
