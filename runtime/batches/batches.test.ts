import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { PG } from '#database/transaction.ts'
import type { Grant } from '#contract/endpoint/permission.ts'
import type { JsonObject } from '#contract/json-schema/json.ts'
import { Batch, BatchPlan } from '#contract/runtime-api/batches.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { scopeText } from '#contract/protocol/scope-text.ts'
import { findUnfinished, LOOK_MAX } from '../store/batches/run-items.ts'
import { readBatch, readItems, untilBatch } from '../testing/batches.ts'
import {
  bindingOf,
  bundleOf,
  locatorOf,
  moduleOf,
  startRuleHarness,
  TEXT,
  wrapped,
} from '../testing/rules.ts'
import type { RuleHarness } from '../testing/rules.ts'
import { planTargets } from '../use-cases/batches/targets.ts'
import { encodeCursor } from '../use-cases/paging.ts'
import { EVERYTHING } from '../testing/http.ts'
import { until } from '../testing/stream.ts'
import { testVault } from '../testing/vault.ts'

const secret = { ...TEXT, isSensitive: true } as const
const parts = {
  resources: [moduleOf('main', { name: TEXT, password: secret })],
  plugins: [bindingOf('batched', 1, { main: { reads: ['name'] } })],
}
const first = bundleOf('fleet', parts)
const second = bundleOf('fleet', { ...parts, version: '2.0.0' })
const demanding = bundleOf('fleet', {
  ...parts,
  version: '4.0.0',
  resources: [
    moduleOf('main', {
      name: { kind: 'DATA', schema: { type: 'string', title: 'Display name' }, required: true },
      password: secret,
    }),
  ],
})
const hidden = bundleOf('fleet', {
  ...parts,
  version: '3.0.0',
  resources: [moduleOf('main', { name: secret, password: secret })],
})
const MAIN = locatorOf(first, 'main')
const HIDDEN = { '@type': 'Data', isSensitive: true, isSet: true }
const neighbor = bundleOf('neighbor', { resources: [moduleOf('main', { name: TEXT })] })
const NEIGHBOR = locatorOf(neighbor, 'main')

let deps: RuleHarness
before(async () => {
  deps = await startRuleHarness()
  await deps.register('batched')
  await deps.publish(first, second, hidden, demanding, neighbor)
})
after(() => deps.close())

interface Installed {
  id: string
  scope: Scope
}
const install = async (count: number): Promise<Installed[]> => {
  const fleet: Installed[] = []
  for (let index = 0; index < count; index++) {
    const scope = deps.newScope()
    fleet.push({ id: await deps.installed(first, { scope }), scope })
  }
  return fleet
}
const idsOf = (fleet: readonly Installed[]) => fleet.map(({ id }) => id)
const upgradeOf = (fleet: readonly Installed[], more: JsonObject = {}): JsonObject => ({
  action: 'UPGRADE',
  title: 'Fleet to 2.0.0',
  targets: idsOf(fleet),
  input: { targetVersion: '2.0.0' },
  ...more,
})
const make = async (body: JsonObject): Promise<Batch> =>
  Batch.parse((await deps.ok('/batches', { method: 'POST', body }))['batch'])
const read = (id: string) => readBatch(deps, id)
const itemsOf = (id: string) => readItems(deps, id)
const plan = async (body: JsonObject): Promise<BatchPlan> =>
  BatchPlan.parse(await deps.ok('/batches/plan', { method: 'POST', body }))
const reaches = (id: string, isReached: (batch: Batch) => boolean) => untilBatch(deps, id, isReached)
const finished = (id: string) => reaches(id, ({ finishedAt }) => finishedAt !== null)
const versionsOf = async (fleet: readonly Installed[]) =>
  Promise.all(fleet.map(async ({ id }) => (await deps.installation(id)).version))

/** From now on every new operation of these installations fails with this error of PostgreSQL, `times` times. */
const failInserts = async (name: string, fleet: readonly Installed[], code: string, times: number) => {
  const ids = sql.raw(
    idsOf(fleet)
      .map((id) => `'${id}'`)
      .join(', '),
  )
  // a sequence also counts what is rolled back
  await sql`create sequence ${sql.id(name)}`.execute(deps.db)
  await sql`create function ${sql.id(name)}() returns trigger language plpgsql as ${sql.lit(
    `begin
      if nextval('${name}') <= ${times} then raise exception using errcode = '${code}'; end if;
      return new;
    end`,
  )}`.execute(deps.db)
  await sql`create trigger ${sql.id(name)} before insert on runtime.operation for each row
    when (new.bundle_install_id in (${ids})) execute function ${sql.id(name)}()`.execute(deps.db)
}

/** What the audit says about these installations was refused, oldest first. */
const refusalsOf = async (fleet: readonly Installed[], batchId: string) => {
  const rows = await deps.db
    .selectFrom('runtime.audit_entry')
    .selectAll()
    .where('request_id', '=', batchId)
    .where('outcome', '=', 'REFUSED')
    .orderBy('sequence')
    .execute()
  return rows.map((row) => {
    // a title, not an id
    assert.equal(row.subject, 'fleet')
    const one = fleet.find(({ id }) => id === row.bundle_install_id)
    assert.equal(row.workspace_id, one?.scope.workspaceId)
    return [row.bundle_install_id, row.action, row.error_code, row.reason]
  })
}

describe('a batch', () => {
  it('upgrades every target, one operation each', async () => {
    const fleet = await install(4)
    const { batchId, counts } = await make(upgradeOf(fleet, { reason: 'Because' }))
    assert.equal(counts.PENDING, 4)
    const done = await finished(batchId)
    assert.deepEqual([done.state, done.counts.SUCCEEDED], ['DONE', 4])
    assert.deepEqual(await versionsOf(fleet), ['2.0.0', '2.0.0', '2.0.0', '2.0.0'])
    const items = await itemsOf(batchId)
    assert.deepEqual(
      items.map(({ target }) => target),
      idsOf(fleet),
    )
    for (const { operationId } of items) {
      const operation = await deps.operation(operationId ?? '')
      assert.deepEqual([operation.operationType, operation.reason], ['UPGRADE', 'Because'])
    }
  })

  it('pauses after the first items until somebody continues, and never runs more than allowed', async () => {
    const fleet = await install(4)
    const { batchId } = await make(upgradeOf(fleet, { first: 1, concurrency: 2 }))
    const paused = await reaches(batchId, ({ state }) => state === 'PAUSED')
    assert.deepEqual([paused.because, paused.counts.SUCCEEDED, paused.counts.PENDING], ['FIRST', 1, 3])
    await deps.ok(`/batches/${batchId}/continue`, { method: 'POST', body: {} })
    assert.equal((await finished(batchId)).counts.SUCCEEDED, 4)
    const again = await deps.http.call(`/batches/${batchId}/continue`, { method: 'POST', body: {} })
    assert.equal(again.errorCode, 'BATCH_NOT_PAUSED')
  })

  it('costs nothing while it is paused and awaits no result', async () => {
    const { batchId } = await make(upgradeOf(await install(2), { first: 1 }))
    await reaches(batchId, ({ state, counts }) => state === 'PAUSED' && counts.SUCCEEDED === 1)
    // the result shows before it is recorded
    await until(async () =>
      (await findUnfinished(deps.db, new Map())).every((batch) => batch.batch_id !== batchId),
    )
    await deps.ok(`/batches/${batchId}/continue`, { method: 'POST', body: {} })
    assert.equal((await finished(batchId)).counts.SUCCEEDED, 2)
  })

  it('is found in its turn, however many its maker has (J01)', async () => {
    const { batchId } = await make(upgradeOf(await install(1)))
    await finished(batchId)
    await deps.db.transaction().execute(async (tx) => {
      await sql`insert into runtime.batch select copy.* from runtime.batch, generate_series(1, ${LOOK_MAX + 5}) as number,
        jsonb_populate_record(batch, jsonb_build_object('batch_id', gen_random_uuid(), 'finished_at', null,
          'state', 'RUNNING', 'requested_by_id', 'olga', 'title', number)) as copy
        where batch.batch_id = ${batchId}`.execute(tx)
      const look = async (last?: string) => {
        const all = await findUnfinished(tx, new Map(last === undefined ? [] : [['olga', last]]))
        return all.filter((one) => one.requested_by_id === 'olga').map((one) => one.batch_id)
      }
      const first = await look()
      assert.equal(first.length, LOOK_MAX)
      const next = await look(first.at(-1))
      assert.equal(new Set([...first, ...next.slice(0, 5)]).size, LOOK_MAX + 5)
      assert.deepEqual(next.slice(5), first.slice(0, LOOK_MAX - 5))
      await sql`delete from runtime.batch where requested_by_id = 'olga'`.execute(tx)
    })
  })

  it('waits only for a moment for one of somebody else, with many items that do not wait (J01)', async () => {
    const values = { [NEIGHBOR]: wrapped({ name: 'Same' }) }
    const scopes = Array.from({ length: 102 }, () => scopeText(deps.newScope()))
    const installed = await make({
      action: 'INSTALL',
      targets: scopes,
      input: { bundle: neighbor.bundle, targetVersion: '1.0.0', properties: values },
      concurrency: 50,
    })
    await finished(installed.batchId)
    const items = await deps.db
      .selectFrom('runtime.batch_item')
      .select('target')
      .where('batch_id', '=', installed.batchId)
      .execute()
    const targets = items.map(({ target }) => target)
    // nothing changes, so that no item waits for an operation
    const same = { action: 'CONFIGURE', input: { changes: values }, first: 1 }
    const many = await make({ ...same, targets: targets.slice(2) })
    const { batch } = await deps.ok('/batches', {
      method: 'POST',
      body: { ...same, targets: targets.slice(0, 2) },
      actor: 'bob',
    })
    const few = Batch.parse(batch)
    for (const { batchId } of [many, few]) await reaches(batchId, ({ state }) => state === 'PAUSED')
    await deps.ok(`/batches/${many.batchId}/continue`, { method: 'POST', body: {} })
    await deps.ok(`/batches/${few.batchId}/continue`, { method: 'POST', body: {}, actor: 'bob' })
    const [{ finishedAt: first }, { finishedAt: last }] = [
      await finished(few.batchId),
      await finished(many.batchId),
    ]
    assert.ok(first !== null && last !== null && first < last, `${first} ${last}`)
  })

  it('is stopped by a person: what has not started is skipped', async () => {
    const fleet = await install(3)
    const { batchId } = await make(upgradeOf(fleet, { first: 1 }))
    await reaches(batchId, ({ state }) => state === 'PAUSED')
    await deps.ok(`/batches/${batchId}/stop`, { method: 'POST', body: {}, actor: 'bob' })
    const stopped = await finished(batchId)
    assert.deepEqual([stopped.state, stopped.because, stopped.stoppedBy?.id], ['STOPPED', 'PERSON', 'bob'])
    assert.deepEqual([stopped.counts.SUCCEEDED, stopped.counts.SKIPPED], [1, 2])
    assert.equal((await versionsOf(fleet)).filter((version) => version === '2.0.0').length, 1)
    const again = await deps.http.call(`/batches/${batchId}/stop`, { method: 'POST', body: {} })
    assert.equal(again.errorCode, 'BATCH_FINISHED')
  })

  it('stops after failures, and says which operation failed and why', async () => {
    const fleet = await install(3)
    deps.plugin.script(() => ({ outcome: 'FAILED' }))
    const { batchId } = await make(upgradeOf(fleet, { concurrency: 1, stopAfterFailures: 1 }))
    const stopped = await finished(batchId)
    deps.plugin.script(() => ({ outcome: 'APPLIED' }))
    assert.deepEqual([stopped.state, stopped.because], ['STOPPED', 'FAILURES'])
    assert.deepEqual([stopped.counts.FAILED, stopped.counts.SKIPPED], [1, 2])
    assert.deepEqual(stopped.phases, { BEFORE_RESOURCES: 1, RESOURCES: 0, AFTER_RESOURCES: 0, DONE: 0 })
    const items = await itemsOf(batchId)
    const failed = items.find(({ state }) => state === 'FAILED')
    assert.equal(failed?.code, 'PLUGIN_REPORTED_FAILURE')
    const retry = await make({ action: 'RETRY', title: 'Again', targets: [failed.operationId ?? ''] })
    assert.equal((await finished(retry.batchId)).counts.SUCCEEDED, 1)
    assert.equal((await deps.operation(failed.operationId ?? '')).run, 2)
  })

  it('refuses immediately what the plan refuses, and shows the same in the plan', async () => {
    const [one, other] = await install(2)
    assert.ok(one && other)
    await deps.succeeds(await deps.upgrade(one.id, { targetVersion: '2.0.0' }))
    const body = upgradeOf([one, other])
    const planned = await plan(body)
    assert.deepEqual(
      planned.items.map(({ problems }) => problems.map(({ parameters }) => parameters?.['reason'])),
      [['upgradeSameVersion'], []],
    )
    const { batchId } = await make({ ...body, planToken: planned.planToken, reason: 'Because' })
    const done = await finished(batchId)
    assert.deepEqual([done.counts.REFUSED, done.counts.SUCCEEDED], [1, 1])
    assert.equal((await itemsOf(batchId))[0]?.code, 'REQUEST_INVALID')
    assert.deepEqual(await refusalsOf([one, other], batchId), [
      [one.id, 'installation.upgrade', 'REQUEST_INVALID', 'Because'],
    ])
  })

  it('follows the policy of the environment for plugins without a passing report', async () => {
    const policy = async (name: string) => {
      await deps.ok('/plugin-policies/prod', { method: 'PUT', body: { policy: name } })
    }
    const fleet = await install(1)
    const elsewhere = { ...deps.newScope(), environmentKey: 'staging' }
    fleet.push({ id: await deps.installed(first, { scope: elsewhere }), scope: elsewhere })
    const unchecked = { pluginId: 'batched', version: null, reason: 'NO_VERSION' }
    const reasons = ({ items }: BatchPlan) =>
      items.map(({ problems }) => problems.map(({ parameters }) => parameters?.['reason']))
    try {
      await policy('WARN')
      const warned = await plan(upgradeOf(fleet))
      assert.deepEqual(
        warned.items.map((item) => item.unchecked),
        [[{ ...unchecked, policy: 'WARN' }], []],
      )
      assert.deepEqual(reasons(warned), [[], []])

      // the item of the other environment runs first, and the policy changes before the second one starts
      const later = await make(
        upgradeOf([...fleet].toReversed(), { input: { targetVersion: '3.0.0' }, first: 1 }),
      )
      await reaches(later.batchId, ({ state }) => state === 'PAUSED')
      await policy('REFUSE')
      await deps.ok(`/batches/${later.batchId}/continue`, { method: 'POST', body: {} })
      await finished(later.batchId)
      const moved = await itemsOf(later.batchId)
      assert.deepEqual(
        moved.map(({ state, code, parameters }) => [state, code, parameters?.['reason']]),
        [
          ['SUCCEEDED', undefined, undefined],
          ['REFUSED', 'PLAN_STALE', 'planRegistrationsMoved'],
        ],
      )

      for (const body of [
        upgradeOf(fleet),
        {
          action: 'CONFIGURE',
          targets: idsOf(fleet),
          input: { changes: { [MAIN]: wrapped({ name: 'n' }) } },
        },
      ]) {
        const refused = await plan(body)
        assert.deepEqual(reasons(refused), [['pluginVersionUnknown'], []])
        assert.deepEqual(refused.items[0]?.unchecked, [{ ...unchecked, policy: 'REFUSE' }])
        const { batchId } = await make({ ...body, planToken: refused.planToken })
        const done = await finished(batchId)
        assert.deepEqual([done.counts.REFUSED, done.counts.SUCCEEDED], [1, 1])
        const [item] = await itemsOf(batchId)
        assert.deepEqual(
          [item?.code, item?.parameters],
          ['PLUGIN_NOT_CHECKED', { reason: 'pluginVersionUnknown', environment: 'prod', plugin: 'batched' }],
        )
      }
      const detaching = await plan({ action: 'DETACH', targets: idsOf(fleet) })
      assert.deepEqual(reasons(detaching), [[], []])
      assert.deepEqual(detaching.items[0]?.unchecked, [])
    } finally {
      await policy('IGNORE')
    }
  })

  it('shows the beginnings of long values, and refuses plans that are too large together (J01)', async () => {
    const fleet = await install(3)
    const [one] = fleet as [Installed]
    for (const { scope } of fleet) await deps.saved(scope, { [MAIN]: wrapped({ name: 'before' }) })
    await sql`
      update runtime.configuration_property set value = jsonb_set(value, '{value}', to_jsonb(repeat('x', 6000000)))
      where bundle_install_id = any(${idsOf(fleet)}::uuid[]) and property = 'name'`.execute(deps.db)
    const body = (targets: readonly Installed[], property: string): JsonObject => ({
      action: 'CONFIGURE',
      targets: idsOf(targets),
      input: { changes: { [MAIN]: wrapped({ [property]: 'after' }) } },
    })
    const { items } = await plan(body([one], 'name'))
    assert.deepEqual(items[0]?.values[0]?.before, { '@type': 'Data', value: `${'x'.repeat(500)}…` })
    // a value that is kept is part of a plan too
    for (const path of ['/batches/plan', '/batches']) {
      // each of them uses up what a person may read at once
      const refused = await deps.http.call(path, {
        method: 'POST',
        body: body(fleet, 'password'),
        actor: `reader of ${path}`,
      })
      assert.equal(refused.errorCode, 'REQUEST_INVALID')
      assert.match(JSON.stringify(refused.json), /"reason":"planBatchTooLarge"/)
    }
  })

  it('counts the definitions of its targets, the same ones once (J01)', async () => {
    const fleet = await install(2)
    const describe = (last: string) =>
      sql`
      update runtime.installed_resource set definitions =
        jsonb_set(definitions::jsonb, '{name,schema,description}', to_jsonb(repeat('x', 9000000) || ${sql.raw(last)}))::json
      where bundle_install_id = any(${idsOf(fleet)}::uuid[])`.execute(deps.db)
    const plans = [
      { action: 'CONFIGURE', input: { changes: { [MAIN]: wrapped({ name: 'after' }) } } },
      { action: 'DETACH' },
    ].map((body) => ({ ...body, targets: idsOf(fleet) }))
    await describe("''")
    for (const body of plans) assert.equal((await plan(body)).items.length, 2)
    await describe('bundle_install_id')
    for (const body of plans) {
      const refused = await deps.http.call('/batches/plan', { method: 'POST', body, actor: body.action })
      assert.match(JSON.stringify(refused.json), /"reason":"planBatchTooLarge"/, body.action)
    }
  })

  it('plans which references of others stop resolving when its targets are detached', async () => {
    const fleet = await install(3)
    const [owner, peer, other] = fleet as [Installed, Installed, Installed]
    const body = {
      title: 'Mail',
      url: 'http://127.0.0.1:1/mail',
      methods: ['GET'],
      owner: { bundleInstallId: owner.id, locator: MAIN },
      consumers: [],
      enabled: true,
    }
    await deps.ok('/services/fleet-mail', { method: 'PUT', body })
    for (const { id } of fleet) {
      await sql`
        insert into runtime.configuration_property
          (scope_id, locator, property, bundle_install_id, value, snapshot_version)
        select scope_id, ${MAIN}, 'mail', bundle_install_id,
          '{"@type": "ServiceReference", "serviceId": "fleet-mail"}'::jsonb, 1
        from runtime.installation where bundle_install_id = ${id}::uuid`.execute(deps.db)
    }
    const brokenBy = async (action: string, targets: Installed[], headers: JsonObject = {}) => {
      const { broken } = await plan({ action, title: 'Old fleet', targets: idsOf(targets), ...headers })
      return broken && [broken.items.map(({ installation }) => installation.bundleInstallId), broken.hasMore]
    }
    const sorted = (...installed: Installed[]) => idsOf(installed).toSorted()
    assert.deepEqual(await brokenBy('DETACH', [owner]), [sorted(peer, other), false])
    // what is detached with it is not broken
    assert.deepEqual(await brokenBy('DETACH', [owner, peer]), [sorted(other), false])
    assert.deepEqual(await brokenBy('DETACH', fleet), [[], false])
    assert.deepEqual(await brokenBy('DETACH', [other]), [[], false])
    assert.equal(
      await brokenBy('CONFIGURE', [owner], { input: { changes: { [MAIN]: wrapped({ name: 'n' }) } } }),
      null,
    )
    await sql`delete from runtime.configuration_property where property = 'mail'`.execute(deps.db)
  })

  it('refuses an item whose target has moved since, and carries out the others', async () => {
    const fleet = await install(3)
    const body = { action: 'CONFIGURE', title: 'Names', targets: idsOf(fleet), first: 1 }
    const input = { changes: { [MAIN]: wrapped({ name: 'fleet' }) } }
    const { batchId } = await make({ ...body, input })
    await reaches(batchId, ({ state }) => state === 'PAUSED')
    await deps.saved(fleet[1]!.scope, { [MAIN]: wrapped({ name: 'mine' }) })
    await deps.ok(`/batches/${batchId}/continue`, { method: 'POST', body: {} })
    const done = await finished(batchId)
    assert.deepEqual([done.counts.SUCCEEDED, done.counts.REFUSED], [2, 1])
    const items = await itemsOf(batchId)
    assert.deepEqual([items[1]?.state, items[1]?.code], ['REFUSED', 'PLAN_STALE'])
    assert.deepEqual(await refusalsOf(fleet, batchId), [
      [fleet[1]!.id, 'configuration.save', 'PLAN_STALE', null],
    ])
    const configuration = await deps.configuration(fleet[1]!.scope)
    assert.deepEqual(configuration.resources[MAIN]?.properties['name'], wrapped({ name: 'mine' })['name'])
  })

  it('says of an operation that has moved on since what happened, and a new batch takes it as it is', async () => {
    const fleet = await install(3)
    deps.plugin.script(() => ({ outcome: 'FAILED' }))
    const upgraded = await make(upgradeOf(fleet))
    await finished(upgraded.batchId)
    const targets = (await itemsOf(upgraded.batchId)).map(({ operationId }) => operationId ?? '')
    const body = { action: 'RETRY', title: 'Again', targets, first: 1, concurrency: 1 }
    const { batchId } = await make(body)
    await reaches(batchId, ({ state }) => state === 'PAUSED')
    const [, again = '', solved = ''] = targets
    await deps.retry(await deps.operation(again))
    await deps.fails(again, 'PLUGIN_REPORTED_FAILURE')
    deps.plugin.script(() => ({ outcome: 'APPLIED' }))
    await deps.retry(await deps.operation(solved))
    await deps.succeeds(solved)
    await deps.ok(`/batches/${batchId}/continue`, { method: 'POST', body: {} })
    await finished(batchId)
    const refused = (await itemsOf(batchId)).slice(1)
    assert.deepEqual(
      refused.map(({ state, code, parameters }) => [state, code, parameters]),
      [
        ['REFUSED', 'OPERATION_NOT_RETRYABLE', { reason: 'batchOperationMoved', run: 2, seen: 1 }],
        ['REFUSED', 'OPERATION_NOT_RETRYABLE', { reason: 'batchOperationNotFailed', actual: 'SUCCEEDED' }],
      ],
    )
    const retry = await make({ action: 'RETRY', title: 'Once more', targets: [again] })
    assert.equal((await finished(retry.batchId)).counts.SUCCEEDED, 1)
  })

  it('refuses an item that had nothing to change when it was planned, if a value was saved since', async () => {
    const fleet = await install(2)
    for (const { scope } of fleet) await deps.saved(scope, { [MAIN]: wrapped({ name: 'fleet' }) })
    const { batchId } = await make({
      action: 'CONFIGURE',
      title: 'Names',
      targets: idsOf(fleet),
      first: 1,
      input: { changes: { [MAIN]: wrapped({ name: 'fleet' }) } },
    })
    await reaches(batchId, ({ state }) => state === 'PAUSED')
    await deps.saved(fleet[1]!.scope, { [MAIN]: wrapped({ name: 'mine' }) })
    await deps.ok(`/batches/${batchId}/continue`, { method: 'POST', body: {} })
    await finished(batchId)
    assert.deepEqual(
      (await itemsOf(batchId)).map(({ state, code }) => [state, code]),
      [
        ['SUCCEEDED', undefined],
        ['REFUSED', 'PLAN_STALE'],
      ],
    )
    const { resources } = await deps.configuration(fleet[1]!.scope)
    assert.deepEqual(resources[MAIN]?.properties['name'], wrapped({ name: 'mine' })['name'])
  })

  it('refuses an item if the key of what was planned has been removed since', async () => {
    const fleet = await install(2)
    const { batchId } = await make({
      action: 'CONFIGURE',
      targets: idsOf(fleet),
      first: 1,
      input: { changes: { [MAIN]: wrapped({ name: 'rotated' }) } },
    })
    await reaches(batchId, ({ state }) => state === 'PAUSED')
    // the digest names its key in the bytes before it
    await sql`update runtime.batch_item set changes_digest = set_byte(changes_digest, 1, get_byte(changes_digest, 1) # 255)
      where batch_id = ${batchId}`.execute(deps.db)
    await deps.ok(`/batches/${batchId}/continue`, { method: 'POST', body: {} })
    await finished(batchId)
    const [, refused] = await itemsOf(batchId)
    assert.deepEqual([refused?.state, refused?.code], ['REFUSED', 'PLAN_STALE'])
  })

  it('upgrades no target in which a value that it would replace was saved since', async () => {
    const fleet = await install(3)
    const properties = { [MAIN]: wrapped({ name: 'fleet' }) }
    const { batchId } = await make(
      upgradeOf(fleet, { first: 1, input: { targetVersion: '2.0.0', properties } }),
    )
    await reaches(batchId, ({ state }) => state === 'PAUSED')
    await deps.saved(fleet[1]!.scope, { [MAIN]: wrapped({ name: 'mine' }) })
    // another value of the scope may change
    await deps.saved(fleet[2]!.scope, { [MAIN]: wrapped({ password: 'new' }) })
    await deps.ok(`/batches/${batchId}/continue`, { method: 'POST', body: {} })
    await finished(batchId)
    assert.deepEqual(
      (await itemsOf(batchId)).map(({ state, code }) => [state, code]),
      [
        ['SUCCEEDED', undefined],
        ['REFUSED', 'PLAN_STALE'],
        ['SUCCEEDED', undefined],
      ],
    )
    assert.deepEqual(await versionsOf(fleet), ['2.0.0', '1.0.0', '2.0.0'])
    const { resources } = await deps.configuration(fleet[1]!.scope)
    assert.deepEqual(resources[MAIN]?.properties['name'], wrapped({ name: 'mine' })['name'])
  })

  it('refuses an item that would change another installation of the scope', async () => {
    const fleet = await install(2)
    for (const { scope } of fleet) {
      await deps.installed(neighbor, { scope, properties: { [NEIGHBOR]: wrapped({ name: 'fleet' }) } })
      await deps.saved(scope, { [MAIN]: wrapped({ name: 'fleet' }) })
    }
    const { batchId } = await make({
      action: 'CONFIGURE',
      title: 'Names',
      targets: idsOf(fleet),
      first: 1,
      input: { changes: { [MAIN]: wrapped({ name: 'fleet' }), [NEIGHBOR]: wrapped({ name: 'fleet' }) } },
    })
    await reaches(batchId, ({ state }) => state === 'PAUSED')
    await deps.saved(fleet[1]!.scope, { [NEIGHBOR]: wrapped({ name: 'mine' }) })
    await deps.ok(`/batches/${batchId}/continue`, { method: 'POST', body: {} })
    await finished(batchId)
    assert.deepEqual(
      (await itemsOf(batchId)).map(({ state, code }) => [state, code]),
      [
        ['SUCCEEDED', undefined],
        ['REFUSED', 'RESOURCE_OWNERSHIP_MISSING'],
      ],
    )
    const { resources } = await deps.configuration(fleet[1]!.scope)
    assert.deepEqual(resources[NEIGHBOR]?.properties['name'], wrapped({ name: 'mine' })['name'])
  })

  it('refuses a plan token if a target has moved, naming it', async () => {
    const fleet = await install(2)
    const { planToken } = await plan(upgradeOf(fleet))
    await deps.succeeds(await deps.upgrade(fleet[1]!.id, { targetVersion: '2.0.0' }))
    const answer = await deps.http.call('/batches', {
      method: 'POST',
      body: upgradeOf(fleet, { planToken }),
    })
    assert.equal(answer.errorCode, 'PLAN_STALE')
    const details = answer.data['details'] as { path: string }[]
    assert.deepEqual(
      details.map(({ path }) => path),
      ['body.targets.1'],
    )
  })

  it('fills a value only where a target has none, and shows which values it would replace', async () => {
    const fleet = await install(2)
    await deps.saved(fleet[0]!.scope, { [MAIN]: wrapped({ name: 'mine' }) })
    const input = { targetVersion: '4.0.0' }
    const bare = await plan(upgradeOf(fleet, { input }))
    assert.deepEqual(
      bare.items.map(({ problems }) => problems.map(({ property }) => property)),
      [[], ['name']],
    )
    const valueIn = async ({ scope }: Installed) =>
      (await deps.configuration(scope)).resources[MAIN]?.properties['name']
    const replacing = await plan(
      upgradeOf(fleet, { input: { ...input, properties: { [MAIN]: wrapped({ name: 'fleet' }) } } }),
    )
    assert.deepEqual(
      replacing.items.map(({ values }) => values.map(({ before }) => before)),
      [[wrapped({ name: 'mine' })['name']], [null]],
    )
    const body = upgradeOf(fleet, { input: { ...input, fill: { [MAIN]: wrapped({ name: 'fleet' }) } } })
    const filling = await plan(body)
    assert.deepEqual(
      filling.items.map(({ values }) => values.length),
      [0, 1],
    )
    const { batchId, input: shown } = await make({ ...body, planToken: filling.planToken })
    assert.deepEqual(
      shown.properties.map(({ property, title, fills }) => [property, title, fills]),
      [['name', 'Display name', true]],
    )
    assert.equal((await finished(batchId)).counts.SUCCEEDED, 2)
    assert.deepEqual(
      [await valueIn(fleet[0]!), await valueIn(fleet[1]!)],
      [wrapped({ name: 'mine' })['name'], wrapped({ name: 'fleet' })['name']],
    )
  })

  it('refuses to fill a property that the version does not have', async () => {
    const [one] = await install(1)
    const input = { targetVersion: '2.0.0', fill: { [MAIN]: wrapped({ unknown: 'a' }) } }
    const [item] = (await plan(upgradeOf([one!], { input }))).items
    assert.deepEqual(
      item?.problems.map(({ property }) => property),
      ['unknown'],
    )
    const { batchId } = await make(upgradeOf([one!], { input }))
    const [refused] = await itemsOf(batchId)
    assert.deepEqual([refused?.state, refused?.locator, refused?.property], ['REFUSED', MAIN, 'unknown'])
  })

  it('has no items beyond any position', async () => {
    const { batchId } = await make(upgradeOf(await install(1)))
    const beyond = await deps.ok(`/batches/${batchId}/items?cursor=${encodeCursor([2 ** 40])}`, {})
    assert.deepEqual(beyond['items'], [])
    await finished(batchId)
  })

  it('is listed page by page, newest first, with the number of its items in each state', async () => {
    const made: string[] = []
    for (let index = 0; index < 3; index++) {
      const { batchId } = await make(upgradeOf(await install(2), { first: 1 }))
      await reaches(batchId, ({ state }) => state === 'PAUSED')
      made.unshift(batchId)
    }
    const pageAfter = async (cursor: string | null) => {
      const path = cursor === null ? '' : `&cursor=${cursor}`
      const answer = await deps.ok(`/batches?state=PAUSED&limit=2${path}`, {})
      return { items: Batch.array().parse(answer['items']), next: answer['nextCursor'] as string | null }
    }
    const newest = await pageAfter(null)
    const rest = await pageAfter(newest.next)
    const listed = [...newest.items, ...rest.items].slice(0, 3)
    assert.deepEqual(
      listed.map(({ batchId, counts }) => [batchId, counts.SUCCEEDED, counts.PENDING, counts.RUNNING]),
      made.map((batchId) => [batchId, 1, 1, 0]),
    )
    for (const batchId of made) await deps.ok(`/batches/${batchId}/stop`, { method: 'POST', body: {} })
  })

  it('says what it is about, and is named by its operations', async () => {
    const fleet = await install(2)
    const { title: _, ...body } = upgradeOf(fleet)
    const { batchId, title, summary } = await make(body)
    assert.equal(title, null)
    assert.deepEqual(summary, {
      targets: 2,
      bundleCount: 1,
      bundles: [{ bundleId: 'fleet', title: first.title, targets: 2, versions: ['1.0.0'] }],
    })
    await finished(batchId)
    const [item] = await itemsOf(batchId)
    const operation = await deps.operation(item?.operationId ?? '')
    assert.deepEqual(operation.batches, [{ batchId, action: 'UPGRADE' }])
    const [retried] = (await plan({ action: 'RETRY', targets: [operation.operationId] })).items
    assert.deepEqual([retried?.failure, retried?.resources], [null, 0])
  })

  it('says in the plan of a retry whether the failure is retryable', async () => {
    const fleet = await install(2)
    deps.plugin.script(() => ({ errorCode: 'BROKEN', data: { message: 'no', retryable: false } }))
    const { batchId } = await make(upgradeOf(fleet))
    await finished(batchId)
    deps.plugin.script(() => ({ outcome: 'APPLIED' }))
    const targets = (await itemsOf(batchId)).map(({ operationId }) => operationId ?? '')
    const planned = await plan({ action: 'RETRY', targets })
    assert.deepEqual(
      planned.items.map(({ failure }) => failure),
      Array.from({ length: 2 }, () => ({ errorCode: 'BROKEN', retryable: false })),
    )
  })

  it('is in the audit of the person who made it, also if its targets lie in several scopes', async () => {
    const fleet = await install(2)
    const grants: Grant[] = fleet.map(({ scope }) => ({
      permissions: ['read', 'installation:upgrade', 'audit:read'],
      scope,
    }))
    const as = (actor: string, path: string, body?: JsonObject) =>
      deps.http.call(path, { ...(body && { method: 'POST', body }), grants, actor })
    const created = await as('carla', '/batches', upgradeOf(fleet, { first: 1 }))
    const { batchId } = Batch.parse(created.data['batch'])
    await reaches(batchId, ({ state }) => state === 'PAUSED')
    await as('carla', `/batches/${batchId}/continue`, {})
    await finished(batchId)
    const entriesOf = async (actor: string, action: string) => {
      const { data } = await as(actor, `/audit?action=${action}`)
      return (data['items'] as { subject: string; scope: unknown }[]).map(({ subject, scope }) => [
        subject,
        scope,
      ])
    }
    for (const action of ['batch.create', 'batch.continue']) {
      assert.deepEqual(await entriesOf('carla', action), [[`UPGRADE 2 ${batchId} "Fleet to 2.0.0"`, null]])
      assert.deepEqual(await entriesOf('dave', action), [])
    }
  })

  it('refuses a plan token with other values', async () => {
    const fleet = await install(1)
    const configure = (name: string): JsonObject => ({
      action: 'CONFIGURE',
      title: 'Names',
      targets: idsOf(fleet),
      input: { changes: { [MAIN]: wrapped({ name, password: 'hunter2' }) } },
    })
    const { planToken } = await plan(configure('planned'))
    assert.ok(!Buffer.from(planToken, 'base64url').toString().includes('hunter2'))
    const refused = await deps.http.call('/batches', {
      method: 'POST',
      body: { ...configure('other'), planToken },
    })
    assert.equal(refused.errorCode, 'PLAN_STALE')
    const { batchId } = await make({ ...configure('planned'), planToken })
    assert.equal((await finished(batchId)).counts.SUCCEEDED, 1)
  })

  it('sets a value of its own in each target, also in targets of different bundles', async () => {
    const [one, two] = await install(2)
    assert.ok(one && two)
    const beside = await deps.installed(neighbor, { scope: one.scope })
    const body: JsonObject = {
      action: 'CONFIGURE',
      title: 'Names',
      targets: [one.id, two.id, beside],
      input: {
        values: {
          [one.id]: { [MAIN]: wrapped({ name: 'one', password: 'first secret' }) },
          [two.id]: { [MAIN]: wrapped({ name: 'two', password: 'second secret' }) },
          [beside]: { [NEIGHBOR]: wrapped({ name: 'beside' }) },
        },
      },
    }
    const planned = await plan(body)
    assert.deepEqual(
      planned.items.map(({ values }) => values.map(({ property, after: set }) => [property, set])),
      [
        [
          ['name', wrapped({ name: 'one' })['name']],
          ['password', HIDDEN],
        ],
        [
          ['name', wrapped({ name: 'two' })['name']],
          ['password', HIDDEN],
        ],
        [['name', wrapped({ name: 'beside' })['name']]],
      ],
    )
    const { batchId } = await make({ ...body, planToken: planned.planToken })
    const done = await finished(batchId)
    assert.equal(done.counts.SUCCEEDED, 3)
    assert.deepEqual(done.input.properties, [
      { locator: MAIN, property: 'name', after: null, targets: 2, differs: true },
      { locator: MAIN, property: 'password', after: HIDDEN, targets: 2 },
      { locator: NEIGHBOR, property: 'name', after: wrapped({ name: 'beside' })['name'], targets: 1 },
    ])
    assert.ok(!JSON.stringify([planned, done, await itemsOf(batchId)]).includes('secret'))
    for (const [{ scope }, name] of [
      [one, 'one'],
      [two, 'two'],
    ] as const) {
      const { resources } = await deps.configuration(scope)
      assert.deepEqual(resources[MAIN]?.properties['name'], wrapped({ name })['name'])
    }
    const { resources } = await deps.configuration(one.scope)
    assert.deepEqual(resources[NEIGHBOR]?.properties['name'], wrapped({ name: 'beside' })['name'])
  })

  it('prefers the own value of a target, in a CONFIGURE and in an UPGRADE', async () => {
    const fleet = await install(2)
    const [own] = fleet
    assert.ok(own)
    const everywhere = { [MAIN]: wrapped({ name: 'everywhere' }) }
    const values = { [own.id]: { [MAIN]: wrapped({ name: 'own' }) } }
    const names = async () =>
      Promise.all(
        fleet.map(async ({ scope }) => (await deps.configuration(scope)).resources[MAIN]?.properties['name']),
      )
    for (const [action, input, second] of [
      ['CONFIGURE', { changes: everywhere, values }, 'everywhere'],
      [
        'UPGRADE',
        { targetVersion: '2.0.0', fill: { [MAIN]: wrapped({ name: 'filled' }) }, values },
        'everywhere',
      ],
    ] as const) {
      const { batchId } = await make({ action, targets: idsOf(fleet), input })
      assert.equal((await finished(batchId)).counts.SUCCEEDED, 2)
      assert.deepEqual(await names(), [wrapped({ name: 'own' })['name'], wrapped({ name: second })['name']])
    }
  })

  it('refuses own values of installations that are not targets, and a CONFIGURE without values', async () => {
    const [one, two] = await install(2)
    assert.ok(one && two)
    const body = { action: 'CONFIGURE', targets: [one.id] }
    for (const [input, path] of [
      [{ values: { [two.id]: { [MAIN]: wrapped({ name: 'lost' }) } } }, 'body.input.values'],
      [{}, 'body.input'],
    ] as const) {
      const refused = await deps.http.call('/batches/plan', { method: 'POST', body: { ...body, input } })
      assert.equal(refused.errorCode, 'REQUEST_INVALID')
      assert.match(JSON.stringify(refused.json), new RegExp(`"path":"${path}"`))
    }
  })

  it('shows no own value of a target whose definition is not known, nor whether hidden ones are equal', async () => {
    const [one, two, three] = await install(3)
    assert.ok(one && two && three)
    await deps.succeeds(await deps.detach(three.id))
    const own = (name: string, password: string) => ({ [MAIN]: wrapped({ name, password }) })
    const shownFor = async (values: JsonObject) => {
      const { input } = await make({ action: 'CONFIGURE', targets: Object.keys(values), input: { values } })
      return input.properties.map(({ property, after: value, differs }) => [property, value, differs])
    }
    // a later version may hide what the version of the others shows
    assert.deepEqual(
      await shownFor({
        [one.id]: { [MAIN]: wrapped({ password: 'one' }) },
        [three.id]: { [MAIN]: wrapped({ name: 'unknown' }) },
      }),
      [
        ['password', HIDDEN, undefined],
        ['name', HIDDEN, undefined],
      ],
    )
    for (const second of ['equal', 'different'])
      assert.deepEqual(await shownFor({ [one.id]: own('same', 'equal'), [two.id]: own('same', second) }), [
        ['name', wrapped({ name: 'same' })['name'], undefined],
        ['password', HIDDEN, undefined],
      ])
  })

  it('shows of no target what the definition of another hides, and of a long value only the beginning', async () => {
    const [shows, other] = await install(2)
    const scope = deps.newScope()
    const hides = await deps.installed(hidden, { scope, properties: { [MAIN]: wrapped({ name: 'x' }) } })
    assert.ok(shows && other)
    // long ago: not a property that became sensitive during the batch
    await sql`update runtime.sensitive_mark set marked_at = marked_at - interval '1 day'`.execute(deps.db)
    const nameOf = async (values: Record<string, string>) => {
      const own = Object.entries(values).map(([id, name]) => [id, { [MAIN]: wrapped({ name }) }])
      const input = { values: Object.fromEntries(own) as JsonObject }
      const { batchId } = await make({ action: 'CONFIGURE', targets: Object.keys(values), input })
      await finished(batchId)
      return {
        batchId,
        items: (await itemsOf(batchId)).map((item) => item.values.map(({ after: set }) => set)),
      }
    }
    const { batchId, items } = await nameOf({ [shows.id]: 'the same in both', [hides]: 'the same in both' })
    assert.deepEqual(items, [[HIDDEN], [HIDDEN]])
    // as an earlier version stored it
    await sql`update runtime.batch_item set shown_values = ${JSON.stringify([
      {
        locator: MAIN,
        property: 'name',
        before: null,
        after: { '@type': 'Data', value: 'the same in both' },
      },
    ])}::json where batch_id = ${batchId} and position = 0`.execute(deps.db)
    assert.deepEqual((await itemsOf(batchId))[0]?.values[0]?.after, HIDDEN)

    const long = await nameOf({ [shows.id]: 'x'.repeat(2_000), [other.id]: 'short' })
    assert.deepEqual(long.items, [
      [{ '@type': 'Data', value: `${'x'.repeat(500)}…` }],
      [{ '@type': 'Data', value: 'short' }],
    ])
  })

  it('starts without some of the planned targets, and only with the own values that were planned', async () => {
    const fleet = await install(3)
    const ids = idsOf(fleet)
    const [one = '', two = '', three = ''] = ids
    const ownOf = (name: string) => ({ [MAIN]: wrapped({ name, password: `${name} secret` }) })
    const bodyOf = (targets: string[], values: JsonObject): JsonObject => ({
      action: 'CONFIGURE',
      targets,
      input: { changes: { [MAIN]: wrapped({ name: 'others' }) }, values },
    })
    const { planToken } = await plan(bodyOf(ids, { [one]: ownOf('one'), [two]: ownOf('two') }))
    assert.ok(!Buffer.from(planToken, 'base64url').toString().includes('secret'))
    for (const values of [
      { [one]: ownOf('another'), [two]: ownOf('two') },
      // a value of another target
      { [one]: ownOf('two'), [two]: ownOf('one') },
      { [one]: ownOf('one') },
      { [one]: ownOf('one'), [two]: ownOf('two'), [three]: ownOf('three') },
    ]) {
      const body = { ...bodyOf(ids, values), planToken }
      const refused = await deps.http.call('/batches', { method: 'POST', body })
      assert.equal(refused.errorCode, 'PLAN_STALE')
      assert.match(JSON.stringify(refused.json), /"path":"body.input"/)
    }
    const untouched = (await deps.configuration(fleet[0]!.scope)).resources[MAIN]?.properties['name']
    const { batchId } = await make({ ...bodyOf([two, three], { [two]: ownOf('two') }), planToken })
    assert.equal((await finished(batchId)).counts.SUCCEEDED, 2)
    assert.deepEqual(
      await Promise.all(
        fleet.map(async ({ scope }) => (await deps.configuration(scope)).resources[MAIN]?.properties['name']),
      ),
      [untouched, wrapped({ name: 'two' })['name'], wrapped({ name: 'others' })['name']],
    )
  })

  it('never shows a sensitive value, and stores it sealed', async () => {
    const fleet = await install(1)
    const input = { changes: { [MAIN]: wrapped({ password: 'hunter2' }) } }
    const body = { action: 'CONFIGURE', title: 'Passwords', targets: idsOf(fleet), input }
    const planned = await plan(body)
    const { batchId } = await make(body)
    const shown = JSON.stringify([planned, await finished(batchId), await itemsOf(batchId)])
    assert.ok(!shown.includes('hunter2'))
    const stored = await deps.db
      .selectFrom('runtime.batch')
      .select(['input', 'shown_input'])
      .where('batch_id', '=', batchId)
      .executeTakeFirstOrThrow()
    assert.ok(!stored.input.toString().includes('hunter2'))
    assert.ok(!JSON.stringify(stored.shown_input).includes('hunter2'))
  })

  it('names the code of the last attempt, as lists of operations do', async () => {
    const [one] = await install(1)
    assert.ok(one)
    deps.plugin.script(() => 'reset')
    const { batchId } = await make(upgradeOf([one]))
    await finished(batchId)
    deps.plugin.script(() => ({ outcome: 'APPLIED' }))
    const [failed] = await itemsOf(batchId)
    const { failure } = await deps.operation(failed?.operationId ?? '')
    assert.deepEqual(
      [failed?.code, failure?.attemptCode, failure?.errorCode],
      ['PLUGIN_UNREACHABLE', 'PLUGIN_UNREACHABLE', 'PLUGIN_RESULT_UNKNOWN'],
    )
  })

  it('hides a value that a later version marks as sensitive, also in the message of a failure', async () => {
    const [one] = await install(1)
    assert.ok(one)
    const failure = { message: 'cannot take swordfish', retryable: false }
    deps.plugin.script(() => ({ errorCode: 'BROKEN', data: failure }))
    const { batchId } = await make({
      action: 'CONFIGURE',
      title: 'Names',
      targets: [one.id],
      input: { changes: { [MAIN]: wrapped({ name: 'swordfish' }) } },
    })
    const batch = await finished(batchId)
    const [failed] = await itemsOf(batchId)
    deps.plugin.script(() => ({ outcome: 'APPLIED' }))
    assert.ok(JSON.stringify(batch.input).includes('swordfish'))
    assert.deepEqual([failed?.code, failed?.message], ['BROKEN', 'cannot take swordfish'])

    const operation = await deps.operation(failed?.operationId ?? '')
    await deps.retry(operation)
    await deps.succeeds(operation.operationId)
    await deps.succeeds(await deps.upgrade(one.id, { targetVersion: '3.0.0' }))
    const items = await itemsOf(batchId)
    assert.equal(items[0]?.code, 'BROKEN')
    assert.ok(
      !JSON.stringify([await read(batchId), await deps.ok('/batches', {}), items]).includes('swordfish'),
    )
  })

  it('checks the permission for every target, and hides targets that a person may not see (G03)', async () => {
    const fleet = await install(2)
    const [mine, other] = fleet
    assert.ok(mine && other)
    const grantFor = (scope: Scope, ...permissions: Grant['permissions']): Grant => ({ permissions, scope })
    const send = (path: string, grants: Grant[], body?: JsonObject) =>
      deps.http.call(path, { ...(body && { method: 'POST', body }), grants, actor: 'bob' })
    const half = [grantFor(mine.scope, 'read', 'installation:upgrade'), grantFor(other.scope, 'read')]
    assert.equal((await send('/batches', half, upgradeOf(fleet))).errorCode, 'PERMISSION_DENIED')
    const blind = [grantFor(mine.scope, 'read', 'installation:upgrade')]
    assert.equal((await send('/batches', blind, upgradeOf(fleet))).errorCode, 'NOT_FOUND')
    const { batchId } = await make(upgradeOf(fleet, { first: 1 }))
    await reaches(batchId, ({ state }) => state === 'PAUSED')
    const summaryFor = async (grants: Grant[]) => (await send(`/batches/${batchId}`, grants)).data['summary']
    assert.equal(await summaryFor(blind), null)
    assert.equal((await read(batchId)).summary?.targets, 2)
    const seen = await send(`/batches/${batchId}/items`, blind)
    assert.deepEqual(
      (seen.data['items'] as { target: string }[]).map(({ target }) => target),
      [mine.id],
    )
    assert.equal((await send(`/batches/${batchId}/continue`, blind, {})).errorCode, 'NOT_FOUND')
    assert.equal((await send(`/batches/${batchId}/stop`, half, {})).errorCode, 'PERMISSION_DENIED')
    const nobody = [grantFor({ ...mine.scope, workspaceId: 9_999 }, 'read')]
    assert.equal((await send(`/batches/${batchId}`, nobody)).errorCode, 'NOT_FOUND')
    assert.ok(!JSON.stringify((await send('/batches', nobody)).data).includes(batchId))
  })

  it('pauses when the grants of its person have expired, and continues for the next person', async () => {
    const fleet = await install(2)
    const { batchId } = await make(upgradeOf(fleet, { first: 1 }))
    await reaches(batchId, ({ state }) => state === 'PAUSED')
    await deps.ok(`/batches/${batchId}/continue`, { method: 'POST', body: {} })
    await finished(batchId)
    const expired = await make(upgradeOf(await install(2), { first: 1 }))
    await reaches(expired.batchId, ({ state }) => state === 'PAUSED')
    await deps.db
      .updateTable('runtime.batch')
      .set({ state: 'RUNNING', is_released: true, grants_until: '2020-01-01T00:00:00Z' })
      .where('batch_id', '=', expired.batchId)
      .execute()
    const paused = await reaches(expired.batchId, ({ state }) => state === 'PAUSED')
    assert.equal(paused.because, 'GRANTS_EXPIRED')
    await deps.ok(`/batches/${expired.batchId}/continue`, { method: 'POST', body: {} })
    assert.equal((await finished(expired.batchId)).counts.SUCCEEDED, 2)
  })

  it('does not wait for an older batch whose item cannot lock what it needs, which is refused in the end', async () => {
    const blocked = await install(1)
    await failInserts('blocked', blocked, PG.lockNotAvailable, 1_000)
    const older = await make(upgradeOf(blocked))
    const newer = await make(upgradeOf(await install(1)))
    assert.equal((await finished(newer.batchId)).counts.SUCCEEDED, 1)
    await finished(older.batchId)
    assert.equal((await itemsOf(older.batchId))[0]?.code, 'BATCH_ITEM_NOT_STARTED')
    assert.deepEqual(await refusalsOf(blocked, older.batchId), [
      [blocked[0]!.id, 'installation.upgrade', 'BATCH_ITEM_NOT_STARTED', null],
    ])
  })

  it('repeats an item immediately after a conflict, which does not count against it', async () => {
    const fleet = await install(1)
    await failInserts('conflict', fleet, PG.serializationFailure, 5)
    const { batchId } = await make(upgradeOf(fleet))
    assert.equal((await finished(batchId)).counts.SUCCEEDED, 1)
    const { start_failures: failures } = await deps.db
      .selectFrom('runtime.batch_item')
      .select('start_failures')
      .where('batch_id', '=', batchId)
      .executeTakeFirstOrThrow()
    assert.equal(failures, 0)
  })
})

describe('the plan of a batch', () => {
  it('reads for each target only what the others do not need too', async () => {
    const fleet = await install(4)
    const vault = await testVault(deps.db)
    const actor = { id: 'ada', name: 'Ada', grants: EVERYTHING, requestId: 'r-1' }
    /** How many statements the plan makes. */
    const statements = async (request: Omit<Parameters<typeof planTargets>[1], 'targets'>, count: number) => {
      let made = 0
      const db = deps.db.withPlugin({
        transformQuery({ node }) {
          made += 1
          return node
        },
        transformResult: async ({ result }) => result,
      })
      const targets = fleet.slice(0, count).map(({ id }) => id)
      const planned = await planTargets({ db, vault, actor, way: { isItem: true } }, { ...request, targets })
      for (const { refusals, changes } of planned.targets)
        assert.deepEqual([refusals, changes.length > 0], [[], request.action !== 'DETACH'])
      return made
    }
    for (const [most, request] of [
      [5, { action: 'CONFIGURE', input: { changes: { [MAIN]: wrapped({ name: 'planned' }) } } }],
      [
        4,
        {
          action: 'UPGRADE',
          input: { targetVersion: '3.0.0', properties: { [MAIN]: wrapped({ name: 'x' }) } },
        },
      ],
      [2, { action: 'DETACH' }],
    ] as const) {
      const more = ((await statements(request, 4)) - (await statements(request, 1))) / 3
      assert.ok(more <= most, `${request.action}: ${more} for each target`)
    }
  })
})
