import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Grant } from '#contract/endpoint/permission.ts'
import type { JsonObject } from '#contract/json-schema/json.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { ChangePlan, ChangeRequest } from '#contract/runtime-api/change-requests.ts'
import type { Changes } from '#contract/runtime-api/common.ts'
import { writeNotification } from '../../notifications/write-notification.ts'
import { changesOf, hub, MAIN, RELAY, shop, startShops } from '../../testing/change-requests.ts'
import { bundleOf, locatorOf, moduleOf } from '../../testing/rules.ts'
import { until } from '../../testing/stream.ts'

const client = bundleOf('client', { resources: [moduleOf('main', { mail: { kind: 'SERVICE_REFERENCE' } })] })

const [main] = shop.resources
const password = {
  kind: 'DATA',
  isSensitive: true,
  schema: { type: 'string', pattern: '^[^h]', minLength: 100 },
} as const
const strict = {
  ...shop,
  version: '4.0.0',
  resources: [{ ...main!, properties: { ...main!.properties, password } }],
}

const { deps, installed, send, propose, requested, read, planOf, approve, apply, told } = await startShops()
await deps.publish(client, strict)
after(() => deps.close())

describe('a change request of somebody else', () => {
  const kept = { '@type': 'Data', isSensitive: true } as const
  const KEPT = { [MAIN]: { password: kept } }
  const edit = (id: string, body: JsonObject, more: { actor?: string; grants?: Grant[] } = {}) =>
    send(`/change-requests/${id}`, body, { method: 'PATCH', actor: 'mallory', ...more })
  const shownOf = async (id: string) =>
    JSON.stringify([await read(id, 'mallory'), await planOf(id), await deps.ok('/audit', {})])

  it('gives no secret away to a version that does not hide it, nor to another target (H03)', async () => {
    const scope = deps.newScope()
    const input = { scope: { ...scope }, bundle: { ...shop.bundle }, targetVersion: '1.0.0' }
    const properties = changesOf({ password: 'hunter2' })
    const made = await requested({ kind: 'INSTALL', title: 'New', input: { ...input, properties } })
    const id = made.changeRequestId
    const elsewhere = { ...input, scope: { ...deps.newScope() }, properties: KEPT }
    const moved = await edit(id, { kind: 'INSTALL', revision: 1, input: elsewhere })
    assert.equal(moved.errorCode, 'REQUEST_INVALID')
    const open = { ...input, targetVersion: '3.0.0', properties: KEPT }
    assert.equal((await edit(id, { kind: 'INSTALL', revision: 1, input: open })).errorCode, '0')
    assert.ok(!(await shownOf(id)).includes('hunter2'))
    assert.equal((await planOf(id)).problems[0]?.property, 'password')
    // a token is not a secret: that of another plan may be sent
    const plan = await deps.ok('/installations/plan', {
      method: 'POST',
      body: { ...input, targetVersion: '3.0.0' },
    })
    const { revision } = await read(id)
    await send(`/change-requests/${id}/submit`, { revision })
    const applied = await send(`/change-requests/${id}/apply`, {
      revision,
      planToken: plan['planToken'] ?? '',
    })
    assert.equal(applied.errorCode, 'REQUEST_INVALID')
    // with the value, it is an ordinary request again
    const given = { ...input, targetVersion: '3.0.0', properties: changesOf({ password: 'new' }) }
    assert.equal((await edit(id, { kind: 'INSTALL', revision, input: given })).errorCode, '0')
    assert.match(await shownOf(id), /"new"/)

    const first = await installed()
    const second = await installed()
    const upgrade = { bundleInstallId: first.id, targetVersion: '2.0.0' }
    const upgrading = await requested({
      kind: 'UPGRADE',
      title: 'Next',
      input: { ...upgrade, properties },
    })
    const away = { ...upgrade, bundleInstallId: second.id, properties: KEPT }
    const sent = await edit(upgrading.changeRequestId, { kind: 'UPGRADE', revision: 1, input: away })
    assert.equal(sent.errorCode, 'REQUEST_INVALID')
    const shows = { ...upgrade, targetVersion: '3.0.0', properties: KEPT }
    await edit(upgrading.changeRequestId, { kind: 'UPGRADE', revision: 1, input: shows })
    assert.ok(!(await shownOf(upgrading.changeRequestId)).includes('hunter2'))
  })

  it('keeps its secret when the installation gets a version that does not hide it (H03)', async () => {
    const { scope, id: bundleInstallId } = await installed()
    const secrets = changesOf({ password: 'hunter2' })
    const configure = await propose(scope, secrets)
    const batch = await requested({
      kind: 'BATCH',
      title: 'All',
      input: { action: 'CONFIGURE', targets: [bundleInstallId], input: { changes: secrets } },
    })
    await deps.succeeds(await deps.upgrade(bundleInstallId, { targetVersion: '3.0.0' }))
    for (const { changeRequestId } of [configure, batch]) {
      assert.ok(!(await shownOf(changeRequestId)).includes('hunter2'))
      assert.equal((await planOf(changeRequestId)).effect, null)
    }
  })

  it('does not tell another version what its secret is (H03)', async () => {
    const secrets = changesOf({ password: 'hunter2' })
    const codesOf = async (id: string) => {
      const { problems, batch } = await planOf(id)
      return [problems, ...(batch?.items ?? []).map((item) => item.problems)].flatMap((of) =>
        of.map(({ errorCode }) => errorCode),
      )
    }
    const inputs = {
      INSTALL: { scope: { ...deps.newScope() }, bundle: { ...shop.bundle }, targetVersion: '2.0.0' },
      UPGRADE: { bundleInstallId: (await installed()).id, targetVersion: '2.0.0' },
    }
    for (const [kind, input] of Object.entries(inputs)) {
      const { changeRequestId: id } = await requested({
        kind,
        title: kind,
        input: { ...input, properties: secrets },
      })
      const asks = { ...input, targetVersion: '4.0.0' }
      const given = await edit(id, { kind, revision: 1, input: { ...asks, properties: secrets } })
      assert.equal(given.errorCode, 'PROPERTY_INVALID')
      const edited = await edit(id, { kind, revision: 1, input: { ...asks, properties: KEPT } })
      assert.equal(edited.errorCode, '0', JSON.stringify(edited.json))
      assert.deepEqual(await codesOf(id), [])
      await send(`/change-requests/${id}/submit`, { revision: 2 })
      assert.equal((await apply(id)).errorCode, '0')
    }
    const [one, other, third] = [await installed(), await installed(), await installed()]
    const batch = { action: 'CONFIGURE', targets: [one.id, other.id], input: { changes: secrets } }
    const made = [
      await propose(third.scope, secrets),
      await requested({ kind: 'BATCH', title: 'All', submit: true, input: batch }),
    ]
    const body = { ...batch, title: 'First one', first: 1 }
    const { batch: paused } = (await deps.ok('/batches', { method: 'POST', body })) as { batch: JsonObject }
    const of = `/batches/${String(paused['batchId'])}`
    await until(async () => (await deps.ok(of, {}))['state'] === 'PAUSED')
    for (const { id } of [one, other]) await deps.succeeds(await deps.upgrade(id, { targetVersion: '4.0.0' }))
    for (const { changeRequestId } of made) {
      assert.deepEqual(await codesOf(changeRequestId), [])
      const applied = await apply(changeRequestId)
      assert.equal(applied.errorCode, '0', JSON.stringify(applied.json))
      await until(async () => (await read(changeRequestId)).state === 'APPLIED')
      assert.equal((await read(changeRequestId)).failure, null)
    }
    // who gives a secret is told, and does not say themselves that it is one that was checked before
    const [property] = Object.values(secrets).map(({ password }) => ({ ...password, isSensitive: true }))
    const flagged = { [MAIN]: { password: property } }
    const { snapshotVersion } = await deps.configuration(one.scope)
    const wrong = [
      { kind: 'CONFIGURE', scope: { ...one.scope }, input: { snapshotVersion, changes: secrets } },
      { kind: 'BATCH', input: batch },
      { kind: 'BATCH', input: { ...batch, input: { changes: flagged } } },
      { kind: 'BATCH', input: { ...batch, input: { values: { [other.id]: flagged } } } },
    ]
    for (const body of wrong) {
      const refused = await send('/change-requests', { title: 'Wrong', ...body } as JsonObject)
      assert.equal(refused.errorCode, 'PROPERTY_INVALID', JSON.stringify(body))
    }
    await deps.ok(`${of}/continue`, { method: 'POST', body: {} })
    await until(async () => (await deps.ok(of, {}))['state'] === 'DONE')
    const { items } = (await deps.ok(`${of}/items`, {})) as { items: JsonObject[] }
    assert.deepEqual([items[0]?.['state'], items[1]?.['code']], ['SUCCEEDED', 'PLAN_STALE'])
  })

  it('checks each secret when it is given, whatever else is wrong', async () => {
    const secrets = changesOf({ password: 'hunter2' })
    const { id } = await installed({ name: 'a', other: 'a', password: 'long'.repeat(25) })
    const to = (targetVersion: string) => ({ bundleInstallId: id, targetVersion })
    const install = { scope: { ...deps.newScope() }, bundle: { ...shop.bundle }, targetVersion: '4.0.0' }
    const batch = { targets: [id] }
    const wrong: JsonObject[] = [
      // there is nothing that it could be checked with
      { kind: 'UPGRADE', input: { ...to('1.0.0'), properties: secrets } },
      { kind: 'INSTALL', input: { ...install, properties: changesOf({ unknown: 'hunter2' }) } },
      // the target has a value
      {
        kind: 'BATCH',
        input: { action: 'UPGRADE', ...batch, input: { targetVersion: '4.0.0', fill: secrets } },
      },
    ]
    const unowned = { ...secrets, [RELAY]: secrets[MAIN]! }
    const refused = async (body: JsonObject) =>
      assert.equal(
        (await send('/change-requests', { title: 'Wrong', ...body })).errorCode,
        'PROPERTY_INVALID',
        JSON.stringify(body),
      )
    for (const body of wrong) await refused(body)
    await deps.succeeds(await deps.upgrade(id, { targetVersion: '4.0.0' }))
    await refused({ kind: 'BATCH', input: { action: 'CONFIGURE', ...batch, input: { changes: unowned } } })

    // given before the resource exists, or to some targets of a batch, it may be a secret that nothing hides
    const later = deps.newScope()
    const hubId = await deps.installed(hub, { scope: later })
    const { snapshotVersion } = await deps.configuration(later)
    await refused({ kind: 'CONFIGURE', scope: { ...later }, input: { snapshotVersion, changes: secrets } })
    const detached = await installed()
    await deps.succeeds(await deps.detach(detached.id))
    for (const target of [hubId, detached.id])
      await refused({
        kind: 'BATCH',
        input: { action: 'CONFIGURE', targets: [target], input: { values: { [target]: secrets } } },
      })

    // given before it is one, it is checked as long as it is wrong
    const shown = await deps.installed({ ...shop, version: '3.0.0' }, { scope: later, properties: {} })
    const { changeRequestId } = await propose(later, secrets)
    await deps.succeeds(await deps.upgrade(shown, { targetVersion: '4.0.0' }))
    for (const revision of [1, 1]) {
      assert.equal((await planOf(changeRequestId)).problems[0]?.errorCode, 'PROPERTY_INVALID')
      assert.equal((await apply(changeRequestId)).errorCode, 'PROPERTY_INVALID')
      await send(`/change-requests/${changeRequestId}/rebase`, { revision })
    }
  })

  it('does not tell, by a conflict, whether a value that others show is its secret (H03)', async () => {
    for (const password of ['hunter2', 'hunter3']) {
      const { scope, id } = await installed()
      const { changeRequestId } = await propose(scope, changesOf({ password: 'hunter2' }))
      await deps.succeeds(await deps.upgrade(id, { targetVersion: '3.0.0' }))
      await deps.saved(scope, changesOf({ password }))
      const { revision } = await read(changeRequestId)
      await send(`/change-requests/${changeRequestId}/rebase`, { revision })
      assert.equal((await read(changeRequestId)).state, 'CONFLICTED', password)
    }
  })

  it('does not tell whether a guess is its secret (H03)', async () => {
    const { scope, id } = await installed()
    const { snapshotVersion } = await deps.configuration(scope)
    const changes = changesOf({ password: 'hunter2' })
    const inputs: Record<string, JsonObject> = {
      CONFIGURE: { snapshotVersion, changes },
      UPGRADE: { bundleInstallId: id, targetVersion: '2.0.0', properties: changes },
      BATCH: { action: 'CONFIGURE', targets: [id], input: { changes } },
    }
    for (const [kind, input] of Object.entries(inputs)) {
      const scoped = kind === 'CONFIGURE' && { scope: { ...scope } }
      const made = await requested({ kind, title: kind, input, ...scoped })
      const { effect } = await planOf(made.changeRequestId)
      const guess = await edit(made.changeRequestId, { kind, revision: 1, input })
      assert.equal(guess.errorCode, '0', JSON.stringify(guess.json))
      assert.notEqual((await planOf(made.changeRequestId)).effect, effect)
    }
  })

  it('loses its approvals when an edit installs the same in another scope (G12)', async () => {
    const input = { scope: { ...deps.newScope() }, bundle: { ...shop.bundle }, targetVersion: '1.0.0' }
    const { changeRequestId } = await requested({ kind: 'INSTALL', title: 'New', submit: true, input })
    assert.equal((await approve(changeRequestId, 'bob')).errorCode, '0')
    const { revision } = await read(changeRequestId)
    const elsewhere = { ...input, scope: { ...deps.newScope(), environmentKey: 'elsewhere' } }
    assert.equal(
      (await edit(changeRequestId, { kind: 'INSTALL', revision, input: elsewhere })).errorCode,
      '0',
    )
    const { scope, state: now, approvals, approvedBy } = await read(changeRequestId)
    assert.deepEqual([now, approvals, approvedBy.map(({ outdated }) => outdated)], ['OPEN', 0, [true]])
    assert.deepEqual(scope, elsewhere.scope)
  })

  it('does not tell whether a guess is a secret that it copies or restores, nor does the token of a plan (H03)', async () => {
    const [guess, wrong] = ['hunter2', 'hunter3'].map((password) => changesOf({ password }))
    const from = await installed({ name: 'a', other: 'a', password: 'hunter2' })
    await deps.succeeds(await deps.detach(from.id))
    const install = { scope: { ...deps.newScope() }, bundle: { ...shop.bundle }, targetVersion: '1.0.0' }
    const named = changesOf({ name: 'a', other: 'a' })[MAIN]!
    const valuesOf = (changes: Changes) => ({ [MAIN]: { ...named, ...changes[MAIN] } }) as JsonObject
    // a downgrade puts the password aside, and the next upgrade restores it
    const { id } = await installed({ name: 'a', other: 'a', password: 'hunter2' })
    await deps.succeeds(await deps.upgrade(id, { targetVersion: '3.0.0' }))
    const upgrade = { targetVersion: '1.0.0' }
    const cases = [
      {
        kind: 'INSTALL',
        path: '/installations',
        hidden: { ...install, copyFrom: { bundleInstallId: from.id } },
        given: (changes: Changes) => ({ ...install, properties: valuesOf(changes) }),
        input: {},
      },
      {
        kind: 'UPGRADE',
        path: `/installations/${id}/upgrade`,
        hidden: upgrade,
        given: (changes: Changes) => ({ ...upgrade, properties: changes as JsonObject }),
        input: { bundleInstallId: id },
      },
    ]
    for (const { kind, path, hidden, given, input } of cases) {
      const made = await requested({ kind, title: kind, input: { ...given(guess!), ...input } })
      const { effect } = await planOf(made.changeRequestId)
      const edited = await edit(made.changeRequestId, { kind, revision: 1, input: { ...hidden, ...input } })
      assert.equal(edited.errorCode, '0', JSON.stringify(edited.json))
      assert.notEqual((await planOf(made.changeRequestId)).effect, effect, kind)

      const { planToken } = await deps.ok(`${path}/plan`, { method: 'POST', body: hidden })
      const snapshot = kind === 'UPGRADE' && {
        snapshotVersion: (await deps.ok(`${path}/plan`, { method: 'POST', body: hidden }))[
          'snapshotVersion'
        ]!,
      }
      const answers = await Promise.all(
        [wrong!, guess!].map((changes) =>
          send(path, { ...given(changes), ...snapshot, planToken: planToken! }),
        ),
      )
      assert.deepEqual(
        answers.map(({ errorCode }) => errorCode),
        ['PLAN_STALE', 'PLAN_STALE'],
        kind,
      )
      // with what the plan was made of, it is carried out
      assert.equal((await send(path, { ...hidden, planToken: planToken! })).errorCode, '0', kind)
    }
  })

  it('is neither made nor edited for a scope that the person may not see (G02, G04)', async () => {
    const hidden = await installed({ name: 'hidden' })
    const own = await installed({ name: 'own' }, { ...deps.newScope(), environmentKey: 'elsewhere' })
    const grants: Grant[] = [
      {
        permissions: ['read', 'change:propose', 'installation:upgrade'],
        scope: { environmentKey: 'elsewhere' },
      },
    ]
    const nowhere = { ...hidden.scope, applicationRuntimeId: 'nowhere' }
    const answersOf = async (bodies: JsonObject[], path: string, method: string) => {
      const [first, second] = await Promise.all(
        bodies.map(async (body) => {
          const { errorCode, json } = await send(path, body, { actor: 'mallory', grants, method })
          return { errorCode, message: (json as { data?: { message?: string } }).data?.message }
        }),
      )
      assert.deepEqual(first, second)
      return first?.errorCode
    }
    const configure = (scope: Scope): JsonObject => ({
      kind: 'CONFIGURE',
      title: 'x',
      scope: { ...scope },
      input: { snapshotVersion: 77, changes: changesOf({ name: 'x' }) },
    })
    const scopes = [configure(hidden.scope), configure(nowhere)]
    assert.equal(await answersOf(scopes, '/change-requests', 'POST'), 'PERMISSION_DENIED')
    // a version that does not exist has no plan, and so no scope of its own
    const upgrade = (bundleInstallId: string): JsonObject => ({
      kind: 'UPGRADE',
      title: 'x',
      input: { bundleInstallId, targetVersion: '9.9.9' },
    })
    const targets = [upgrade(hidden.id), upgrade(crypto.randomUUID())]
    assert.equal(await answersOf(targets, '/change-requests', 'POST'), 'NOT_FOUND')
    const mine = await send('/change-requests', upgrade(own.id), { actor: 'mallory', grants })
    const { changeRequestId } = ChangeRequest.parse(mine.data['changeRequest'])
    const edits = targets.map((one) => ({ ...one, revision: 1 }))
    assert.equal(await answersOf(edits, `/change-requests/${changeRequestId}`, 'PATCH'), 'NOT_FOUND')
  })

  it('neither waits for a person who may not see it, nor makes them wait (G04)', async () => {
    const { scope } = await installed()
    const { changeRequestId: id } = await propose(scope, changesOf({ name: 'b' }))
    const grants: Grant[] = [
      { permissions: ['read', 'change:propose'], scope: { environmentKey: 'elsewhere' } },
    ]
    await deps.db.transaction().execute(async (tx) => {
      await sql`select from runtime.change_request where change_request_id = ${id} for update`.execute(tx)
      const steps = [
        [`/change-requests/${id}/withdraw`, { revision: 1 }],
        [`/change-requests/${id}/comments`, { text: 'x' }],
      ] as const
      for (const [path, body] of steps) {
        const answer = send(path, body, { actor: 'mallory', grants })
        const first = await Promise.race([answer, sleep(5_000, null, { ref: false })])
        assert.equal(first?.errorCode, 'NOT_FOUND', path)
      }
    })
  })

  it('is not edited to copy, as its author, what the editor may not see (G02)', async () => {
    const hidden = await installed({ name: 'hidden', other: 'hidden' })
    await deps.succeeds(await deps.detach(hidden.id))
    const scope = deps.newScope()
    const input = { scope: { ...scope }, bundle: { ...shop.bundle }, targetVersion: '1.0.0' }
    const { changeRequestId, revision } = await requested({ kind: 'INSTALL', title: 'New', input })
    const edit = (more: JsonObject, as: { actor?: string; grants?: Grant[] } = {}) =>
      send(
        `/change-requests/${changeRequestId}`,
        { kind: 'INSTALL', revision, input: { ...input, ...more } },
        { ...as, method: 'PATCH' },
      )
    const mallory = {
      actor: 'mallory',
      grants: [{ permissions: ['read', 'change:propose', 'installation:install'], scope }] as Grant[],
    }
    const copied = await edit({ copyFrom: { bundleInstallId: hidden.id } }, mallory)
    const missing = await edit({ copyFrom: { bundleInstallId: crypto.randomUUID() } }, mallory)
    assert.deepEqual([copied.errorCode, missing.errorCode], ['NOT_FOUND', 'NOT_FOUND'])
    assert.doesNotMatch(JSON.stringify(await planOf(changeRequestId)), /"value":"hidden"/)
    // its author may, and others may edit the rest of it then
    assert.equal((await edit({ copyFrom: { bundleInstallId: hidden.id } })).errorCode, '0')
    assert.match(JSON.stringify(await planOf(changeRequestId)), /"value":"hidden"/)
    const rest = await send(
      `/change-requests/${changeRequestId}`,
      {
        kind: 'INSTALL',
        revision: revision + 1,
        input: { ...input, copyFrom: { bundleInstallId: hidden.id }, properties: changesOf({ name: 'b' }) },
      },
      { ...mallory, method: 'PATCH' },
    )
    assert.equal(rest.errorCode, '0', JSON.stringify(rest.json))
  })
})

describe('the plan of a change request', () => {
  it('names no installation that its reader may not see, whatever its author sees (G02)', async () => {
    const [scope, elsewhere] = [deps.newScope(), deps.newScope()]
    const owner = await deps.installed(hub, { scope })
    const body = { title: 'Mail', url: 'http://127.0.0.1:9/mail', methods: [], enabled: true }
    const relay = { bundleInstallId: owner, locator: locatorOf(hub, 'relay') }
    await deps.ok('/services/mail', {
      method: 'PUT',
      body: { ...body, owner: relay, consumers: [{ ...elsewhere }] },
    })
    const referrer = await deps.installed(client, {
      scope: elsewhere,
      properties: {
        [locatorOf(client, 'main')]: { mail: { '@type': 'ServiceReference', serviceId: 'mail' } },
      },
    })
    const input = { action: 'DETACH', targets: [owner] }
    const { changeRequestId } = await requested({ kind: 'BATCH', title: 'No relay', submit: true, input })
    const brokenFor = async (as: { actor?: string; grants?: Grant[] }) => {
      const plan = ChangePlan.parse(await deps.ok(`/change-requests/${changeRequestId}/plan`, as))
      return plan.batch?.broken?.items.map(({ installation }) => installation.bundleInstallId)
    }
    assert.deepEqual(await brokenFor({}), [referrer])
    const grants: Grant[] = [{ permissions: ['read', 'change:approve'], scope }]
    assert.deepEqual(await brokenFor({ actor: 'mallory', grants }), [])
  })
})

describe('a change request whose batch ends before everything is done', () => {
  it('says so itself, to those who wrote it, and to webhooks', async () => {
    const limits = { concurrency: 1, stopAfterFailures: 1 }
    const ended = async (title: string, fails: (target: number) => boolean) => {
      const targets = [(await installed()).id, (await installed()).id]
      const input = { action: 'UPGRADE', targets, input: { targetVersion: '2.0.0' }, ...limits }
      const { changeRequestId: id } = await requested({ kind: 'BATCH', title, submit: true, input })
      const called = new Set<string>()
      deps.plugin.script(({ request }) => ({
        outcome: fails(called.add(request.installation.bundleInstallId).size) ? 'FAILED' : 'APPLIED',
      }))
      assert.equal((await apply(id, {}, { actor: 'bob' })).errorCode, '0')
      await until(async () => (await read(id)).state === 'APPLIED')
      deps.plugin.script(() => ({ outcome: 'APPLIED' }))
      const data = { kind: 'BATCH', changeRequestId: id, scope: null, by: { id: 'bob', name: 'Bob' } }
      const recorded = { type: 'change.applied', timestamp: '2026-11-22T09:00:00.000Z', data }
      const { deps: runtime } = deps.http.runtime
      const body = await writeNotification(runtime, JSON.stringify(recorded), 'CHAT')
      return { id, reason: (await read(id)).failure?.parameters?.['reason'], body }
    }
    const none = await ended('None', () => true)
    assert.equal(none.reason, 'changeNotDone')
    assert.match(none.body, /Nothing that the change request started has succeeded/)
    assert.deepEqual(await told('ada', none.id), [['change.refused', 'requested', null]])
    assert.deepEqual(await told('bob', none.id), [])
    const some = await ended('Some', (target) => target > 1)
    assert.equal(some.reason, 'changePartlyDone')
    const all = await ended('All', () => false)
    assert.deepEqual([all.reason, await told('ada', all.id)], [undefined, []])
    assert.doesNotMatch(all.body, /succeeded/)
  })
})
