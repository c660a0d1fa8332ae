import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { JsonObject, JsonValue } from '#contract/json-schema/json.ts'
import type { AuthorManifest } from '#contract/protocol/manifest.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { verifyChain } from '../use-cases/audit/verify-chain.ts'
import { until } from '../testing/stream.ts'
import type { Reply } from '../testing/plugin.ts'
import {
  bindingOf,
  bundleOf,
  locatorOf,
  moduleOf,
  placeOf,
  startRuleHarness,
  TEXT,
  wrapped,
} from '../testing/rules.ts'
import type { RuleHarness } from '../testing/rules.ts'

// The definition also decides about the past: once an INSTALL or UPGRADE that marks a property as sensitive is
// frozen, no response shows a value of it, however old. The bytes of the audit do not change.

const hidden = { ...TEXT, isSensitive: true } as const
const flag = { kind: 'DATA', schema: { type: 'boolean' } } as const

const versions = (bundleId: string) => {
  const version = (name: string, key: typeof TEXT | typeof hidden, isHidden: boolean): AuthorManifest =>
    bundleOf(bundleId, {
      version: name,
      resources: [
        moduleOf('main', {
          name: TEXT,
          key,
          flag: { ...flag, ...(isHidden && { isSensitive: true }) },
          made: key,
        }),
      ],
      plugins: [bindingOf('marker', 1, { main: { reads: ['name', 'key', 'flag'], writes: ['made'] } })],
    })
  return {
    shown: version('1.0.0', TEXT, false),
    marked: version('2.0.0', hidden, true),
    again: version('3.0.0', TEXT, true),
  }
}
const bundle = versions('marked')
const MAIN = locatorOf(bundle.shown, 'main')

const SECRETS = ['first-secret-key', 'second-secret-key', 'made-by-the-plugin'] as const
const [FIRST, SECOND, MADE] = SECRETS

let harness: RuleHarness
before(async () => {
  harness = await startRuleHarness()
  await harness.register('marker')
  await harness.publish(bundle.shown, bundle.marked, bundle.again)
})
after(() => harness.close())

const applied: Reply = {
  outcome: 'APPLIED',
  resources: { [MAIN]: wrapped({ made: MADE }) } as unknown as JsonObject,
}
/** Puts the value into its message before it succeeds. */
const talkative = (): void => {
  const reported = new Set<string>()
  harness.plugin.script(({ request, stage }) => {
    const call = `${request.operation.operationId} ${stage}`
    if (reported.has(call)) return applied
    reported.add(call)
    const key = request.resources[MAIN]?.properties['key']?.value ?? ''
    return { errorCode: 'BUSY', data: { message: `cannot take ${String(key)} yet`, retryable: true } }
  })
}

/** Returns everything that a person can see of a scope, by where it is shown. */
async function answersOf(scope: Scope, installations: string[]): Promise<Record<string, JsonValue>> {
  const place = placeOf(scope)
  const query = String(new URLSearchParams({ ...scope, workspaceId: String(scope.workspaceId) }))
  const operations = await harness.ok(`/operations?limit=200&${query}`, {})
  const items = operations['items'] as unknown as { operationId: string }[]
  assert.ok(items.length > 0)
  const { snapshotVersion } = await harness.configuration(scope)
  const answers: Record<string, JsonValue> = {
    configuration: await harness.ok(`${place}/configuration`, {}),
    history: await harness.ok(`${place}/configuration/history?limit=200`, {}),
    operations,
    installations: await harness.ok(`/installations?limit=200&${query}`, {}),
  }
  for (let version = 1; version <= snapshotVersion; version++)
    answers[`snapshot ${version}`] = await harness.ok(`${place}/configuration/snapshots/${version}`, {})
  for (const { operationId } of items)
    answers[`operation ${operationId}`] = await harness.ok(`/operations/${operationId}`, {})
  for (const id of installations) {
    answers[`installation ${id}`] = await harness.ok(`/installations/${id}`, {})
    answers[`audit of ${id}`] = await harness.ok(`/audit?limit=200&bundleInstallId=${id}`, {})
  }
  return answers
}

function shown(answers: Record<string, JsonValue>, text: string): string[] {
  return Object.keys(answers).filter((name) => JSON.stringify(answers[name]).includes(text))
}

function assertHidden(answers: Record<string, JsonValue>): void {
  for (const secret of SECRETS) assert.deepEqual(shown(answers, secret), [], secret)
  // a value that a text search cannot find is masked in its place
  assert.deepEqual(shown(answers, '"flag":{"@type":"Data","value":true'), [])
  assert.deepEqual(shown(answers, '"property":"flag","before":null,"after":{"@type":"Data","value":true'), [])
}

/** Creates an installation of the first version with a history in which everything was shown. */
async function withPast(): Promise<{ scope: Scope; id: string }> {
  const scope = harness.newScope()
  talkative()
  const properties = { [MAIN]: wrapped({ key: FIRST, flag: true, name: 'Acme' }) }
  const id = await harness.installed(bundle.shown, { scope, properties })
  await harness.saved(scope, { [MAIN]: wrapped({ key: SECOND }) })
  const before = await answersOf(scope, [id])
  for (const secret of SECRETS) assert.ok(shown(before, secret).length > 3, secret)
  assert.ok(shown(before, `cannot take ${FIRST} yet`).length > 0)
  assert.ok(shown(before, '"flag":{"@type":"Data","value":true').length > 0)
  return { scope, id }
}

const rawAudit = async (): Promise<string> =>
  JSON.stringify(await harness.db.selectFrom('runtime.audit_entry').selectAll().orderBy('sequence').execute())

describe('a property that an upgrade marks as sensitive', () => {
  it('is masked everywhere once the upgrade has succeeded, and the audit still verifies', async () => {
    const { scope, id } = await withPast()
    const audit = await rawAudit()
    talkative()
    await harness.succeeds(await harness.upgrade(id, { targetVersion: '2.0.0' }))
    assertHidden(await answersOf(scope, [id]))
    assert.ok(
      (await rawAudit()).startsWith(audit.slice(0, -1)),
      'written entries stay unchanged byte for byte',
    )
    assert.ok(audit.includes(FIRST))
    assert.equal((await verifyChain(harness.db)).holds, true)
  })

  it('is masked once the upgrade is frozen, after it fails, during its takeover, and afterwards', async () => {
    const { scope, id } = await withPast()
    let isHeld = true
    harness.plugin.script(() =>
      isHeld
        ? { errorCode: 'BUSY', data: { message: `still ${SECOND}`, retryable: true } }
        : { errorCode: 'BROKEN', data: { message: `never ${SECOND}`, retryable: false } },
    )
    const upgrade = await harness.upgrade(id, { targetVersion: '2.0.0' })
    await until(async () => harness.callsOf(upgrade).length > 0)
    assertHidden(await answersOf(scope, [id]))
    const { resources } = await harness.configuration(scope)
    assert.deepEqual(resources[MAIN]?.properties['key'], { '@type': 'Data', isSensitive: true, isSet: true })
    assert.equal(resources[MAIN]?.definitions['key']?.isSensitive, true)

    isHeld = false
    const failed = await harness.fails(upgrade, 'BROKEN')
    assertHidden(await answersOf(scope, [id]))

    harness.plugin.script(() => ({ outcome: 'UNKNOWN' }))
    const detach = await harness.takeOver(failed)
    await until(async () => harness.callsOf(detach).length > 0)
    assertHidden(await answersOf(scope, [id]))
    harness.plugin.script(() => ({ outcome: 'NOT_APPLIED' }))
    await harness.succeeds(detach)
    assertHidden(await answersOf(scope, [id]))

    // a copy into a version that shows the value would reveal it
    const copied = await harness.installed(bundle.shown, { scope, copyFrom: id })
    const copy = (await harness.configuration(scope)).resources[MAIN]?.properties
    assert.deepEqual([copy?.['key'], copy?.['flag']], [undefined, undefined])
    assertHidden({
      ...(await answersOf(scope, [id, copied])),
      [`operation ${upgrade}`]: null,
      operations: null,
    })
  })

  it('is shown again from the first value that is set in a version that shows it', async () => {
    const { scope, id } = await withPast()
    harness.plugin.script(() => ({ outcome: 'NOT_APPLIED' }))
    await harness.succeeds(await harness.upgrade(id, { targetVersion: '2.0.0' }))
    const { snapshotVersion } = await harness.configuration(scope)
    const properties = { [MAIN]: wrapped({ key: 'a public name' }) } as unknown as JsonObject
    const body = { targetVersion: '3.0.0', snapshotVersion, properties }
    await harness.succeeds(await harness.upgrade(id, body))
    await harness.saved(scope, { [MAIN]: wrapped({ key: 'another one' }) })
    const answers = await answersOf(scope, [id])
    assertHidden(answers)
    for (const name of ['configuration', 'history', `installation ${id}`, `audit of ${id}`])
      assert.ok(shown(answers, 'another one').includes(name), `${name} shows what is public now`)
    assert.ok(shown(answers, 'a public name').includes('history'))
  })
})

describe('a property that a later installation marks as sensitive', () => {
  it('is masked in everything that the scope keeps of the earlier, detached installation', async () => {
    const { scope, id } = await withPast()
    await harness.succeeds(await harness.detach(id))
    assert.ok(shown(await answersOf(scope, [id]), FIRST).length > 0)
    harness.plugin.script(() => ({ outcome: 'UNKNOWN' }))
    const { bundleInstallId: later, operationId } = await harness.install(bundle.marked, { scope })
    await until(async () => harness.callsOf(operationId).length > 0)
    assertHidden(await answersOf(scope, [id, later]))
    harness.plugin.script(() => applied)
    await harness.succeeds(operationId)
    assertHidden(await answersOf(scope, [id, later]))
    await harness.succeeds(await harness.detach(later))
    assertHidden(await answersOf(scope, [id, later]))
    assert.equal((await verifyChain(harness.db)).holds, true)
  })

  it('is masked in the message of a failed INSTALL, and is not copied into a version that shows it', async () => {
    const scope = harness.newScope()
    harness.plugin.script(() => ({
      errorCode: 'BROKEN',
      data: { message: `cannot take ${FIRST}`, retryable: false },
    }))
    const properties = { [MAIN]: wrapped({ key: FIRST, flag: true }) }
    const first = await harness.install(bundle.shown, { scope, properties })
    const failed = await harness.fails(first.operationId, 'BROKEN')
    harness.plugin.script(() => ({ outcome: 'NOT_APPLIED' }))
    await harness.succeeds(await harness.takeOver(failed))
    assert.ok(shown(await answersOf(scope, [first.bundleInstallId]), FIRST).includes('operations'))

    const second = await harness.installed(bundle.marked, { scope })
    assertHidden(await answersOf(scope, [first.bundleInstallId, second]))
    await harness.succeeds(await harness.detach(second))
    const third = await harness.installed(bundle.shown, { scope, copyFrom: first.bundleInstallId })
    assertHidden(await answersOf(scope, [first.bundleInstallId, second, third]))
  })
})
