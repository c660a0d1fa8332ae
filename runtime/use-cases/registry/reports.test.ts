import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { inTransaction } from '#database/transaction.ts'
import type { Grant } from '#contract/endpoint/permission.ts'
import { wrapData } from '#contract/protocol/data.ts'
import { PluginCheckReport } from '#contract/protocol/plugin-check-report.ts'
import type { MessageReason } from '#contract/protocol/platform-messages.ts'
import type { PluginPolicyName } from '#contract/runtime-api/vocabulary.ts'
import { DomainError } from '../../engine/refusals.ts'
import { CORE, crm, SCOPE, startInstall } from '../../testing/bundles.ts'
import { refused } from '../../testing/runtime.ts'
import { startSavingHarness } from '../../testing/saves.ts'
import type { SavingHarness } from '../../testing/saves.ts'
import { savePluginRow } from '../../store/plugins/plugins.ts'
import { detach, planDetach } from '../installations/detach.ts'
import { install, planInstall } from '../installations/install.ts'
import { planUpgrade } from '../installations/upgrade.ts'
import { retryOperation } from '../operations/runs.ts'
import { planTakeover, takeOverOperation } from '../operations/take-over.ts'
import { readPlugin } from './plugins.ts'
import { listPolicies, listReports, readReport, savePolicy, uploadReport } from './reports.ts'

let deps: SavingHarness
before(async () => {
  deps = await startSavingHarness()
})
after(() => deps.runtime.close())

const { environmentKey } = SCOPE
const params = { pluginId: 'tenants' }
const setPolicy = (policy: PluginPolicyName) =>
  deps.runtime.write((context) =>
    savePolicy(context, { params: { environmentKey }, query: {}, body: { policy } }),
  )
const register = (version: string | null = null) =>
  inTransaction(deps.runtime.db, (tx) =>
    savePluginRow(
      tx,
      { plugin_id: 'tenants', title: 'Tenants', endpoint: 'http://127.0.0.1:9/', enabled: true, version },
      { mustBeNew: false },
    ),
  )

type Status = PluginCheckReport['cases'][number]['status']
const caseOf = (id: string, level: 'MUST' | 'SHOULD', status: Status) => ({
  id,
  title: id,
  level,
  fix: 'Fix it.',
  status,
  problem: status === 'PASSED' ? null : 'It differs.',
})
const reportOf = (more: Partial<PluginCheckReport> = {}): PluginCheckReport => ({
  format: 'bundle-console/plugin-check-report',
  version: 1,
  checkerVersion: '0.1.0',
  pluginId: 'tenants',
  complete: true,
  startedAt: '2026-11-23T05:00:00.000Z',
  cases: [
    caseOf('echo.all', 'MUST', 'PASSED'),
    caseOf('late.call', 'MUST', 'NOT_TESTED'),
    caseOf('say.why', 'SHOULD', 'FAILED'),
  ],
  ...more,
})
const failing = () => reportOf({ cases: [caseOf('echo.all', 'MUST', 'FAILED')] })
const upload = (report: PluginCheckReport, version = '1.0.0') =>
  deps.runtime.write((context) =>
    uploadReport(context, { params: { ...params, version }, query: {}, body: { report } }),
  )
const read = (version: string) =>
  readReport(deps.runtime.read, { params: { ...params, version }, query: {}, body: undefined })
const reasonsOf = (problems: readonly { parameters?: Record<string, unknown> | undefined }[]) =>
  problems.map(({ parameters }) => parameters?.['reason'])

const because = (reason: MessageReason) => (error: unknown) => {
  assert.ok(refused('PLUGIN_NOT_CHECKED')(error) && error instanceof DomainError)
  assert.deepEqual(reasonsOf(error.details), [reason])
  return true
}
const rename = { [CORE]: { name: wrapData('B') } }

let workspaces = 5000
const installBody = () => ({
  scope: { ...SCOPE, workspaceId: workspaces++ },
  bundle: crm.bundle,
  targetVersion: '1.0.0',
  properties: { [CORE]: { name: wrapData('Acme'), password: wrapData('hunter2') } },
})

describe('reports', () => {
  before(() => register('1.0.0'))

  it('pass if every case was run and no MUST failed or was blocked', async () => {
    assert.equal((await upload(reportOf())).passed, true)
    const rejected = [
      failing(),
      reportOf({ cases: [caseOf('a.b', 'MUST', 'PASSED'), caseOf('c.d', 'MUST', 'BLOCKED')] }),
      reportOf({ cases: [caseOf('a.b', 'MUST', 'NOT_TESTED')] }),
      reportOf({ cases: [] }),
      reportOf({ complete: false }),
      reportOf({ complete: undefined }),
    ]
    for (const report of rejected) assert.equal((await upload(report)).passed, false)
  })

  it('have each case once', () => {
    const twice = reportOf({ cases: [caseOf('a.b', 'MUST', 'PASSED'), caseOf('a.b', 'MUST', 'PASSED')] })
    assert.equal(PluginCheckReport.safeParse(reportOf()).success, true)
    assert.match(
      String(PluginCheckReport.safeParse(twice).error?.issues[0]?.message),
      /Must not have a case twice/,
    )
  })

  it('keep the last one of each version, listed with totals; one is read with what did not pass', async () => {
    await upload(failing(), '1.0.0')
    await upload(reportOf(), '1.0.0')
    await upload(failing(), '2.0.0')
    const { items } = await listReports(deps.runtime.read, { params, query: {}, body: undefined })
    assert.deepEqual(
      items.map(({ version, passed, totals }) => [version, passed, totals]),
      [
        ['2.0.0', false, { PASSED: 0, FAILED: 1, BLOCKED: 0, NOT_TESTED: 0 }],
        ['1.0.0', true, { PASSED: 1, FAILED: 1, BLOCKED: 0, NOT_TESTED: 1 }],
      ],
    )
    const { findings, ...detail } = await read('1.0.0')
    assert.deepEqual(detail, items[1])
    assert.deepEqual(
      findings.map(({ id, status }) => [id, status]),
      [
        ['say.why', 'FAILED'],
        ['late.call', 'NOT_TESTED'],
      ],
    )
    await assert.rejects(read('7.0.0'), refused('NOT_FOUND'))
    assert.deepEqual(
      [items[1]?.checkerVersion, items[1]?.uploadedBy.name, items[1]?.digest.length],
      ['0.1.0', 'Ada', 64],
    )
    assert.notEqual(items[0]?.digest, items[1]?.digest)
  })

  it('are those of the plugin and of the version that they name', async () => {
    const isAbout = (parameters: Record<string, string>, path: string) => (error: unknown) => {
      assert.ok(refused('REQUEST_INVALID')(error) && error instanceof DomainError)
      assert.deepEqual(error.parameters, parameters)
      assert.deepEqual(
        error.details.map((detail) => [detail.path, detail.parameters]),
        [[path, parameters]],
      )
      return true
    }
    await assert.rejects(
      upload(reportOf({ pluginId: 'mailer' })),
      isAbout(
        { reason: 'reportOfOtherPlugin', reported: 'mailer', plugin: 'tenants' },
        'body.report.pluginId',
      ),
    )
    await assert.rejects(
      upload(reportOf({ pluginVersion: '1.0.1' })),
      isAbout(
        { reason: 'reportOfOtherVersion', reported: '1.0.1', version: '1.0.0' },
        'body.report.pluginVersion',
      ),
    )
    await upload(reportOf({ pluginVersion: '1.0.0' }))
  })

  it('decide the check of the registered version only', async () => {
    const checkOf = async () =>
      (await readPlugin(deps.runtime.read, { params, query: {}, body: undefined })).check
    assert.equal(await checkOf(), 'PASSED')
    await register('2.0.0')
    assert.equal(await checkOf(), 'NOT_PASSED')
    await register('3.0.0')
    assert.equal(await checkOf(), 'NONE')
    await register()
    assert.equal(await checkOf(), 'NONE')
  })
})

describe('the policy of an environment', () => {
  const at = (bundleInstallId: string) => ({ params: { bundleInstallId }, query: {} })
  const plan = () => planInstall(deps.runtime.read, { params: {}, query: {}, body: installBody() })
  const start = (body: ReturnType<typeof installBody> & { planToken?: string } = installBody()) =>
    deps.runtime.write((context) => install(context, { params: {}, query: {}, body }))

  before(async () => {
    await register('1.0.0')
    await upload(failing())
  })
  after(() => setPolicy('IGNORE'))

  it('is listed for who reads something there, and audited with the one before (G04)', async () => {
    await setPolicy('WARN')
    await setPolicy('REFUSE')
    const { read } = deps.runtime
    const { items } = await listPolicies(read)
    assert.deepEqual(items, [{ environmentKey, policy: 'REFUSE' }])
    const grants: Grant[] = [{ permissions: ['read'], scope: { environmentKey: 'elsewhere' } }]
    assert.deepEqual((await listPolicies({ ...read, actor: { ...read.actor, grants } })).items, [])
    const entries = await deps.runtime.db
      .selectFrom('runtime.audit_entry')
      .select('changes')
      .where('action', '=', 'plugin.policy')
      .execute()
    assert.match(JSON.stringify(entries), /WARN.*REFUSE/)
  })

  it('IGNORE says nothing; WARN shows it in the plan and starts', async () => {
    await setPolicy('IGNORE')
    assert.equal((await plan()).stages[0]?.calls[0]?.unchecked, undefined)
    await setPolicy('WARN')
    const warned = await plan()
    assert.deepEqual(warned.problems, [])
    assert.deepEqual(warned.stages[0]?.calls[0]?.unchecked, {
      version: '1.0.0',
      policy: 'WARN',
      reason: 'NOT_PASSED',
    })
    await start()
  })

  it('REFUSE refuses an install, an upgrade and a save, and says why; never a detach', async () => {
    await setPolicy('IGNORE')
    const { crm: id, scope, snapshotVersion } = await deps.newScope()
    await setPolicy('REFUSE')
    assert.deepEqual(reasonsOf((await plan()).problems), ['pluginReportNotPassed'])
    await assert.rejects(start(), because('pluginReportNotPassed'))
    await register('9.0.0')
    await assert.rejects(deps.save(scope, snapshotVersion, rename), because('pluginReportMissing'))
    const planned = await deps.plan(scope, snapshotVersion, rename)
    assert.deepEqual(reasonsOf(planned.problems), ['pluginReportMissing'])
    assert.equal(planned.installations[0]?.stages[0]?.calls[0]?.unchecked?.policy, 'REFUSE')
    await register()
    await assert.rejects(deps.save(scope, snapshotVersion, rename), because('pluginVersionUnknown'))
    await deps.runtime.publish({ ...crm, version: '2.0.0' })
    const upgraded = await planUpgrade(deps.runtime.read, { ...at(id), body: { targetVersion: '2.0.0' } })
    assert.deepEqual(reasonsOf(upgraded.problems), ['pluginVersionUnknown'])
    const detached = await planDetach(deps.runtime.read, { ...at(id), body: undefined })
    assert.deepEqual(detached.problems, [])
    await deps.runtime.write((context) => detach(context, { ...at(id), body: { reason: 'Not needed' } }))
    await register('1.0.0')
  })

  it('names a plugin once in a save over two installations', async () => {
    await setPolicy('IGNORE')
    const [resource] = crm.resources
    assert.ok(resource?.kind === 'MODULE')
    const sibling = { ...crm, bundle: { ...crm.bundle, bundleId: 'crm-b' }, resources: [resource] }
    await deps.runtime.publish(sibling)
    const { scope } = await deps.newScope()
    const locator = 'dev/crm-b/MODULE/core'
    const properties = { [locator]: { name: wrapData('Acme') } }
    const { operation } = await startInstall(deps.runtime, sibling, { scope, properties })
    await deps.runtime.succeed(operation.operationId, { [locator]: { tenantId: wrapData('t-2') } })
    const { snapshotVersion } = await deps.read(scope)
    await setPolicy('REFUSE')
    const both = { ...rename, [locator]: { name: wrapData('B') } }
    const planned = await deps.plan(scope, snapshotVersion, both)
    assert.equal(planned.installations.length, 2)
    assert.deepEqual(reasonsOf(planned.problems), ['pluginReportNotPassed'])
    await assert.rejects(deps.save(scope, snapshotVersion, both), (error) => {
      assert.ok(because('pluginReportNotPassed')(error) && error instanceof DomainError)
      // one problem keeps its parameters, so that a console can translate it
      assert.equal(error.parameters?.['plugin'], 'tenants')
      return true
    })
  })

  it('starts with a passing report of the registered version', async () => {
    await setPolicy('REFUSE')
    await upload(reportOf())
    assert.equal((await plan()).stages[0]?.calls[0]?.unchecked, undefined)
    await start()
    await upload(failing())
  })

  it('does not stop what was accepted: a retry and a takeover', async () => {
    await setPolicy('IGNORE')
    const { operation } = await start()
    await setPolicy('REFUSE')
    const { operationId } = operation
    const input = { params: { operationId }, query: {} }
    await deps.runtime.fail(operationId)
    await deps.runtime.write((context) => retryOperation(context, { ...input, body: { run: 1 } }))
    await deps.runtime.fail(operationId)
    const body = { run: 2, reason: 'stuck' }
    assert.deepEqual((await planTakeover(deps.runtime.read, { ...input, body: { run: 2 } })).problems, [])
    await deps.runtime.write((context) => takeOverOperation(context, { ...input, body }))
  })

  it('is part of the plan token', async () => {
    await setPolicy('IGNORE')
    const body = installBody()
    const planned = await planInstall(deps.runtime.read, { params: {}, query: {}, body })
    const planToken = planned.planToken ?? ''
    await setPolicy('WARN')
    await assert.rejects(start({ ...body, planToken }), refused('PLAN_STALE'))
    await setPolicy('IGNORE')
    await upload(reportOf())
    await start({ ...body, planToken })
  })
})
