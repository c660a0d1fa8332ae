import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Grant } from '#contract/endpoint/permission.ts'
import type { JsonObject } from '#contract/json-schema/json.ts'
import { Batch, BatchPlan } from '#contract/runtime-api/batches.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { scopeText } from '#contract/protocol/scope-text.ts'
import { readItems, untilBatch } from '../testing/batches.ts'
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

const secret = { ...TEXT, isSensitive: true } as const
const desk = bundleOf('desk', {
  resources: [moduleOf('main', { region: { ...TEXT, required: true }, password: secret })],
  plugins: [bindingOf('desks', 1, { main: { reads: ['region'] } })],
})
const MAIN = locatorOf(desk, 'main')

let deps: RuleHarness
before(async () => {
  deps = await startRuleHarness()
  await deps.register('desks')
  await deps.publish(desk)
})
after(() => deps.close())

const newScopes = (count: number): Scope[] => Array.from({ length: count }, () => deps.newScope())
const installIn = (scopes: readonly Scope[], more: JsonObject = {}): JsonObject => ({
  action: 'INSTALL',
  targets: scopes.map(scopeText),
  input: {
    bundle: desk.bundle,
    targetVersion: '1.0.0',
    properties: { [MAIN]: wrapped({ region: 'eu' }) },
  },
  ...more,
})
const send = (path: string, body: JsonObject, more: { grants?: Grant[] } = {}) =>
  deps.http.call(path, { method: 'POST', body, ...more })
const make = async (body: JsonObject): Promise<Batch> =>
  Batch.parse((await deps.ok('/batches', { method: 'POST', body }))['batch'])
const plan = async (body: JsonObject): Promise<BatchPlan> =>
  BatchPlan.parse(await deps.ok('/batches/plan', { method: 'POST', body }))
const itemsOf = (id: string) => readItems(deps, id)
const reaches = (id: string, isReached: (batch: Batch) => boolean) => untilBatch(deps, id, isReached)
const finished = (id: string) => reaches(id, ({ finishedAt }) => finishedAt !== null)

describe('a batch of installs', () => {
  it('checks the values that it gives within one budget for all of its targets (C07)', async () => {
    const schema = { items: { enum: Array.from({ length: 10_000 }, (_, index) => index) } }
    const slow = bundleOf('slow', { resources: [moduleOf('main', { list: { kind: 'DATA', schema } })] })
    await deps.publish(slow)
    const list = Array.from({ length: 1000 }, () => 0)
    const { items } = await plan({
      action: 'INSTALL',
      targets: newScopes(13).map(scopeText),
      input: {
        bundle: slow.bundle,
        targetVersion: '1.0.0',
        properties: { [locatorOf(slow, 'main')]: wrapped({ list }) },
      },
    })
    const reasons = items.map(({ problems }) => problems.map(({ parameters }) => parameters?.['reason']))
    assert.deepEqual(reasons, [...Array.from({ length: 12 }, () => []), ['valuesTooCostly']])
  })

  it('installs into every scope, with values for all of them and of their own', async () => {
    const scopes = newScopes(3)
    const [, second] = scopes as [Scope, Scope, Scope]
    const { input } = installIn(scopes) as { input: JsonObject }
    const values = { [scopeText(second)]: { [MAIN]: wrapped({ region: 'us', password: 'hunter2' }) } }
    const body = installIn(scopes, { input: { ...input, values } })
    const planned = await plan(body)
    assert.deepEqual(
      planned.items.map(({ target, installation, title, values: set, plugins }) => [
        target,
        installation,
        title,
        set.map(({ property, after: value }) => [property, value]),
        plugins,
      ]),
      scopes.map((scope) => [
        scopeText(scope),
        null,
        desk.title,
        scope === second
          ? [
              ['region', wrapped({ region: 'us' })['region']],
              ['password', { '@type': 'Data', isSensitive: true, isSet: true }],
            ]
          : [['region', wrapped({ region: 'eu' })['region']]],
        ['desks'],
      ]),
    )
    const made = await make({ ...body, reason: 'New region', planToken: planned.planToken })
    assert.deepEqual(made.summary, {
      targets: 3,
      bundleCount: 1,
      bundles: [{ bundleId: 'desk', title: desk.title, targets: 3, versions: [] }],
    })
    assert.deepEqual(made.input.bundle, desk.bundle)
    const done = await finished(made.batchId)
    assert.deepEqual([done.state, done.counts.SUCCEEDED], ['DONE', 3])
    const items = await itemsOf(made.batchId)
    assert.deepEqual(
      items.map(({ target }) => target),
      scopes.map(scopeText),
    )
    for (const [index, { installation, operationId }] of items.entries()) {
      assert.ok(installation !== null)
      const { state, version } = await deps.installation(installation.bundleInstallId)
      assert.deepEqual([state, version], ['ACTIVE', '1.0.0'])
      const operation = await deps.operation(operationId ?? '')
      assert.deepEqual([operation.operationType, operation.reason], ['INSTALL', 'New region'])
      const { resources } = await deps.configuration(scopes[index]!)
      assert.deepEqual(
        resources[MAIN]?.properties['region'],
        wrapped({ region: index === 1 ? 'us' : 'eu' })['region'],
      )
    }
    assert.ok(!JSON.stringify([planned, made, items]).includes('hunter2'))
  })

  it('names the scope of an item until its installation exists', async () => {
    const scopes = newScopes(2)
    const { batchId } = await make(installIn(scopes, { first: 1 }))
    await reaches(batchId, ({ state }) => state === 'PAUSED')
    const [first, second] = await itemsOf(batchId)
    assert.ok(first?.installation)
    assert.deepEqual([first.phase, second?.phase], ['DONE', undefined])
    assert.deepEqual(
      [second?.state, second?.installation, second?.scope, second?.bundle, second?.title],
      ['PENDING', null, scopes[1], desk.bundle, desk.title],
    )
    await deps.ok(`/batches/${batchId}/continue`, { method: 'POST', body: {} })
    assert.equal((await finished(batchId)).counts.SUCCEEDED, 2)
    assert.ok((await itemsOf(batchId)).every(({ installation }) => installation !== null))
  })

  it('says where it is refused and why, and installs into the other scopes', async () => {
    const [taken, free] = newScopes(2) as [Scope, Scope]
    await deps.installed(desk, { scope: taken, properties: { [MAIN]: wrapped({ region: 'eu' }) } })
    const body = installIn([taken, free])
    const planned = await plan(body)
    assert.deepEqual(
      planned.items.map(({ problems }) => problems.map(({ errorCode }) => errorCode)),
      [['INSTALLATION_EXISTS'], []],
    )
    const { batchId } = await make({ ...body, planToken: planned.planToken })
    const { counts } = await finished(batchId)
    assert.deepEqual([counts.REFUSED, counts.SUCCEEDED], [1, 1])
    const audited = await deps.db
      .selectFrom('runtime.audit_entry')
      .selectAll()
      .where('request_id', '=', batchId)
      .where('outcome', '=', 'REFUSED')
      .execute()
    assert.deepEqual(
      audited.map(({ action, subject, workspace_id, error_code }) => [
        action,
        subject,
        workspace_id,
        error_code,
      ]),
      [['installation.install', scopeText(taken), taken.workspaceId, 'INSTALLATION_EXISTS']],
    )
  })

  it('makes no scope of a target that it refuses or skips', async () => {
    const [lacking, started, skipped] = newScopes(3) as [Scope, Scope, Scope]
    const values = Object.fromEntries(
      [started, skipped].map((scope) => [scopeText(scope), { [MAIN]: wrapped({ region: 'us' }) }]),
    )
    const input = { bundle: desk.bundle, targetVersion: '1.0.0', values }
    const { batchId } = await make(installIn([lacking, started, skipped], { input, first: 1 }))
    await reaches(batchId, ({ state }) => state === 'PAUSED')
    await deps.ok(`/batches/${batchId}/stop`, { method: 'POST', body: {} })
    const { counts } = await finished(batchId)
    assert.deepEqual([counts.REFUSED, counts.SUCCEEDED, counts.SKIPPED], [1, 1, 1])
    assert.deepEqual(
      (await itemsOf(batchId)).map(({ target, scope, installation }) => [
        target,
        scope,
        installation !== null,
      ]),
      [lacking, started, skipped].map((scope) => [scopeText(scope), scope, scope === started]),
    )
    const made = await deps.db
      .selectFrom('runtime.scope')
      .select('workspace_id')
      .where(
        'workspace_id',
        'in',
        [lacking, started, skipped].map(({ workspaceId }) => workspaceId),
      )
      .execute()
    assert.deepEqual(made, [{ workspace_id: started.workspaceId }])
    const seen = async (scope: Scope) =>
      (await deps.http.call(`/batches/${batchId}`, { grants: [{ permissions: ['read'], scope }] })).data[
        'counts'
      ]
    assert.equal(((await seen(lacking)) as Batch['counts']).REFUSED, 1)
    assert.equal(((await seen(skipped)) as Batch['counts']).SKIPPED, 1)
    const audited = await deps.db
      .selectFrom('runtime.audit_entry')
      .select(['action', 'subject'])
      .where('subject', 'like', `%${batchId}%`)
      .orderBy('sequence')
      .execute()
    assert.deepEqual(
      audited.map(({ action, subject }) => [action, subject]),
      ['batch.create', 'batch.stop'].map((action) => [action, `INSTALL 3 ${batchId} of ${desk.title}`]),
    )
  })

  it('refuses an item whose scope got the bundle before its turn', async () => {
    const scopes = newScopes(2)
    const { batchId } = await make(installIn(scopes, { first: 1 }))
    await reaches(batchId, ({ state }) => state === 'PAUSED')
    await deps.installed(desk, { scope: scopes[1]!, properties: { [MAIN]: wrapped({ region: 'us' }) } })
    await deps.ok(`/batches/${batchId}/continue`, { method: 'POST', body: {} })
    await finished(batchId)
    const [, late] = await itemsOf(batchId)
    assert.deepEqual([late?.state, late?.code, late?.installation], ['REFUSED', 'INSTALLATION_EXISTS', null])
  })

  it('names the values that a scope lacks', async () => {
    const scopes = newScopes(2)
    const values = { [scopeText(scopes[1]!)]: { [MAIN]: wrapped({ region: 'us' }) } }
    const planned = await plan(
      installIn(scopes, { input: { bundle: desk.bundle, targetVersion: '1.0.0', values } }),
    )
    assert.deepEqual(
      planned.items.map(({ problems }) => problems.map(({ property }) => property)),
      [['region'], []],
    )
  })

  it('has its failed operations retried like every batch', async () => {
    deps.plugin.script(() => ({ outcome: 'FAILED' }))
    const { batchId } = await make(installIn(newScopes(1)))
    assert.equal((await finished(batchId)).counts.FAILED, 1)
    deps.plugin.script(() => ({ outcome: 'APPLIED' }))
    const [item] = await itemsOf(batchId)
    const retry = await make({ action: 'RETRY', targets: [item?.operationId ?? ''] })
    assert.equal((await finished(retry.batchId)).counts.SUCCEEDED, 1)
    assert.equal((await deps.installation(item?.installation?.bundleInstallId ?? '')).state, 'ACTIVE')
  })

  it('needs the permission to install in every scope, and hides scopes that may not be seen', async () => {
    const [mine, other, unseen] = newScopes(3) as [Scope, Scope, Scope]
    const grants: Grant[] = [
      { permissions: ['read', 'installation:install'], scope: mine },
      { permissions: ['read'], scope: other },
    ]
    const planned = await send('/batches/plan', installIn([mine, other]), { grants })
    const { items } = BatchPlan.parse(planned.data)
    assert.deepEqual(
      items.map(({ problems }) => problems.map(({ errorCode }) => errorCode)),
      [[], ['PERMISSION_DENIED']],
    )
    const codeOf = async (scopes: Scope[]) =>
      (await send('/batches', installIn(scopes), { grants })).errorCode
    assert.equal(await codeOf([mine, other]), 'PERMISSION_DENIED')
    assert.equal(await codeOf([mine, unseen]), 'NOT_FOUND')
  })

  it('refuses targets that are not scopes, and values of a scope that is not a target', async () => {
    const [scope, other] = newScopes(2) as [Scope, Scope]
    for (const targets of [
      ['prod/shop'],
      ['prod/shop/01'],
      ['a b/shop/1'],
      [scopeText(scope), scopeText(scope)],
    ])
      assert.equal((await send('/batches', installIn([scope], { targets }))).errorCode, 'REQUEST_INVALID')
    const values = { [scopeText(other)]: { [MAIN]: wrapped({ region: 'us' }) } }
    const foreign = { input: { bundle: desk.bundle, targetVersion: '1.0.0', values } }
    assert.equal((await send('/batches', installIn([scope], foreign))).errorCode, 'REQUEST_INVALID')
  })
})
