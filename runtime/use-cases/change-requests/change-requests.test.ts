import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { sql } from 'kysely'
import type { Grant } from '#contract/endpoint/permission.ts'
import type { JsonObject } from '#contract/json-schema/json.ts'
import {
  ChangeRequest,
  ChangeRequestDetail,
  LIVE_REQUESTS_MAX,
} from '#contract/runtime-api/change-requests.ts'
import { changesOf, MAIN, shop, startShops } from '../../testing/change-requests.ts'
import { bindingOf, bundleOf, locatorOf, moduleOf, TEXT, wrapped } from '../../testing/rules.ts'
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
  nameIn,
  told,
} = await startShops()
after(() => deps.close())

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

  it('is approved once by each person, however often they send it (J01)', async () => {
    const { scope } = await installed()
    const id = (await propose(scope, changesOf({ name: 'b' }))).changeRequestId
    const historyAfter = async (given: JsonObject) => {
      const answer = await approve(id, 'bob', given)
      assert.equal(answer.errorCode, '0', JSON.stringify(answer.json))
      const { state, approvals } = ChangeRequest.parse(answer.data['changeRequest'])
      assert.deepEqual([state, approvals], ['APPROVED', 1])
      return (await read(id)).history.filter(({ event }) => event === 'APPROVED').map(({ text }) => text)
    }
    const first = await historyAfter({ comment: 'Looks right' })
    assert.deepEqual(first, ['Looks right'])
    assert.deepEqual(await historyAfter({ comment: 'Looks right' }), first)
    assert.deepEqual(await historyAfter({}), first)
    assert.deepEqual(await historyAfter({ comment: 'Tested too' }), [...first, 'Tested too'])
    assert.equal((await read(id)).approvedBy[0]?.comment, 'Tested too')
    const audited = await deps.ok('/audit?action=change.approve&limit=5', {})
    const subjects = (audited['items'] as JsonObject[]).map(({ subject }) => String(subject))
    assert.equal(subjects.filter((subject) => subject.includes(id)).length, 2)
  })

  it('is based on what its author has seen, also if somebody saves while it waits for the scope', async () => {
    const { scope } = await installed()
    const { applicationRuntimeId, workspaceId } = scope
    const { snapshotVersion } = await deps.configuration(scope)
    const input = { snapshotVersion, changes: changesOf({ name: 'b' }) }
    const { proposing } = await deps.db.transaction().execute(async (tx) => {
      await sql`update runtime.scope set snapshot_version = snapshot_version + 1
        where application_runtime_id = ${applicationRuntimeId} and workspace_id = ${workspaceId}`.execute(tx)
      const proposing = send('/change-requests', {
        kind: 'CONFIGURE',
        title: 'Late',
        scope: { ...scope },
        input,
      })
      await until(async () => (await countLockWaits(deps.db)) > 0)
      return { proposing }
    })
    assert.equal((await proposing).errorCode, 'CONFIGURATION_SNAPSHOT_STALE')
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

  it('has a history of some 2,000 entries at most, and is then approved, scheduled and reported as before (J01)', async () => {
    const { scope } = await installed()
    const id = (await propose(scope, changesOf({ name: 'b' }))).changeRequestId
    const fill = (to: number) =>
      sql`insert into runtime.change_entry (change_request_id, number, by_id, by_name, event, revision)
        select ${id}::uuid, number, 'ada', 'ada', 'EDITED', 1
        from generate_series((select max(number) + 1 from runtime.change_entry where change_request_id = ${id}::uuid), ${to}::int)
          as number`.execute(deps.db)
    const take = async (step: string, body: JsonObject) => {
      const { errorCode, json } = await send(`/change-requests/${id}/${step}`, body)
      return `${errorCode} ${JSON.stringify(json)}`
    }
    await fill(1000)
    assert.match(await take('comments', { text: 'Why?' }), /^CHANGE_REQUEST_STATE .* has 1000 entries/)
    assert.match(await take('rebase', { revision: 1 }), /^0 /)
    await fill(2000)
    const edited = await deps.http.call(`/change-requests/${id}`, {
      method: 'PATCH',
      body: { kind: 'CONFIGURE', revision: 1, title: 'Again' },
    })
    assert.match(JSON.stringify(edited.json), /has 2000 entries/)
    for (let time = 0; time < 3; time += 1) {
      assert.match(await take('rebase', { revision: 1 }), /^0 /)
      assert.equal((await approve(id, 'bob', { comment: `Look ${time}` })).errorCode, '0')
    }
    const later = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
    const schedule = { revision: 1, notBefore: later(1), notAfter: later(2), timeZone: 'UTC' }
    assert.match(await take('schedule', schedule), /^0 /)
    await deps.save(scope, changesOf({ name: 'c' }))
    await until(async () => (await told('ada', id)).some(([event]) => event === 'change.conflicted'))
    assert.match(await take('withdraw', { revision: 1 }), /^0 /)
    const { history } = await read(id)
    assert.deepEqual(
      history.slice(2000).map(({ event, by }) => [event, by.id]),
      [
        ['REBASED', 'ada'],
        ['APPROVED', 'bob'],
        ['SCHEDULED', 'ada'],
        ['CONFLICTED', 'bundle-runtime'],
        ['WITHDRAWN', 'ada'],
      ],
    )
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
