import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { Grant } from '#contract/endpoint/permission.ts'
import type { JsonObject } from '#contract/json-schema/json.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { ChangeRequest } from '#contract/runtime-api/change-requests.ts'
import { readItems, untilBatch } from '../../testing/batches.ts'
import { changesOf, shop, startShops } from '../../testing/change-requests.ts'
import { countLockWaits, until } from '../../testing/stream.ts'

const {
  deps,
  installed,
  send,
  propose,
  requested,
  read,
  planOf,
  approve,
  apply,
  state,
  policy,
  freeze,
  nameIn,
} = await startShops()
after(() => deps.close())

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

  it('is also for what a batch does later, if nobody had to approve its request (G12)', async () => {
    const place = (workspaceId: number) => ({ ...PLACE(workspaceId), environmentKey: 'later' })
    const targets = [
      (await installed({ name: 'a' }, place(1))).id,
      (await installed({ name: 'a' }, place(2))).id,
    ]
    const input = { action: 'UPGRADE', targets, input: { targetVersion: '2.0.0' }, first: 1 }
    const request = await requested({ kind: 'BATCH', title: 'Next', submit: true, input })
    const { changeRequest } = (await apply(request.changeRequestId)).data
    const { batchId } = ChangeRequest.parse(changeRequest)
    assert.ok(batchId !== null)
    await untilBatch(deps, batchId, ({ state }) => state === 'PAUSED')
    await policy('later', ['UPGRADE'])
    await deps.ok(`/batches/${batchId}/continue`, { method: 'POST', body: {} })
    await untilBatch(deps, batchId, ({ state }) => state === 'DONE')
    const items = await readItems(deps, batchId)
    assert.deepEqual(
      items.map(({ state, code }) => [state, code]),
      [
        ['SUCCEEDED', undefined],
        ['REFUSED', 'APPROVAL_REQUIRED'],
      ],
    )
  })

  it('is also for what an approved batch does later, if it has become stronger (G12)', async () => {
    const environmentKey = 'rising'
    await policy(environmentKey, ['BATCH', 'UPGRADE'])
    const results: unknown[] = []
    for (const approvers of [['bob'], ['bob', 'carl']]) {
      const place = () => ({ ...deps.newScope(), environmentKey })
      const targets = [(await installed({}, place())).id, (await installed({}, place())).id]
      const input = { action: 'UPGRADE', targets, input: { targetVersion: '2.0.0' }, first: 1 }
      const { changeRequestId: id } = await requested({ kind: 'BATCH', title: 'Next', submit: true, input })
      for (const approver of approvers) assert.equal((await approve(id, approver)).errorCode, '0')
      const { changeRequest } = (await apply(id)).data
      const batchId = ChangeRequest.parse(changeRequest).batchId ?? ''
      await untilBatch(deps, batchId, ({ state }) => state === 'PAUSED')
      await policy(environmentKey, ['BATCH', 'UPGRADE'], 2)
      await deps.ok(`/batches/${batchId}/continue`, { method: 'POST', body: {} })
      await untilBatch(deps, batchId, ({ state }) => state === 'DONE')
      results.push((await readItems(deps, batchId)).map(({ state, code }) => code ?? state))
      await policy(environmentKey, ['BATCH', 'UPGRADE'])
    }
    assert.deepEqual(results, [
      ['SUCCEEDED', 'APPROVAL_REQUIRED'],
      ['SUCCEEDED', 'SUCCEEDED'],
    ])
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

describe('a freeze', () => {
  it('refuses any change that gets its lock after it has begun', async () => {
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
      await until(async () => (await countLockWaits(deps.db)) > 0)
      await until(() => sees(sql`clock_timestamp() > ${from}::timestamptz`))
      return { saving }
    })
    assert.equal((await waiting.saving).errorCode, 'CHANGES_FROZEN')
    assert.deepEqual(await nameIn(scope), { '@type': 'Data', value: 'a' })
  })

  it('makes a change request wait with all its approvals, unless somebody overrides it', async () => {
    const { scope } = await installed({ name: 'a' }, { ...deps.newScope(), environmentKey: 'frozen' })
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
})

describe('an approved request whose circumstances have changed', () => {
  it('keeps what it asks for, says what refuses it, and is applied once nothing does any more', async () => {
    const { id: bundleInstallId } = await installed()
    const { id: ending } = await installed()
    const upgrade = { targetVersion: '2.0.0' }
    const approved = async (kind: string, input: JsonObject) => {
      const { changeRequestId } = await requested({ kind, title: kind, submit: true, input })
      assert.equal((await approve(changeRequestId, 'bob')).errorCode, '0')
      return changeRequestId
    }
    const refusal = async (id: string) => (await planOf(id)).problems.map(({ errorCode }) => errorCode)
    const id = await approved('UPGRADE', { bundleInstallId, ...upgrade })
    const gone = await approved('UPGRADE', { bundleInstallId: ending, ...upgrade })
    const before = (await read(id)).input

    const { environmentKey, bundleId } = shop.bundle
    const version = `/bundles/${environmentKey}/${bundleId}/versions/2.0.0`
    await deps.ok(`${version}/recall`, { method: 'POST', body: { message: 'It loses data.' } })
    assert.deepEqual(await refusal(id), ['VERSION_RECALLED'])
    assert.equal((await apply(id)).errorCode, 'VERSION_RECALLED')
    await deps.ok(`${version}/reinstate`, { method: 'POST', body: { reason: 'Repaired' } })

    const { planToken } = await planOf(id)
    await deps.registerWith('shops', { endpoint: deps.plugin.endpoint('moved') })
    const moved = await send(`/change-requests/${id}/apply`, { revision: 1, planToken })
    assert.equal(moved.errorCode, 'PLAN_STALE')
    assert.match(JSON.stringify(moved.json), /planRegistrationsMoved/)

    await deps.succeeds(await deps.detach(ending))
    assert.deepEqual(await refusal(gone), ['INSTALLATION_NOT_ACTIVE'])
    assert.deepEqual((await read(gone)).input.targetVersion, '2.0.0')

    const seen = await read(id)
    assert.deepEqual([seen.input, seen.approvals], [before, 1])
    assert.equal((await apply(id)).errorCode, '0')
  })
})
