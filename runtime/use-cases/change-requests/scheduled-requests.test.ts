import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { sql } from 'kysely'
import type { Grant } from '#contract/endpoint/permission.ts'
import type { JsonObject } from '#contract/json-schema/json.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { calendarEndpoints } from '#contract/runtime-api/calendar.ts'
import { ChangeRequest } from '#contract/runtime-api/change-requests.ts'
import { systemClock } from '#http-kit/clock.ts'
import { changesOf, hub, MAIN, RELAY, shop, startShops } from '../../testing/change-requests.ts'
import { wrapped } from '../../testing/rules.ts'
import { until } from '../../testing/stream.ts'

const CALENDAR = calendarEndpoints['GET /calendar'].answer

const {
  deps,
  installed,
  send,
  propose,
  requested,
  read,
  approve,
  apply,
  state,
  isTried,
  freeze,
  nameIn,
  told,
} = await startShops()
after(() => deps.close())

/** As if each try took 20 times as long: a single one is as much as a look tries again. */
const slowClock = { ...systemClock, monotonic: () => 20 * systemClock.monotonic() }

describe('a scheduled change request', () => {
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
    const { reason, text } = (await read(ids[59]!)).failure?.parameters ?? {}
    assert.deepEqual([reason, text], ['changeTooLateFrozen', 'Inventory'])
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

  it('is tried in turn while it is held up: nothing waits behind those that are due before it', async (t) => {
    const slow = await startShops({ clock: slowClock })
    t.after(() => slow.deps.close())
    const at = (ms: number) => new Date(Date.now() + ms).toISOString()
    const scopes: Scope[] = []
    for (let index = 0; index < 8; index++) scopes.push((await slow.installed()).scope)
    await slow.freeze('first', { scopes: scopes.slice(0, -1).map((one) => ({ ...one })) })
    await slow.freeze('last', { scopes: scopes.slice(-1).map((one) => ({ ...one })) })
    let last = ''
    for (const scope of scopes) {
      last = (await slow.propose(scope, changesOf({ name: 'b' }))).changeRequestId
      const due = { notBefore: at(-1_000), notAfter: at(3_600_000), timeZone: 'UTC' }
      const scheduled = await slow.send(`/change-requests/${last}/schedule`, { revision: 1, ...due })
      assert.equal(scheduled.errorCode, '0')
    }
    await slow.isTried(last)
    await slow.isTried(last)
    await slow.deps.ok('/freezes/last', { method: 'DELETE' })
    await until(async () => (await slow.state(last)) === 'APPLIED')
  })

  it('is tried in turn of those who made one: a person with many keeps nobody else waiting', async (t) => {
    const slow = await startShops({ clock: slowClock })
    t.after(() => slow.deps.close())
    const at = (ms: number) => new Date(Date.now() + ms).toISOString()
    const schedule = async (scope: Scope, actor: string) => {
      const { snapshotVersion } = await slow.deps.configuration(scope)
      const input = { snapshotVersion, changes: changesOf({ name: 'b' }) }
      const body = { kind: 'CONFIGURE', title: 'New name', submit: true, scope: { ...scope }, input }
      const { changeRequest } = (await slow.send('/change-requests', body, { actor })).data
      const id = ChangeRequest.parse(changeRequest).changeRequestId
      const due = { revision: 1, notBefore: at(-1_000), notAfter: at(3_600_000), timeZone: 'UTC' }
      assert.equal((await slow.send(`/change-requests/${id}/schedule`, due, { actor })).errorCode, '0')
      return id
    }
    const scopes: Scope[] = []
    for (let index = 0; index < 11; index++) scopes.push((await slow.installed()).scope)
    await slow.freeze('many', { scopes: scopes.map((one) => ({ ...one })) })
    const ids: string[] = []
    for (const scope of scopes) ids.push(await schedule(scope, scope === scopes.at(-1) ? 'bob' : 'eve'))
    const last = ids.at(-1) ?? ''
    const locks = async () => {
      const { rows } = await sql<{ id: string; lock: string }>`
        select change_request_id as id, xmax::text as lock from runtime.change_request
        where change_request_id = any(${ids}::uuid[])`.execute(slow.deps.db)
      return new Map(rows.map(({ id, lock }) => [id, lock]))
    }
    for (const id of ids) await slow.isTried(id)
    await slow.isTried(last)
    const earlier = await locks()
    await slow.isTried(last)
    const later = await locks()
    const tried = ids.filter((id) => later.get(id) !== earlier.get(id))
    assert.ok(tried.length <= 5, `${tried.length} were tried in one turn of the last`)
  })

  it('is applied soon although another person has many that take long, due before it (J01)', async (t) => {
    const slow = await startShops({ clock: slowClock })
    t.after(() => slow.deps.close())
    const at = (ms: number) => new Date(Date.now() + ms).toISOString()
    const ids: string[] = []
    for (const actor of ['eve', 'eve', 'eve', 'eve', 'bob']) {
      const { scope } = await slow.installed()
      const { snapshotVersion } = await slow.deps.configuration(scope)
      const input = { snapshotVersion, changes: changesOf({ name: 'b' }) }
      const body = { kind: 'CONFIGURE', title: 'New name', submit: true, scope: { ...scope }, input }
      const { changeRequest } = (await slow.send('/change-requests', body, { actor })).data
      const id = ChangeRequest.parse(changeRequest).changeRequestId
      const due = { revision: 1, notBefore: at(3_600_000), notAfter: at(7_200_000), timeZone: 'UTC' }
      assert.equal((await slow.send(`/change-requests/${id}/schedule`, due, { actor })).errorCode, '0')
      ids.push(id)
    }
    // all at once
    await sql`update runtime.change_request set not_before = clock_timestamp()
      - case created_by_id when 'eve' then interval '1 minute' else interval '1 second' end
      where change_request_id = any(${ids}::uuid[])`.execute(slow.deps.db)
    for (const id of ids) await until(async () => (await slow.state(id)) === 'APPLIED')
    const { rows } = await sql<{ actor_id: string }>`
      select actor_id from runtime.audit_entry where action = 'change.apply' order by sequence`.execute(
      slow.deps.db,
    )
    assert.deepEqual(
      rows.map(({ actor_id }) => actor_id),
      ['eve', 'bob', 'eve', 'eve', 'eve'],
    )
  })

  it('is applied in the order of the times, however many of the same person are due before others', async (t) => {
    const slow = await startShops({ clock: slowClock })
    t.after(() => slow.deps.close())
    const at = (ms: number) => new Date(Date.now() + ms).toISOString()
    const { scope } = await slow.installed()
    const ids: string[] = []
    // more than one look finds
    for (let index = 0; index < 55; index++) {
      const { changeRequestId } = await slow.propose(scope, changesOf({ name: 'b' }))
      const due = { revision: 1, notBefore: at(3_600_000 + index), notAfter: at(7_200_000), timeZone: 'UTC' }
      const scheduled = await slow.send(`/change-requests/${changeRequestId}/schedule`, due)
      assert.equal(scheduled.errorCode, '0')
      ids.push(changeRequestId)
    }
    // all at once
    await sql`update runtime.change_request set not_before = not_before - interval '2 hours'`.execute(
      slow.deps.db,
    )
    const begun = async () => {
      const { rows } = await sql<{ id: string }>`
        select change_request_id as id from runtime.change_request where state <> 'SCHEDULED' order by not_before`.execute(
        slow.deps.db,
      )
      return rows.map(({ id }) => id)
    }
    await until(async () => (await begun()).length >= 15)
    const first = await begun()
    assert.deepEqual(first, ids.slice(0, first.length))
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

describe('a scheduled change request that needs no approval', () => {
  const scheduled = async (kind: string, input: JsonObject) => {
    const { changeRequestId: id } = await requested({ kind, title: kind, submit: true, input })
    await reschedule(id)
    return id
  }
  const reschedule = async (id: string) => {
    const at = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()
    const times = { revision: 1, notBefore: at(1), notAfter: at(2), timeZone: 'UTC' }
    assert.equal((await send(`/change-requests/${id}/schedule`, times)).errorCode, '0')
  }
  const isDue = (id: string) =>
    sql`update runtime.change_request set not_before = now() - interval '1 hour'
      where change_request_id = ${id}`.execute(deps.db)

  it('overwrites nothing that was saved since: an UPGRADE is refused, a batch leaves the target out', async () => {
    const [one, two, three] = await Promise.all([installed(), installed(), installed()])
    // it has what the batch gives, and has not when its turn comes
    const four = await installed({ name: 'mine', other: 'a' })
    const upgrade = await scheduled('UPGRADE', {
      bundleInstallId: one.id,
      targetVersion: '2.0.0',
      properties: changesOf({ name: 'mine' }),
    })
    const batch = await scheduled('BATCH', {
      action: 'CONFIGURE',
      targets: [two.id, three.id, four.id],
      input: { changes: changesOf({ name: 'mine' }) },
    })
    for (const { scope } of [one, two, four]) await deps.saved(scope, changesOf({ name: 'theirs' }))
    for (const id of [upgrade, batch]) await isDue(id)
    await until(async () => (await state(upgrade)) === 'REFUSED')
    await until(async () => (await state(batch)) === 'APPLIED')
    const { failure } = await read(upgrade)
    assert.deepEqual(
      [failure?.errorCode, failure?.parameters?.['reason']],
      ['PLAN_STALE', 'changeScheduledMoved'],
    )
    assert.deepEqual((await told('ada', upgrade))[0], ['change.refused', 'requested', null])
    assert.equal((await read(batch)).failure?.parameters?.['reason'], 'changePartlyDone')
    const values = await Promise.all([one, two, three, four].map(({ scope }) => nameIn(scope)))
    assert.deepEqual(
      values.map((value) => value && 'value' in value && value.value),
      ['theirs', 'theirs', 'mine', 'theirs'],
    )
  })

  it('is applied as it was scheduled last, whatever was saved beside it or before', async () => {
    const { scope, id } = await installed()
    const properties = changesOf({ name: 'mine', password: 'hush' })
    const input = { bundleInstallId: id, targetVersion: '2.0.0', properties }
    const upgrade = await scheduled('UPGRADE', input)
    await deps.saved(scope, changesOf({ name: 'theirs' }))
    await reschedule(upgrade)
    await deps.saved(scope, changesOf({ other: 'theirs' }))
    await isDue(upgrade)
    await until(async () => (await state(upgrade)) === 'APPLIED')
    assert.deepEqual(await nameIn(scope), { '@type': 'Data', value: 'mine' })
  })

  it('is applied where others have saved the same', async () => {
    const { scope, id } = await installed()
    const properties = changesOf({ name: 'same' })
    const upgrade = await scheduled('UPGRADE', { bundleInstallId: id, targetVersion: '2.0.0', properties })
    await deps.saved(scope, properties)
    await isDue(upgrade)
    await until(async () => (await state(upgrade)) === 'APPLIED')
  })

  it('becomes no downgrade', async () => {
    const { id } = await installed()
    const upgrade = await scheduled('UPGRADE', { bundleInstallId: id, targetVersion: '2.0.0' })
    // it is that version already, so that nothing could be planned
    const none = await scheduled('UPGRADE', { bundleInstallId: id, targetVersion: '1.0.0' })
    const body = { targetVersion: '3.0.0' }
    const { operation } = await deps.ok(`/installations/${id}/upgrade`, { method: 'POST', body })
    await deps.succeeds((operation as { operationId: string }).operationId)
    for (const request of [upgrade, none]) {
      await isDue(request)
      await until(async () => (await state(request)) === 'REFUSED')
      assert.equal((await read(request)).failure?.parameters?.['reason'], 'changeScheduledMoved')
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
