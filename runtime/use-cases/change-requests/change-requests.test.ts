import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { Grant } from '#contract/endpoint/permission.ts'
import type { JsonObject } from '#contract/json-schema/json.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { systemClock } from '#http-kit/clock.ts'
import { calendarEndpoints } from '#contract/runtime-api/calendar.ts'
import {
  ChangePlan,
  ChangeRequest,
  ChangeRequestDetail,
  LIVE_REQUESTS_MAX,
} from '#contract/runtime-api/change-requests.ts'
import type { Changes } from '#contract/runtime-api/common.ts'
import type { InboxNotification } from '#contract/runtime-api/inbox.ts'
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
import { untilBatch } from '../../testing/batches.ts'
import { until } from '../../testing/stream.ts'

const secret = { ...TEXT, isSensitive: true } as const
const shop = bundleOf('shop', {
  resources: [
    moduleOf('main', {
      name: TEXT,
      other: TEXT,
      password: secret,
      limits: { kind: 'DATA', schema: { type: 'object' } },
    }),
  ],
  plugins: [bindingOf('shops', 1, { main: { reads: ['name', 'other', 'limits'] } })],
})
const next = { ...shop, version: '2.0.0' }
/** No longer hides the password. */
const open = {
  ...bundleOf('shop', {
    resources: [moduleOf('main', { name: TEXT, other: TEXT, password: TEXT })],
    plugins: [bindingOf('shops', 1, { main: { reads: ['name', 'other'] } })],
  }),
  version: '3.0.0',
}
const MAIN = locatorOf(shop, 'main')
const hub = bundleOf('hub', { resources: [moduleOf('relay', { name: TEXT })] })
const RELAY = locatorOf(hub, 'relay')
const client = bundleOf('client', { resources: [moduleOf('main', { mail: { kind: 'SERVICE_REFERENCE' } })] })
const CALENDAR = calendarEndpoints['GET /calendar'].answer

let deps: RuleHarness
before(async () => {
  deps = await startRuleHarness()
  await deps.register('shops')
  await deps.publish(shop, next, open, hub, client)
})
after(() => deps.close())

const installed = async (properties: JsonObject = { name: 'a', other: 'a' }, scope = deps.newScope()) => ({
  scope,
  id: await deps.installed(shop, { scope, properties: { [MAIN]: wrapped(properties) } }),
})
const changesOf = (properties: JsonObject): Changes => ({ [MAIN]: wrapped(properties) })
const send = (
  path: string,
  body: JsonObject,
  more: { actor?: string; grants?: Grant[]; method?: string } = {},
) => deps.http.call(path, { method: 'POST', body, ...more })

async function propose(scope: Scope, changes: Changes, more: JsonObject = {}): Promise<ChangeRequest> {
  const { snapshotVersion } = await deps.configuration(scope)
  const body = {
    kind: 'CONFIGURE',
    title: 'New name',
    scope: { ...scope },
    input: { snapshotVersion, changes },
  }
  return requested({ ...body, submit: true, ...more })
}
async function requested(body: JsonObject): Promise<ChangeRequest> {
  const data = await deps.ok('/change-requests', { method: 'POST', body })
  return ChangeRequest.parse(data['changeRequest'])
}
const read = async (id: string, actor = 'ada') =>
  ChangeRequestDetail.parse(await deps.ok(`/change-requests/${id}`, { actor }))
const planOf = async (id: string) => ChangePlan.parse(await deps.ok(`/change-requests/${id}/plan`, {}))
const approve = async (id: string, actor: string, more: { comment?: string } = {}) => {
  const { revision } = await read(id)
  const { effect } = await planOf(id)
  return send(`/change-requests/${id}/approve`, { revision, effect, ...more }, { actor })
}
const apply = async (id: string, more: JsonObject = {}, as: { actor?: string; grants?: Grant[] } = {}) => {
  const { revision } = await read(id)
  const { planToken } = await planOf(id)
  return send(`/change-requests/${id}/apply`, { revision, planToken, ...more }, as)
}
const state = async (id: string) => (await read(id)).state
/** Until the runner tries to apply it. Who tries it locks it, which its row shows even if nothing comes of it. */
const isTried = async (id: string): Promise<void> => {
  const lock = async () =>
    (
      await sql`select xmax::text from runtime.change_request where change_request_id = ${id}`.execute(
        deps.db,
      )
    ).rows[0]
  const before = await lock()
  await until(async () => !isDeepStrictEqual(await lock(), before))
}
const policy = async (environmentKey: string, requiredFor: string[], approvals = 1) => {
  const { updatedAt } = await deps.ok(`/change-policies/${environmentKey}`, {})
  const body = { requiredFor, approvals, updatedAt: updatedAt ?? null }
  return deps.ok(`/change-policies/${environmentKey}`, { method: 'PUT', body })
}
/** A freeze of configuration for all time, unless `more` says otherwise. */
const freeze = (name: string, more: JsonObject) =>
  deps.ok(`/freezes/${name}`, {
    method: 'PUT',
    body: {
      from: '2000-01-01T00:00:00.000Z',
      to: '2999-01-01T00:00:00.000Z',
      timeZone: 'UTC',
      blocks: ['CONFIGURE'],
      message: 'Inventory',
      updatedAt: null,
      ...more,
    },
  })
const nameIn = async (scope: Scope, property = 'name') =>
  (await deps.configuration(scope)).resources[MAIN]?.properties[property]
/** What the inbox of a person says about a request, newest first. */
const told = async (actor: string, id: string) => {
  const { items } = (await deps.ok('/inbox', { actor })) as unknown as { items: InboxNotification[] }
  return items
    .filter(({ changeRequest }) => changeRequest?.changeRequestId === id)
    .map(({ event, because, by }) => [event, because, by?.id ?? null])
}

describe('a change request', () => {
  it('is approved by somebody else and applied once (G12)', async () => {
    const { scope } = await installed()
    const made = await propose(scope, changesOf({ name: 'b' }))
    const id = made.changeRequestId
    assert.equal(made.state, 'OPEN')
    const own = await approve(id, 'ada')
    assert.equal(own.errorCode, 'PERMISSION_DENIED')
    assert.equal((await approve(id, 'bob', { comment: 'Looks right' })).errorCode, '0')
    assert.equal(await state(id), 'APPROVED')
    assert.deepEqual(await nameIn(scope), { '@type': 'Data', value: 'a' })
    const applied = await apply(id)
    assert.equal(applied.errorCode, '0', JSON.stringify(applied.json))
    const { operations } = ChangeRequest.parse(applied.data['changeRequest'])
    assert.equal(operations.length, 1)
    await deps.succeeds(operations[0]!)
    assert.equal((await deps.operation(operations[0]!)).changeRequestId, id)
    await until(async () => (await state(id)) === 'APPLIED')
    assert.deepEqual(await nameIn(scope), { '@type': 'Data', value: 'b' })
    const again = await send(`/change-requests/${id}/apply`, { revision: 1, planToken: 'x' })
    assert.equal(again.errorCode, 'CHANGE_REQUEST_STATE')
    assert.deepEqual(
      (await read(id)).history.map(({ event, by }) => [event, by.id]),
      [
        ['CREATED', 'ada'],
        ['SUBMITTED', 'ada'],
        ['APPROVED', 'bob'],
        ['APPLYING', 'ada'],
        ['APPLIED', 'bundle-runtime'],
      ],
    )
  })

  it('is proposed, applied and rejected by service accounts too, but approved by people only (G12)', async () => {
    const { scope } = await installed()
    const id = (await propose(scope, changesOf({ name: 'b' }))).changeRequestId
    const assertion = await deps.http.assertion({ actor: 'bot', claims: { issuer: 'service-account' } })
    const asBot = { headers: { 'x-runtime-actor-assertion': assertion } }
    const { effect } = await planOf(id)
    const approving = { method: 'POST', body: { revision: 1, effect }, ...asBot }
    const refused = await deps.http.call(`/change-requests/${id}/approve`, approving)
    assert.equal(refused.errorCode, 'PERMISSION_DENIED')
    assert.match(JSON.stringify(refused.json), /Only a person can approve/)
    const seen = ChangeRequestDetail.parse((await deps.http.call(`/change-requests/${id}`, asBot)).data)
    assert.deepEqual([seen.may.approve, seen.may.apply], [false, true])
    assert.equal((await deps.http.call('/change-requests/waiting', asBot)).data['count'], 0)
    const rejecting = { method: 'POST', body: { revision: 1, comment: 'The test fails' }, ...asBot }
    assert.equal((await deps.http.call(`/change-requests/${id}/reject`, rejecting)).errorCode, '0')
  })

  it('is one of 200 at most that a person has not ended', async () => {
    const { scope, id } = await installed()
    const given = { kind: 'DETACH', title: 'Gone', input: { bundleInstallId: id } }
    const make = (actor: string) => send('/change-requests', given, { actor })
    const first = ChangeRequest.parse((await make('busy')).data['changeRequest'])
    await sql`
      insert into runtime.change_request (change_request_id, kind, title, state, content, shown_input, environment_key,
        application_runtime_id, workspace_id, created_by_id, created_by_name, author_ids, actor)
      select gen_random_uuid(), kind, title, state, content, shown_input, environment_key, application_runtime_id, workspace_id,
        created_by_id, created_by_name, author_ids, actor
      from runtime.change_request, generate_series(2, ${LIVE_REQUESTS_MAX})
      where change_request_id = ${first.changeRequestId}::uuid`.execute(deps.db)
    assert.equal((await make('busy')).errorCode, 'REQUEST_INVALID')
    assert.equal((await make('somebody else')).errorCode, '0')
    const withdrawn = await send(
      `/change-requests/${first.changeRequestId}/withdraw`,
      { revision: 1 },
      { actor: 'busy' },
    )
    assert.equal(withdrawn.errorCode, '0')
    assert.equal((await make('busy')).errorCode, '0')
    assert.equal((await propose(scope, changesOf({ name: 'b' }))).state, 'OPEN')
  })

  it('is refused like any change that gets its lock after a freeze has begun', async () => {
    const { scope } = await installed()
    const from = new Date(Date.now() + 1_500).toISOString()
    await freeze('late', { scopes: [{ ...scope }], from })
    const waiting = await deps.db.transaction().execute(async (tx) => {
      await sql`select from runtime.scope where application_runtime_id = ${scope.applicationRuntimeId}
        and workspace_id = ${scope.workspaceId} for update`.execute(tx)
      const saving = deps.save(scope, changesOf({ name: 'late' }))
      const sees = async (condition: RawBuilder<boolean>) => {
        const { rows } = await sql<{ yes: boolean }>`select ${condition} as yes`.execute(deps.db)
        return rows[0]?.yes === true
      }
      await until(() =>
        sees(
          sql`exists (select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock')`,
        ),
      )
      await until(() => sees(sql`clock_timestamp() > ${from}::timestamptz`))
      return { saving }
    })
    assert.equal((await waiting.saving).errorCode, 'CHANGES_FROZEN')
    assert.deepEqual(await nameIn(scope), { '@type': 'Data', value: 'a' })
  })

  it('keeps its approvals when the base moves elsewhere, and loses them when its effect changes', async () => {
    const { scope } = await installed({ name: 'a', other: 'a', limits: { low: 1, high: 1 } })
    const made = await propose(scope, changesOf({ limits: { low: 2, high: 1 } }))
    const id = made.changeRequestId
    await approve(id, 'bob')
    await deps.saved(scope, changesOf({ other: 'b' }))
    const unmoved = await read(id)
    assert.deepEqual([unmoved.state, unmoved.approvals], ['APPROVED', 1])
    await deps.saved(scope, changesOf({ limits: { low: 1, high: 9 } }))
    await until(async () => (await state(id)) === 'OPEN')
    const moved = await read(id)
    assert.deepEqual([moved.approvals, moved.approvedBy[0]?.outdated], [0, true])
    const data = (value: JsonObject) => ({ '@type': 'Data' as const, value })
    assert.deepEqual(moved.approvedBy[0]?.difference?.values, [
      {
        locator: MAIN,
        property: 'limits',
        seen: { before: data({ low: 1, high: 1 }), after: data({ low: 2, high: 1 }) },
        now: { before: data({ low: 1, high: 9 }), after: data({ low: 2, high: 9 }) },
      },
    ])
    await approve(id, 'bob')
    assert.equal((await apply(id)).errorCode, '0')
    assert.deepEqual(await nameIn(scope, 'limits'), data({ low: 2, high: 9 }))
  })

  it('is CONFLICTED where somebody else saved another value, until it is edited', async () => {
    const { scope } = await installed()
    const id = (await propose(scope, changesOf({ name: 'mine' }))).changeRequestId
    await approve(id, 'bob')
    await deps.saved(scope, changesOf({ name: 'theirs' }))
    await until(async () => (await state(id)) === 'CONFLICTED')
    assert.equal((await apply(id)).errorCode, 'CHANGE_REQUEST_STATE')
    assert.equal((await approve(id, 'carl')).errorCode, 'CHANGE_REQUEST_STATE')
    const { conflicts, revision } = await read(id)
    assert.deepEqual(
      conflicts.map(({ property, theirs }) => [property, theirs]),
      [['name', { '@type': 'Data', value: 'theirs' }]],
    )
    const { snapshotVersion } = await deps.configuration(scope)
    const input = { snapshotVersion, changes: changesOf({ name: 'mine' }) }
    const readAs = async (actor: string) =>
      ChangeRequestDetail.parse((await deps.http.call(`/change-requests/${id}`, { actor })).data)
    const mayAs = async (actor: string) => (await readAs(actor)).may
    const authors = async () => (await readAs('carl')).authors?.map((author) => author.id)
    assert.equal((await mayAs('carl')).reject, true)
    const [creator, ...others] = (await authors()) ?? []
    assert.deepEqual(others, [])
    await deps.ok(`/change-requests/${id}`, {
      method: 'PATCH',
      body: { kind: 'CONFIGURE', revision, input },
      actor: 'carl',
    })
    assert.equal(await state(id), 'OPEN')
    assert.deepEqual([(await mayAs('carl')).approve, (await mayAs('carl')).reject], [false, false])
    // anyone who edited it is an author too
    assert.deepEqual(await authors(), [creator, 'carl'])
    assert.equal((await approve(id, 'carl')).errorCode, 'PERMISSION_DENIED')
    await approve(id, 'bob')
    assert.equal((await apply(id)).errorCode, '0')
    assert.deepEqual(await nameIn(scope), { '@type': 'Data', value: 'mine' })
  })

  it('keeps approvals and authors when only its title or reason is edited: an approval is for the effect (G12)', async () => {
    const { scope } = await installed()
    const id = (await propose(scope, changesOf({ name: 'b' }))).changeRequestId
    await approve(id, 'bob')
    for (const words of [{ title: 'Another title' }, { reason: 'Another reason' }]) {
      const { revision } = await read(id)
      const body = { kind: 'CONFIGURE', revision, ...words }
      await deps.ok(`/change-requests/${id}`, { method: 'PATCH', body, actor: 'carl' })
    }
    const { authors, state: now, revision } = await read(id)
    assert.deepEqual([authors?.map((author) => author.id), now, revision], [['ada'], 'APPROVED', 3])
    assert.equal((await approve(id, 'carl')).errorCode, '0')
    assert.equal((await read(id)).approvals, 2)
  })

  it('is not offered for approval to who has approved its effect, and compares nothing once its target is gone', async () => {
    const { scope, id: installation } = await installed()
    const upgrading = await requested({
      kind: 'UPGRADE',
      title: 'Next',
      submit: true,
      input: { bundleInstallId: installation, targetVersion: '2.0.0' },
    })
    const naming = await propose(scope, changesOf({ name: 'b' }))
    for (const { changeRequestId: id } of [upgrading, naming]) {
      assert.equal((await read(id, 'bob')).may.approve, true)
      assert.equal((await approve(id, 'bob')).errorCode, '0')
      assert.equal((await read(id, 'bob')).may.approve, false)
      assert.equal((await read(id, 'carl')).may.approve, true)
    }
    const { data } = await send(`/installations/${installation}/detach`, { reason: 'Gone' })
    await deps.succeeds((data['operation'] as { operationId: string }).operationId)
    for (const { changeRequestId: id } of [upgrading, naming]) {
      const { approvedBy } = await read(id)
      assert.deepEqual(
        approvedBy.map(({ outdated, difference }) => [outdated, difference]),
        [[true, undefined]],
      )
    }
    const { effect, problems } = await planOf(upgrading.changeRequestId)
    assert.equal(effect, null)
    assert.deepEqual(
      problems.map(({ errorCode }) => errorCode),
      ['INSTALLATION_NOT_ACTIVE'],
    )
  })

  it('says before anybody approves it that its version is deprecated, and which pauses would hold it up', async () => {
    const bundle = bundleOf('slow', {
      resources: [moduleOf('main', { name: TEXT })],
      plugins: [bindingOf('slowly', 1, { main: { reads: ['name'] } })],
    })
    await deps.register('slowly')
    await deps.publish(bundle, { ...bundle, version: '2.0.0' })
    const scope = deps.newScope()
    const id = await deps.installed(bundle, { scope, properties: {} })
    const noticed = async (changeRequestId: string) => {
      const { operation, configuration, batch } = await planOf(changeRequestId)
      const { notices = [] } = operation ?? configuration ?? batch ?? {}
      return notices.map(({ parameters }) => parameters['reason'])
    }
    const { snapshotVersion } = await deps.configuration(scope)
    const locator = locatorOf(bundle, 'main')
    const changes = { [locator]: wrapped({ name: 'b' }) }
    const upgrade = { targetVersion: '2.0.0' }
    const described = { title: 'Slow', submit: true }
    const ids: string[] = []
    for (const body of [
      { kind: 'UPGRADE', ...described, input: { bundleInstallId: id, ...upgrade } },
      { kind: 'BATCH', ...described, input: { action: 'UPGRADE', targets: [id], input: upgrade } },
      { kind: 'CONFIGURE', ...described, scope: { ...scope }, input: { snapshotVersion, changes } },
    ])
      ids.push((await requested(body)).changeRequestId)
    const all = () => Promise.all(ids.map(noticed))
    assert.deepEqual(await all(), [[], [], []])
    const { environmentKey, bundleId } = bundle.bundle
    const version = `/bundles/${environmentKey}/${bundleId}/versions/2.0.0`
    await deps.ok(`${version}/deprecate`, { method: 'POST', body: { message: 'Slower' } })
    const reason = 'Maintenance'
    await deps.ok('/plugins/slowly/pause', { method: 'POST', body: { reason } })
    const place = `${scope.environmentKey}/${scope.applicationRuntimeId}/${scope.workspaceId}`
    await deps.ok(`/scopes/${place}/pause`, { method: 'POST', body: { reason } })
    const held = ['planPluginPaused', 'planScopePaused']
    assert.deepEqual(await all(), [
      ['planVersionDeprecated', ...held],
      ['planVersionDeprecated', ...held],
      held,
    ])
    const disabled = sql`update runtime.plugin set enabled = false where plugin_id = 'slowly'`
    await disabled.execute(deps.db)
    assert.deepEqual(await noticed(ids[1]!), ['planPluginDisabled', 'planVersionDeprecated', ...held])
    // what waits can be approved, and its effect is the same
    assert.equal((await approve(ids[0]!, 'bob')).errorCode, '0')
    await deps.ok('/plugins/slowly/resume', { method: 'POST', body: { reason } })
    await deps.ok(`/scopes/${place}/resume`, { method: 'POST', body: { reason } })
    assert.equal((await read(ids[0]!)).approvals, 1)
    // each call of a single operation says so itself
    assert.deepEqual(await noticed(ids[2]!), [])
  })

  it('never shows a sensitive value, keeps it when the others are edited, and applies it', async () => {
    const { scope } = await installed()
    const id = (await propose(scope, changesOf({ name: 'b', password: 'hunter2' }))).changeRequestId
    const { revision } = await read(id)
    const { snapshotVersion } = await deps.configuration(scope)
    const kept = { '@type': 'Data', isSensitive: true } as const
    const input = { snapshotVersion, changes: { [MAIN]: { ...wrapped({ name: 'c' }), password: kept } } }
    await deps.ok(`/change-requests/${id}`, { method: 'PATCH', body: { kind: 'CONFIGURE', revision, input } })
    const stored = await sql`select content::text, shown_input, effect from runtime.change_request`.execute(
      deps.db,
    )
    const shown = [await read(id), await planOf(id), await deps.ok('/change-requests', {}), stored.rows]
    assert.ok(!JSON.stringify(shown).includes('hunter2'))
    assert.deepEqual((await read(id)).input.changes?.[MAIN], {
      name: { '@type': 'Data', value: 'c' },
      password: { '@type': 'Data', isSensitive: true, isSet: true },
    })
    assert.equal((await apply(id)).errorCode, '0')
    const calls = await deps.ok('/audit', {})
    assert.ok(!JSON.stringify(calls).includes('hunter2'))
    const other = await propose(scope, changesOf({ password: 'hunter2' }))
    // equal to the saved one, but nobody learns that
    assert.equal((await planOf(other.changeRequestId)).configuration?.changes.length, 1)
  })

  it('discards its secrets when it is applied or ends, in the same transaction (H02)', async () => {
    const { scope } = await installed()
    const stored = async (id: string) => {
      const { rows } = await sql<{ content: Buffer | null; state: string }>`
        select content, state from runtime.change_request where change_request_id = ${id}::uuid`.execute(
        deps.db,
      )
      return rows[0]
    }
    const make = async () => (await propose(scope, changesOf({ password: 'hunter2' }))).changeRequestId
    const [applied, withdrawn, rejected, expired] = [await make(), await make(), await make(), await make()]
    assert.ok((await stored(applied))?.content)
    assert.equal((await apply(applied)).errorCode, '0')
    assert.deepEqual(await stored(applied), { content: null, state: 'APPLYING' })
    await send(`/change-requests/${withdrawn}/withdraw`, { revision: 1 })
    assert.deepEqual(await stored(withdrawn), { content: null, state: 'WITHDRAWN' })
    await send(`/change-requests/${rejected}/reject`, { revision: 1, comment: 'No' }, { actor: 'bob' })
    assert.deepEqual(await stored(rejected), { content: null, state: 'REJECTED' })
    await sql`update runtime.change_request set not_before = now() - interval '1 hour', not_after = now()
      where change_request_id = ${expired}::uuid`.execute(deps.db)
    await until(async () => (await state(expired)) === 'EXPIRED')
    assert.equal((await stored(expired))?.content, null)
    await until(async () => (await state(applied)) === 'APPLIED')
    // it is still shown that there was one, and nothing can be done with it
    assert.deepEqual((await read(applied)).input.changes?.[MAIN]?.['password'], {
      '@type': 'Data',
      isSensitive: true,
      isSet: true,
    })
    const late = await send(`/change-requests/${withdrawn}/submit`, { revision: 1 })
    assert.equal(late.errorCode, 'CHANGE_REQUEST_STATE')
  })

  it('installs, upgrades, detaches and makes batches', async () => {
    const scope = deps.newScope()
    const install = await requested({
      kind: 'INSTALL',
      title: 'First shop',
      submit: true,
      input: { scope: { ...scope }, bundle: { ...shop.bundle }, targetVersion: '1.0.0' },
    })
    await approve(install.changeRequestId, 'bob')
    assert.equal((await apply(install.changeRequestId)).errorCode, '0')
    await until(async () => (await state(install.changeRequestId)) === 'APPLIED')
    const [first] = (await read(install.changeRequestId)).operations
    const { bundleInstallId } = (await deps.operation(first!)).installation
    const limits = { first: 1, concurrency: 2, stopAfterFailures: 3 }
    const waves = { sizes: [1], soakSeconds: 5, maxFailures: 0 }
    for (const [kind, input] of [
      ['UPGRADE', { bundleInstallId, targetVersion: '2.0.0' }],
      [
        'BATCH',
        { action: 'DETACH', targets: [bundleInstallId], ...limits, waves: { sizes: [1], soakSeconds: 5 } },
      ],
    ] as const) {
      const made = await requested({ kind, title: kind, submit: true, input: input as JsonObject })
      await approve(made.changeRequestId, 'bob')
      if (kind === 'BATCH') {
        // an approval is for the limits and the waves too
        const edit = { kind, revision: made.revision, input: { ...input, first: 2 } } as unknown as JsonObject
        await deps.ok(`/change-requests/${made.changeRequestId}`, { method: 'PATCH', body: edit })
        const [outdated] = (await read(made.changeRequestId)).approvedBy
        assert.deepEqual(outdated?.difference, {
          values: [],
          calls: null,
          resources: null,
          limits: { seen: { ...limits, waves }, now: { ...limits, first: 2, waves } },
        })
        await approve(made.changeRequestId, 'bob')
      }
      const applied = await apply(made.changeRequestId)
      assert.equal(applied.errorCode, '0', JSON.stringify(applied.json))
      await until(async () => (await state(made.changeRequestId)) === 'APPLIED')
      if (kind !== 'BATCH') continue
      const { batchId, input: shown } = await read(made.changeRequestId)
      assert.partialDeepStrictEqual(shown, { ...limits, first: 2, waves })
      assert.partialDeepStrictEqual(await deps.ok(`/batches/${batchId}`, {}), {
        ...limits,
        first: 2,
        waves,
        changeRequestId: made.changeRequestId,
      })
    }
    assert.equal((await deps.installation(bundleInstallId)).state, 'DETACHED')
    // what it overrides is decided, and recorded, when it is applied
    const input = { action: 'DETACH', targets: [bundleInstallId], override: true }
    const overriding = await send('/change-requests', { kind: 'BATCH', title: 'Override', input })
    assert.equal(overriding.errorCode, 'REQUEST_INVALID')
    const gone = await requested({
      kind: 'DETACH',
      title: 'Gone',
      submit: true,
      input: { bundleInstallId },
    })
    assert.equal((await planOf(gone.changeRequestId)).effect, null)
    assert.deepEqual(
      (await planOf(gone.changeRequestId)).problems.map(({ errorCode }) => errorCode),
      ['INSTALLATION_NOT_ACTIVE'],
    )
  })

  it('is judged again when others change its scope, whatever its kind', async () => {
    const { id: bundleInstallId } = await installed()
    const detach = { kind: 'DETACH', title: 'Closed', submit: true, input: { bundleInstallId } }
    const { changeRequestId } = await requested(detach)
    await approve(changeRequestId, 'bob')
    const listed = async () => {
      const { items } = await deps.ok(`/change-requests?bundleInstallId=${bundleInstallId}`, {})
      return (items as JsonObject[]).map((item) => ChangeRequest.parse(item).state)
    }
    assert.deepEqual(await listed(), ['APPROVED'])
    const sent = await send(`/installations/${bundleInstallId}/detach`, { reason: 'Moved' })
    assert.equal(sent.errorCode, '0', JSON.stringify(sent.json))
    await until(async () => (await listed())[0] === 'OPEN')
    assert.equal(await state(changeRequestId), 'OPEN')
  })

  it('is listed with the approvals that a later policy asks for', async () => {
    const place = { ...deps.newScope(), environmentKey: 'tightened' }
    const { id: bundleInstallId } = await installed({ name: 'a' }, place)
    await requested({ kind: 'DETACH', title: 'Closed', submit: true, input: { bundleInstallId } })
    const needed = async () => {
      const { items } = await deps.ok(`/change-requests?bundleInstallId=${bundleInstallId}`, {})
      return (items as JsonObject[]).map((item) => ChangeRequest.parse(item).approvalsNeeded)
    }
    assert.deepEqual(await needed(), [0])
    await policy('tightened', ['DETACH'], 2)
    await until(async () => (await needed())[0] === 2)
  })

  it('is shown in lists as on its page when its target is upgraded, also as one of a batch', async () => {
    const { id: bundleInstallId } = await installed()
    const requests = [
      await requested({ kind: 'DETACH', title: 'Closed', submit: true, input: { bundleInstallId } }),
      await requested({
        kind: 'BATCH',
        title: 'Next',
        submit: true,
        input: { action: 'UPGRADE', targets: [bundleInstallId], input: { targetVersion: '2.0.0' } },
      }),
    ]
    const listed = async () => {
      const { items } = await deps.ok('/change-requests?limit=100', {})
      const all = (items as JsonObject[]).map((item) => ChangeRequest.parse(item))
      return requests.map(
        ({ changeRequestId }) => all.find((one) => one.changeRequestId === changeRequestId)?.state,
      )
    }
    const shown = () => Promise.all(requests.map(({ changeRequestId }) => state(changeRequestId)))
    for (const { changeRequestId } of requests) await approve(changeRequestId, 'bob')
    assert.deepEqual(
      [await listed(), await shown()],
      [
        ['APPROVED', 'APPROVED'],
        ['APPROVED', 'APPROVED'],
      ],
    )
    await deps.succeeds(await deps.upgrade(bundleInstallId, { targetVersion: '2.0.0' }))
    await until(async () => (await listed()).join() === 'OPEN,OPEN')
    assert.deepEqual(await shown(), ['OPEN', 'OPEN'])
    const { count } = await deps.ok('/change-requests/waiting', { actor: 'carl' })
    assert.ok(Number(count) >= 2)
  })

  it('has its turn although 60 others, due before it, are refused for now', async () => {
    const frozen = await installed({ name: 'a' }, { ...deps.newScope(), environmentKey: 'stalled' })
    const free = await installed()
    const ids: string[] = []
    for (let index = 0; index < 60; index++)
      ids.push((await propose(frozen.scope, changesOf({ name: `b${index}` }))).changeRequestId)
    const { changeRequestId: other } = await propose(free.scope, changesOf({ name: 'b' }))
    await freeze('stalled', { environments: ['stalled'] })
    const at = (ms: number) => new Date(Date.now() + ms).toISOString()
    const schedule = (id: string, fromMs: number) =>
      send(`/change-requests/${id}/schedule`, {
        revision: 1,
        notBefore: at(fromMs),
        notAfter: at(3_600_000),
        timeZone: 'UTC',
      })
    for (const id of ids) assert.equal((await schedule(id, -60_000)).errorCode, '0')
    assert.equal((await schedule(other, -1_000)).errorCode, '0')
    await until(async () => (await state(other)) === 'APPLIED')
    assert.deepEqual(
      [await state(ids[0]!), await state(ids[59]!), await nameIn(frozen.scope)],
      ['SCHEDULED', 'SCHEDULED', { '@type': 'Data', value: 'a' }],
    )
    // the others do not keep it from its end either
    await sql`update runtime.change_request set not_after = now() where change_request_id = ${ids[59]}`.execute(
      deps.db,
    )
    await until(async () => (await state(ids[59]!)) === 'EXPIRED')
    await deps.ok('/freezes/stalled', { method: 'DELETE' })
  })

  it('is applied when what it asks for is not held up any more, because its author has edited it', async () => {
    const { scope, id: installation } = await installed()
    await deps.installed(hub, { scope, properties: { [RELAY]: wrapped({ name: 'a' }) } })
    deps.plugin.script(({ request }) => ({
      outcome: request.installation.bundleInstallId === installation ? 'FAILED' : 'APPLIED',
    }))
    const { data } = await deps.save(scope, changesOf({ name: 'c' }))
    const [operation] = data['operations'] as { operationId: string }[]
    await deps.fails(operation!.operationId, 'PLUGIN_REPORTED_FAILURE')
    const relay = { [RELAY]: wrapped({ name: 'b' }) }
    const { changeRequestId: id } = await propose(scope, { ...changesOf({ name: 'd' }), ...relay })
    const at = (ms: number) => new Date(Date.now() + ms).toISOString()
    const due = { notBefore: at(-1_000), notAfter: at(3_600_000), timeZone: 'UTC' }
    assert.equal((await send(`/change-requests/${id}/schedule`, { revision: 1, ...due })).errorCode, '0')
    await isTried(id)
    assert.equal(await state(id), 'SCHEDULED')
    const { snapshotVersion } = await deps.configuration(scope)
    const input = { snapshotVersion, changes: relay }
    const edit = { kind: 'CONFIGURE', revision: (await read(id)).revision, input }
    await deps.ok(`/change-requests/${id}`, { method: 'PATCH', body: edit })
    await until(async () => (await state(id)) === 'APPLIED')
  })

  it('is applied in its window by the runtime, and expires after it', async () => {
    const { scope } = await installed()
    const schedule = async (id: string, fromMs: number, toMs: number) => {
      const { revision } = await read(id)
      const at = (ms: number) => new Date(Date.now() + ms).toISOString()
      const body = { revision, notBefore: at(fromMs), notAfter: at(toMs), timeZone: 'Europe/Berlin' }
      return send(`/change-requests/${id}/schedule`, body)
    }
    const soon = (await propose(scope, changesOf({ name: 'soon' }))).changeRequestId
    await approve(soon, 'bob')
    assert.equal((await schedule(soon, -1_000, 60_000)).errorCode, '0')
    await until(async () => (await state(soon)) === 'APPLIED')
    assert.deepEqual(await nameIn(scope), { '@type': 'Data', value: 'soon' })
    const later = (await propose(scope, changesOf({ name: 'later' }))).changeRequestId
    assert.equal((await schedule(later, 3_600_000, 1_000)).errorCode, 'REQUEST_INVALID')
    await schedule(later, 3_600_000, 7_200_000)
    assert.equal(await state(later), 'SCHEDULED')
    // an edit by another person does not run with the permissions of the author
    const { snapshotVersion } = await deps.configuration(scope)
    const input = { snapshotVersion, changes: changesOf({ name: 'other' }) }
    const edit = { kind: 'CONFIGURE', revision: (await read(later)).revision, input }
    await deps.ok(`/change-requests/${later}`, { method: 'PATCH', body: edit, actor: 'bob' })
    assert.deepEqual([await state(later), (await read(later)).schedule], ['OPEN', null])
    await schedule(later, 3_600_000, 7_200_000)
    await sql`update runtime.change_request set not_before = now() - interval '1 hour', not_after = now()
      where change_request_id = ${later}`.execute(deps.db)
    await until(async () => (await state(later)) === 'EXPIRED')
    const { failure, schedule: over } = await read(later)
    assert.deepEqual(failure?.parameters, { reason: 'changeTooLate', until: over?.notAfter })
    assert.deepEqual((await told('ada', later))[0], ['change.expired', 'requested', null])
    assert.deepEqual(await nameIn(scope), { '@type': 'Data', value: 'soon' })
  })
})

describe('a change request whose author has lost the permission for its change', () => {
  const proposer: Grant[] = [{ permissions: ['read', 'change:propose'], scope: null }]
  const schedule = async (id: string, as: { actor?: string; grants?: Grant[] } = {}) => {
    const at = (ms: number) => new Date(Date.now() + ms).toISOString()
    const body = {
      revision: (await read(id)).revision,
      notBefore: at(3_600_000),
      notAfter: at(7_200_000),
      timeZone: 'UTC',
    }
    return send(`/change-requests/${id}/schedule`, body, as)
  }
  const edit = async (id: string, input: JsonObject, as: { actor?: string; grants?: Grant[] }) =>
    send(
      `/change-requests/${id}`,
      { kind: 'CONFIGURE', revision: (await read(id)).revision, ...input },
      { method: 'PATCH', ...as },
    )

  it('is neither applied nor scheduled by its author, and by a colleague as it was approved (G12)', async () => {
    const { scope } = await installed()
    const id = (await propose(scope, changesOf({ name: 'mine', password: 'hush' }))).changeRequestId
    await approve(id, 'bob')
    const before = await read(id)
    for (const refused of [
      await apply(id, {}, { grants: proposer }),
      await schedule(id, { grants: proposer }),
    ]) {
      assert.equal(refused.errorCode, 'PERMISSION_DENIED')
      assert.match(JSON.stringify(refused), /configuration:write/)
    }
    const { errorCode } = await edit(
      id,
      { title: 'No' },
      { grants: [{ permissions: ['read'], scope: null }] },
    )
    assert.equal(errorCode, 'PERMISSION_DENIED')
    assert.deepEqual(await read(id), before)
    assert.equal((await apply(id, {}, { actor: 'carl' })).errorCode, '0')
    assert.deepEqual(await nameIn(scope), { '@type': 'Data', value: 'mine' })
  })

  it('leaves its schedule when its author edits it, instead of being refused at its time (G12)', async () => {
    const { scope } = await installed()
    for (const input of ['title', 'values']) {
      const id = (await propose(scope, changesOf({ name: 'mine', password: 'hush' }))).changeRequestId
      await approve(id, 'bob')
      assert.equal((await schedule(id)).errorCode, '0')
      const { snapshotVersion } = await deps.configuration(scope)
      const kept = {
        name: wrapped({ name: 'other' })['name'],
        password: { '@type': 'Data', isSensitive: true },
      }
      const edited = await edit(
        id,
        input === 'title'
          ? { title: 'Another title' }
          : { input: { snapshotVersion, changes: { [MAIN]: kept } } as JsonObject },
        { grants: proposer },
      )
      assert.equal(edited.errorCode, '0')
      const { state: left, schedule: none } = await read(id)
      assert.deepEqual([left, none], [input === 'title' ? 'APPROVED' : 'OPEN', null])
      // the permissions of the author are those of the edit now
      const refused = await schedule(id, { actor: 'carl' })
      assert.equal(refused.errorCode, 'PERMISSION_DENIED')
      assert.match(JSON.stringify(refused), /changeGrantsMissing/)
      await send(`/change-requests/${id}/withdraw`, { revision: (await read(id)).revision })
    }
  })
})

describe('the calendar', () => {
  it('has the freezes, the schedules and the operations of a place, for those who may see it (G02)', async () => {
    const { scope } = await installed()
    const { scope: other } = await installed()
    const id = (await propose(scope, changesOf({ name: 'in december' }))).changeRequestId
    const at = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
    const schedule = { revision: 1, notBefore: at(2), notAfter: at(2.1), timeZone: 'Asia/Shanghai' }
    await send(`/change-requests/${id}/schedule`, schedule)
    await freeze('calendar', { scopes: [{ ...scope }], from: at(5), to: at(6) })
    const calendar = async (place: Scope, grants?: Grant[], days = -1) => {
      const query = new URLSearchParams({ ...place, workspaceId: String(place.workspaceId) })
      const path = `/calendar?from=${at(days).slice(0, 10)}&days=14&timeZone=UTC&${query.toString()}`
      return CALENDAR.parse((await deps.http.call(path, grants && { grants })).data)
    }
    const seen = await calendar(scope)
    assert.deepEqual(
      [seen.changeRequests.map(({ changeRequestId }) => changeRequestId), seen.isMore],
      [[id], false],
    )
    assert.deepEqual(
      seen.freezes.map(({ name, windows }) => [name, windows.length]),
      [['calendar', 1]],
    )
    assert.equal(seen.freezes[0]?.windows[0]?.from.slice(0, 10), at(5).slice(0, 10))
    const [today] = seen.operations
    assert.deepEqual([seen.operations.length, today?.counts], [1, { SUCCEEDED: 1 }])
    const elsewhere = await calendar(other)
    assert.deepEqual([elsewhere.changeRequests, elsewhere.freezes], [[], []])
    const stranger: Grant[] = [{ permissions: ['read'], scope: { ...other } }]
    const nothing = await calendar(scope, stranger)
    assert.deepEqual([nothing.changeRequests, nothing.freezes, nothing.operations], [[], [], []])
    // each week, but none of those before the freeze was saved
    await deps.ok('/freezes/calendar', {
      method: 'PUT',
      body: {
        scopes: [{ ...scope }],
        weekly: { days: ['WED'], from: '10:00', to: '12:00' },
        timeZone: 'UTC',
        blocks: ['CONFIGURE'],
        message: 'Deliveries',
      },
    })
    assert.deepEqual((await calendar(scope, undefined, -16)).freezes, [])
    assert.equal((await calendar(scope, undefined, 1)).freezes[0]?.windows.length, 2)
    // a day of India begins within an hour of UTC
    await deps.saved(other, changesOf({ name: 'later' }))
    for (const [type, moment] of [
      ['INSTALL', '2026-03-02T18:29:59.000Z'],
      ['CONFIGURE', '2026-03-02T18:30:00.000Z'],
    ])
      await sql`update runtime.operation set created_at = ${moment}
        where operation_type = ${type} and workspace_id = ${other.workspaceId}`.execute(deps.db)
    const place = new URLSearchParams({ ...other, workspaceId: String(other.workspaceId) }).toString()
    const india = `/calendar?from=2026-03-01&days=7&timeZone=Asia/Kolkata&${place}`
    assert.deepEqual(CALENDAR.parse((await deps.http.call(india)).data).operations, [
      { day: '2026-03-02', counts: { SUCCEEDED: 1 } },
      { day: '2026-03-03', counts: { SUCCEEDED: 1 } },
    ])
    const far = await deps.http.call('/calendar?from=2026-02-30&days=46&timeZone=Mars')
    assert.equal(far.errorCode, 'REQUEST_INVALID')
  })
})

describe('a scheduled takeover', () => {
  it('loses its schedule when its author makes it another one, for which nobody signed in (F08)', async () => {
    const [first, second] = await Promise.all(
      [1, 2].map(() => deps.install(shop, { scope: deps.newScope(), properties: {} })),
    )
    const takeover = (operationId: string): JsonObject => ({ action: 'TAKEOVER', targets: [operationId] })
    for (const [kind, one, other] of [
      ['TAKEOVER', { operationId: first!.operationId, run: 1 }, { operationId: second!.operationId, run: 1 }],
      [
        'BATCH',
        { action: 'RETRY', targets: [first!.operationId] } as JsonObject,
        takeover(second!.operationId),
      ],
    ] as const) {
      const { changeRequestId: id } = await requested({ kind, title: kind, submit: true, input: one })
      const at = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()
      const times = { notBefore: at(1), notAfter: at(2), timeZone: 'UTC' }
      const scheduled = await send(`/change-requests/${id}/schedule`, { revision: 1, ...times })
      assert.equal(scheduled.errorCode, '0', JSON.stringify(scheduled.json))
      assert.equal(await state(id), 'SCHEDULED')
      await deps.ok(`/change-requests/${id}`, { method: 'PATCH', body: { kind, revision: 1, input: other } })
      assert.deepEqual([await state(id), (await read(id)).schedule], ['OPEN', null])
    }
  })

  it('of several operations starts at its time, without a sign-in then', async () => {
    const { operationId } = await deps.install(shop, { scope: deps.newScope(), properties: {} })
    const input: JsonObject = { action: 'TAKEOVER', targets: [operationId] }
    const { changeRequestId: id } = await requested({ kind: 'BATCH', title: 'clean up', submit: true, input })
    const at = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()
    const times = { notBefore: at(-1), notAfter: at(1), timeZone: 'UTC' }
    assert.equal((await send(`/change-requests/${id}/schedule`, { revision: 1, ...times })).errorCode, '0')
    await until(async () => (await state(id)) === 'APPLIED')
  })
})

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

describe('a policy of an environment', () => {
  const PLACE = (workspaceId: number): Scope => ({
    environmentKey: 'guarded',
    applicationRuntimeId: 'shop',
    workspaceId,
  })
  const scopePath = ({ environmentKey, applicationRuntimeId, workspaceId }: Scope) =>
    `/scopes/${environmentKey}/${applicationRuntimeId}/${workspaceId}`

  it('asks for further approvals of what is approved, also in a scope that does not exist yet and of a batch', async () => {
    const place = (workspaceId: number) => ({ ...PLACE(workspaceId), environmentKey: 'stricter' })
    const { scope, id } = await installed({ name: 'a' }, place(1))
    const install = { scope: { ...place(2) }, bundle: { ...shop.bundle }, targetVersion: '1.0.0' }
    const batch = { action: 'UPGRADE', targets: [id], input: { targetVersion: '2.0.0' } }
    const kinds = ['CONFIGURE', 'INSTALL', 'UPGRADE']
    await policy('stricter', kinds, 1)
    const ids = [
      await propose(scope, changesOf({ name: 'b' })),
      await requested({ kind: 'INSTALL', title: 'New', submit: true, input: install }),
      await requested({ kind: 'BATCH', title: 'Next', submit: true, input: batch }),
    ].map(({ changeRequestId }) => changeRequestId)
    for (const one of ids) assert.equal((await approve(one, 'bob')).errorCode, '0')
    const listed = async (query: string) => {
      const { items } = await deps.ok(`/change-requests?${query}`, { actor: 'carl' })
      const found = new Set((items as JsonObject[]).map((item) => ChangeRequest.parse(item).changeRequestId))
      return ids.filter((one) => found.has(one)).length
    }
    assert.deepEqual([await listed('state=APPROVED'), await listed('waiting=me')], [3, 0])
    await policy('stricter', kinds, 2)
    await until(async () => (await listed('waiting=me')) === 3)
    assert.equal(await listed('state=OPEN'), 3)
    for (const one of ids) {
      const rebased = (await read(one)).history.filter(({ event }) => event === 'REBASED')
      assert.deepEqual(
        rebased.map((entry) => entry.policy),
        [{ environmentKey: 'stricter', approvals: 2 }],
      )
    }
    const { rows } = await sql`select from runtime.change_request where judge_again`.execute(deps.db)
    assert.equal(rows.length, 0)
  })

  it('refuses every other way in, counts approvals, and is overridden only with permission and reason', async () => {
    const { scope, id: installation } = await installed({ name: 'a' }, PLACE(1))
    await policy('guarded', ['CONFIGURE', 'UPGRADE', 'DETACH', 'INSTALL'], 2)
    const refused = await deps.save(scope, changesOf({ name: 'b' }))
    assert.equal(refused.errorCode, 'APPROVAL_REQUIRED')
    const { snapshotVersion } = await deps.configuration(scope)
    const planned = await deps.ok(`${scopePath(scope)}/configuration/plan`, {
      method: 'POST',
      body: { snapshotVersion, changes: changesOf({ name: 'b' }) },
    })
    assert.match(JSON.stringify(planned['problems']), /APPROVAL_REQUIRED/)
    const detached = await send(`/installations/${installation}/detach`, { reason: 'no' })
    assert.equal(detached.errorCode, 'APPROVAL_REQUIRED')
    const batch = { action: 'UPGRADE', targets: [installation], input: { targetVersion: '2.0.0' } }
    const made = await deps.ok('/batches', { method: 'POST', body: batch })
    assert.match(
      JSON.stringify(await deps.ok(`/batches/${(made['batch'] as { batchId: string }).batchId}/items`, {})),
      /APPROVAL_REQUIRED/,
    )

    const request = (await propose(scope, changesOf({ name: 'b' }))).changeRequestId
    await approve(request, 'bob')
    assert.equal((await apply(request)).errorCode, 'APPROVAL_REQUIRED')
    // a weaker policy changes nothing for what is open
    await policy('guarded', ['CONFIGURE'], 1)
    assert.equal((await apply(request)).errorCode, 'APPROVAL_REQUIRED')
    await approve(request, 'carl')
    // a stronger one asks others for what is approved
    const waits = async () =>
      JSON.stringify(await deps.ok('/change-requests?waiting=me', { actor: 'dora' })).includes(request)
    assert.equal(await waits(), false)
    await policy('guarded', ['CONFIGURE'], 3)
    await until(waits)
    await approve(request, 'dora')
    assert.equal((await apply(request)).errorCode, '0')
    await until(async () => (await state(request)) === 'APPLIED')
    await policy('guarded', ['CONFIGURE'], 1)

    const urgent = (await propose(scope, changesOf({ name: 'urgent' }))).changeRequestId
    const operator: Grant[] = [
      { permissions: ['read', 'configuration:write', 'change:propose'], scope: null },
    ]
    const override = { override: true, reason: 'The shop is down' }
    assert.equal((await apply(urgent, override, { grants: operator })).errorCode, 'PERMISSION_DENIED')
    assert.equal((await apply(urgent, { override: true })).errorCode, 'REQUEST_INVALID')
    assert.equal((await apply(urgent, override)).errorCode, '0')
    const seen = await read(urgent)
    assert.equal(seen.overridden, true)
    assert.ok(seen.history.some(({ event, text }) => event === 'OVERRIDDEN' && text === override.reason))
  })

  it('is for the conditions between waves too: only who may override passes them (G12)', async () => {
    const targets = [
      (await installed({ name: 'a' }, { ...PLACE(4), environmentKey: 'waved' })).id,
      (await installed({ name: 'a' }, { ...PLACE(5), environmentKey: 'waved' })).id,
    ]
    await policy('waved', ['BATCH'])
    const waves = { sizes: [1], soakSeconds: 3_600 }
    const input = { action: 'UPGRADE', targets, input: { targetVersion: '2.0.0' }, waves }
    const { changeRequestId } = await requested({ kind: 'BATCH', title: 'Next', submit: true, input })
    assert.equal((await approve(changeRequestId, 'bob')).errorCode, '0')
    assert.equal((await apply(changeRequestId)).errorCode, '0')
    const batchId = (await read(changeRequestId)).batchId ?? ''
    await untilBatch(deps, batchId, ({ waiting }) => waiting !== undefined)
    const path = `/batches/${batchId}/continue`
    const next = { wave: 2, reason: 'It looks well' }
    const operator: Grant[] = [{ permissions: ['read', 'installation:upgrade'], scope: null }]
    const may = async (grants?: Grant[]) =>
      (await deps.ok(`/batches/${batchId}`, { ...(grants && { grants }) }))['may']
    assert.deepEqual(await may(), { continue: true, stop: true })
    assert.deepEqual(await may(operator), { continue: false, stop: true })
    const inOne: Grant = {
      permissions: ['installation:upgrade'],
      scope: { ...PLACE(4), environmentKey: 'waved' },
    }
    const reader: Grant = { permissions: ['read'], scope: null }
    assert.deepEqual(await may([reader, inOne]), { continue: false, stop: false })
    assert.equal((await send(path, next, { grants: operator })).errorCode, 'PERMISSION_DENIED')
    const old = await deps.http.assertion({ claims: { auth_time: 0 } })
    const headers = { 'x-runtime-actor-assertion': old }
    const late = await deps.http.call(path, { method: 'POST', body: next, headers })
    assert.equal(late.errorCode, 'RECENT_SIGN_IN_REQUIRED')
    assert.equal((await send(path, next)).errorCode, '0')
    await untilBatch(deps, batchId, ({ finishedAt }) => finishedAt !== null)
    const { items } = await deps.ok('/audit?action=batch.continue&limit=1', {})
    assert.match(JSON.stringify(items), /"property":"overridden"/)
  })

  it('waits for the end of a freeze with all its approvals, unless somebody overrides that too', async () => {
    const { scope } = await installed({ name: 'a' }, { ...PLACE(3), environmentKey: 'frozen' })
    const id = (await propose(scope, changesOf({ name: 'b' }))).changeRequestId
    assert.equal((await approve(id, 'bob')).errorCode, '0')
    assert.equal((await read(id)).may.override, false)
    const more = { scopes: [{ ...scope }], timeZone: 'Europe/Berlin', allowsRecovery: true }
    await freeze('inventory', more)
    assert.equal((await apply(id)).errorCode, 'CHANGES_FROZEN')
    assert.equal(await state(id), 'APPROVED')
    assert.equal((await read(id)).may.override, true)
    assert.equal((await apply(id, { override: true, reason: 'The shop is down' })).errorCode, '0')
    const seen = await read(id)
    assert.equal(seen.overridden, true)
    assert.ok(seen.history.some(({ event }) => event === 'OVERRIDDEN'))
    await deps.ok('/freezes/inventory', { method: 'DELETE' })
  })

  it('is shown to people who may read something in its environment (G02)', async () => {
    await policy('secretive', ['DETACH'])
    const seenWith = async (grants: Grant[]) => {
      const all = await deps.http.call('/change-policies', { actor: 'mallory', grants })
      const one = await deps.http.call('/change-policies/secretive', { actor: 'mallory', grants })
      return [JSON.stringify(all.data).includes('secretive'), one.data['requiredFor']]
    }
    const scope = { ...deps.newScope(), environmentKey: 'secretive' }
    assert.deepEqual(await seenWith([{ permissions: ['read'], scope }]), [true, ['DETACH']])
    const elsewhere: Grant[] = [{ permissions: ['read'], scope: { environmentKey: 'elsewhere' } }]
    assert.deepEqual(await seenWith(elsewhere), [false, []])
  })

  it('lets who may approve find what waits for them', async () => {
    const { scope } = await installed({ name: 'a' }, PLACE(2))
    const id = (await propose(scope, changesOf({ name: 'b' }))).changeRequestId
    const waiting = async (actor: string, grants?: Grant[]) => {
      const { data } = await deps.http.call('/change-requests?waiting=me', {
        actor,
        ...(grants && { grants }),
      })
      return JSON.stringify(data).includes(id)
    }
    assert.deepEqual([await waiting('ada'), await waiting('bob')], [false, true])
    const elsewhere: Grant[] = [
      { permissions: ['read'], scope: null },
      { permissions: ['change:approve'], scope: { environmentKey: 'other' } },
    ]
    assert.equal(await waiting('dan', elsewhere), false)
    const { count } = await deps.ok('/change-requests/waiting', { actor: 'bob' })
    assert.ok(Number(count) > 0)
    await approve(id, 'bob')
    assert.equal(await waiting('bob'), false)
    const unseen: Grant[] = [{ permissions: ['read'], scope: { environmentKey: 'other' } }]
    const hidden = await deps.http.call(`/change-requests/${id}`, { grants: unseen, actor: 'eve' })
    assert.equal(hidden.errorCode, 'NOT_FOUND')
  })
})

describe('who is notified of a change request', () => {
  it('is its author when others decide, and who approved it when the approval does not count any more', async () => {
    const { scope } = await installed({ limits: { day: 1, week: 1 } })
    const { changeRequestId: id } = await propose(scope, changesOf({ limits: { day: 2, week: 1 } }))
    const comment = (actor: string) => send(`/change-requests/${id}/comments`, { text: 'Why 2?' }, { actor })
    await comment('bob')
    assert.deepEqual(await told('ada', id), [['change.commented', 'requested', 'bob']])
    assert.deepEqual(await told('bob', id), [])
    await comment('ada')
    assert.deepEqual(await told('bob', id), [['change.commented', 'commented', 'ada']])
    await approve(id, 'bob')
    assert.deepEqual((await told('ada', id))[0], ['change.approved', 'requested', 'bob'])
    await deps.save(scope, changesOf({ limits: { day: 1, week: 5 } }))
    await until(async () => (await told('bob', id)).length > 1)
    assert.deepEqual((await told('bob', id))[0], ['change.outdated', 'approved', null])
    const { revision } = await read(id)
    await send(`/change-requests/${id}/reject`, { revision, comment: 'Too much' }, { actor: 'eve' })
    assert.deepEqual((await told('ada', id))[0], ['change.rejected', 'requested', 'eve'])
    const elsewhere: Grant[] = [{ permissions: ['read'], scope: deps.newScope() }]
    const { items } = await deps.ok('/inbox', { actor: 'ada', grants: elsewhere })
    assert.equal(
      (items as JsonObject[]).some((item) => JSON.stringify(item).includes(id)),
      false,
    )
  })

  it('are webhooks, every day, of a request that waits for approvals, also where others save more often', async () => {
    const { scope, id: bundleInstallId } = await installed()
    await policy(scope.environmentKey, ['CONFIGURE', 'DETACH'])
    const detach = { kind: 'DETACH', title: 'Closed', submit: true, input: { bundleInstallId } }
    const ids = [
      (await propose(scope, changesOf({ name: 'b' }))).changeRequestId,
      (await requested(detach)).changeRequestId,
    ]
    const reminders = () =>
      Promise.all(
        ids.map(async (id) => (await read(id)).history.filter(({ event }) => event === 'REMINDED').length),
      )
    const passHours = (hours: number) =>
      sql`update runtime.change_request set updated_at = updated_at - make_interval(hours => ${hours})
        where change_request_id = any(${ids}::uuid[])`.execute(deps.db)
    await policy(scope.environmentKey, [])
    await passHours(20)
    assert.equal((await deps.save(scope, changesOf({ other: 'b' }))).errorCode, '0')
    const { snapshotVersion } = await deps.configuration(scope)
    const moved = sql`select from runtime.change_request
      where change_request_id = any(${ids}::uuid[]) and base_snapshot = ${snapshotVersion}`
    await until(async () => (await moved.execute(deps.db)).rows.length === 2)
    assert.deepEqual(await reminders(), [0, 0])
    await passHours(4)
    await until(async () => (await reminders()).join() === '1,1')
  })
})

describe('scheduled change requests that are held up', () => {
  before(async () => {
    await deps.close()
    // as if each took 20 times as long: a single one is as much as a look tries again
    const clock = { ...systemClock, monotonic: () => 20 * systemClock.monotonic() }
    deps = await startRuleHarness({ clock })
    await deps.register('shops')
    await deps.publish(shop)
  })

  it('are tried in turn: nothing waits behind those that are due before it', async () => {
    const at = (ms: number) => new Date(Date.now() + ms).toISOString()
    const scopes: Scope[] = []
    for (let index = 0; index < 8; index++) scopes.push((await installed()).scope)
    await freeze('first', { scopes: scopes.slice(0, -1).map((one) => ({ ...one })) })
    await freeze('last', { scopes: scopes.slice(-1).map((one) => ({ ...one })) })
    let last = ''
    for (const scope of scopes) {
      last = (await propose(scope, changesOf({ name: 'b' }))).changeRequestId
      const due = { notBefore: at(-1_000), notAfter: at(3_600_000), timeZone: 'UTC' }
      const scheduled = await send(`/change-requests/${last}/schedule`, { revision: 1, ...due })
      assert.equal(scheduled.errorCode, '0')
    }
    await isTried(last)
    await isTried(last)
    await deps.ok('/freezes/last', { method: 'DELETE' })
    await until(async () => (await state(last)) === 'APPLIED')
  })
})
