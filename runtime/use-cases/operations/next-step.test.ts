import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { sql } from 'kysely'
import { NEXT_ACTORS } from '#contract/runtime-api/vocabulary.ts'
import { runtimeApi } from '#contract/runtime-api/rows.ts'
import { SITUATIONS } from '../../model/situations.ts'
import type { Situation } from '../../model/situations.ts'
import { testEngine } from '../../testing/engine.ts'
import type { TestEngine } from '../../testing/engine.ts'
import { planWith } from '../../testing/plan.ts'
import { readSummary } from '../overview/overview.ts'
import { listInstallations } from '../installations/read.ts'
import { listOperations } from './list.ts'

/** A failure that only this situation describes; null for a situation without a failure. */
function failureOf(situation: Situation): object | null {
  const { reasons, statuses, asksToWait, ofPlugin, readsWrites, refusals, states, obstacle } = situation
  if (!states.includes('FAILED')) return null
  const pluginId = obstacle === 'RETIRED' ? 'gone' : obstacle === 'CLEARED' ? 'back' : 'stands'
  const errorPath = ['bundle-runtime', pluginId]
  const common = {
    errorPath,
    errorCode: 'CODE',
    message: 'text',
    retryable: ofPlugin?.retryable ?? true,
  }
  if (ofPlugin !== undefined) return { ...common, ...(readsWrites && { readsWrites }) }
  if (refusals !== undefined)
    return {
      ...common,
      refusedHere: { at: new Date().toISOString(), endpoint: 'RESOLVE', rule: refusals[0], code: 'X' },
    }
  const [reason = obstacle === 'CLEARED' ? 'pluginNotRegistered' : 'callInterrupted'] = reasons ?? []
  // a status that no situation names
  const status = statuses?.[0] ?? 500
  const retryFrom = asksToWait && { retryFrom: new Date().toISOString() }
  return { ...common, ...retryFrom, parameters: { reason, ...(reason === 'callHttpStatus' && { status }) } }
}

suite('the next step in lists', { concurrency: false }, () => {
  let engine: TestEngine
  before(async () => {
    engine = await testEngine()
    await sql`insert into runtime.plugin (plugin_id, title, endpoint, enabled, retired_at, retired_by_id, retired_by_name, retired_reason)
      values ('gone', 'Gone', 'http://127.0.0.1:9/', true, clock_timestamp(), 'ada', 'Ada', 'No longer made'), ('back', 'Back', 'http://127.0.0.1:9/', true, null, null, null, null)`.execute(
      engine.runtime.db,
    )
    await sql`insert into runtime.plugin (plugin_id, title, endpoint, enabled, paused)
      values ('held', 'Held', 'http://127.0.0.1:9/', true, true)`.execute(engine.runtime.db)
    await sql`insert into runtime.bundle_version (bundle_environment_key, bundle_id, version, title, manifest, published_by_id,
        published_by_name, standing, standing_message, standing_at, standing_by_id, standing_by_name)
      values ('source', 'crm', '6.6.6', 'CRM', '{}', 'ada', 'Ada', 'RECALLED', 'It loses data', clock_timestamp(), 'ada', 'Ada')`.execute(
      engine.runtime.db,
    )
    for (const situation of SITUATIONS) {
      const { operation_id } = await engine.freeze({
        installation: await engine.installation(),
        plan: planWith(),
      })
      const [state = 'FAILED'] = situation.states
      const isOver = state === 'SUCCEEDED'
      await sql`update runtime.operation set state = ${state}, failure = ${JSON.stringify(failureOf(situation))}::json,
        phase = ${isOver ? 'DONE' : 'BEFORE_RESOURCES'}, holds_claim = ${!isOver}, finished_at = clock_timestamp(),
        in_doubt_since = case when ${situation.isInDoubt === true} then clock_timestamp() end,
        paused = ${situation.obstacle === 'PAUSED'},
        next_plugin = case when ${situation.obstacle === 'PLUGIN_PAUSED'} then 'held' else next_plugin end,
        target_version = case when ${situation.obstacle === 'RECALLED'} then '6.6.6' else target_version end,
        operation_type = case when ${situation.obstacle === 'RECALLED'} then 'INSTALL' when ${situation.isDetach === true} then 'DETACH' else operation_type end
        where operation_id = ${operation_id}`.execute(engine.runtime.db)
    }
  })
  after(() => engine.close())

  const context = () => ({ deps: engine.deps, actor: engine.runtime.actor })
  const list = async (query: object) => {
    const parsed = runtimeApi['GET /operations'].query.parse({ limit: '200', ...query })
    return (await listOperations(context(), { params: {}, query: parsed, body: undefined })).items
  }

  test('a filter returns exactly the operations that show the actor or the action', async () => {
    const all = await list({})
    assert.equal(all.length, SITUATIONS.length)
    for (const { actor, action } of SITUATIONS) {
      const ids = (shown: (step: { actor: string; action: string }) => boolean) =>
        all.filter(({ nextStep }) => shown(nextStep)).map(({ operationId }) => operationId)
      const filtered = async (query: object) => (await list(query)).map(({ operationId }) => operationId)
      const isActor = (step: { actor: string }) => step.actor === actor
      const isAction = (step: { action: string }) => step.action === action
      assert.deepEqual(await filtered({ nextActor: actor }), ids(isActor), actor)
      assert.deepEqual(await filtered({ nextAction: action }), ids(isAction), action)
      assert.ok(ids((step) => isActor(step) && isAction(step)).length > 0, `${actor} ${action}`)
    }
    const several = await list({ nextActor: 'SUPPORT,ADMINISTRATOR' })
    assert.deepEqual(
      new Set(several.map(({ nextStep }) => nextStep.actor)),
      new Set(['SUPPORT', 'ADMINISTRATOR']),
    )
  })

  test('the summary counts the operations that are not over', async () => {
    const { nextSteps } = await readSummary(context(), { params: {}, query: {}, body: undefined })
    const all = await list({})
    for (const actor of NEXT_ACTORS.filter((name) => name !== 'NOBODY')) {
      const counted = nextSteps.reduce((sum, step) => (step.actor === actor ? sum + step.count : sum), 0)
      assert.equal(counted, all.filter(({ nextStep }) => nextStep.actor === actor).length, actor)
    }
    assert.equal(nextSteps.filter(({ actor }) => actor === 'NOBODY').length, 0)
  })

  test('an installation has the next step of the operation that claims it', async () => {
    const query = runtimeApi['GET /installations'].query.parse({ limit: '200' })
    const { items } = await listInstallations(context(), { params: {}, query, body: undefined })
    const steps = new Map((await list({})).map(({ operationId, nextStep }) => [operationId, nextStep]))
    for (const { claim, nextStep } of items)
      assert.deepEqual(
        nextStep,
        claim === null
          ? { actor: 'NOBODY', action: 'NONE', since: nextStep.since }
          : steps.get(claim.operationId),
      )
    assert.equal(items.filter(({ claim }) => claim !== null).length, SITUATIONS.length - 1)
  })

  test('the filter by error code means the code of the last attempt', async () => {
    const [one] = await list({ state: 'FAILED' })
    assert.ok(one)
    const failure = {
      errorCode: 'PLUGIN_RESULT_UNKNOWN',
      attemptCode: 'BUSY',
      message: 'text',
      retryable: true,
    }
    await sql`update runtime.operation set failure = ${JSON.stringify(failure)}::json
      where operation_id = ${one.operationId}::uuid`.execute(engine.runtime.db)
    const found = async (errorCode: string) =>
      (await list({ errorCode })).map(({ operationId }) => operationId)
    assert.deepEqual(await found('BUSY'), [one.operationId])
    assert.ok(!(await found('PLUGIN_RESULT_UNKNOWN')).includes(one.operationId))
    const { items } = await listOperations(context(), {
      params: {},
      query: runtimeApi['GET /operations'].query.parse({ q: 'BUSY' }),
      body: undefined,
    })
    assert.deepEqual(
      items.map(({ operationId }) => operationId),
      [one.operationId],
    )
  })

  test('what the failure names may be in order again, and then support retries', async () => {
    const { db } = engine.runtime
    const [one] = await list({ state: 'FAILED' })
    assert.ok(one)
    const failsWith = (failure: object) =>
      sql`update runtime.operation set failure = ${JSON.stringify({
        errorCode: 'CODE',
        message: 'text',
        retryable: true,
        errorPath: ['bundle-runtime', 'back'],
        ...failure,
      })}::json, operation_type = 'CONFIGURE', finished_at = '2026-01-31T08:00:00Z'
        where operation_id = ${one.operationId}::uuid`.execute(db)
    const step = async () => {
      const found = (await list({})).find(({ operationId }) => operationId === one.operationId)
      const claim = (
        await listInstallations(context(), {
          params: {},
          query: runtimeApi['GET /installations'].query.parse({ limit: '200' }),
          body: undefined,
        })
      ).items.find((installation) => installation.claim?.operationId === one.operationId)
      assert.deepEqual(claim?.nextStep, found?.nextStep)
      return `${found?.nextStep.actor} ${found?.nextStep.action}`
    }
    const lead = (since: string, endpoint: string) =>
      sql`insert into runtime.plugin_endpoint (plugin_id, since, endpoint) values ('back', ${since}, ${endpoint})`.execute(
        db,
      )

    await sql`delete from runtime.plugin_endpoint where plugin_id = 'back'`.execute(db)
    await lead('2026-01-30T08:00:00Z', 'http://a/')
    await failsWith({ parameters: { reason: 'callHostUnknown' } })
    assert.equal(await step(), 'ADMINISTRATOR FIX_ENDPOINT')
    await lead('2026-01-31T09:00:00Z', 'http://b/')
    assert.equal(await step(), 'SUPPORT RETRY')
    await failsWith({ parameters: { reason: 'callHttpStatus', status: 404 } })
    assert.equal(await step(), 'SUPPORT RETRY')
    // what the plugin itself says is not about its endpoint
    await failsWith({ parameters: { reason: 'callHttpStatus', status: 500 } })
    assert.equal(await step(), 'PLUGIN_OWNER CHECK_PLUGIN')
    await failsWith({ parameters: { reason: 'callTlsExpired' } })
    await lead('2026-01-31T10:00:00Z', 'http://a/')
    assert.equal(await step(), 'PLUGIN_OWNER FIX_TLS', 'the endpoint was changed back')

    await failsWith({ parameters: { reason: 'pluginRetired' } })
    assert.equal(await step(), 'SUPPORT RETRY', 'it was reinstated')
    await failsWith({ parameters: { reason: 'callTimeout', seconds: 1.5 } })
    assert.equal(await step(), 'SUPPORT RETRY', 'the timeout is longer')
    await sql`update runtime.plugin set timeout_ms = 1500 where plugin_id = 'back'`.execute(db)
    assert.equal(await step(), 'PLUGIN_OWNER CHECK_PLUGIN')

    const refusedHere = (rule: string) => ({
      refusedHere: { at: '2026-01-31T08:00:00.000Z', endpoint: 'RESOLVE', rule, code: 'X', service: 'mail' },
    })
    await failsWith(refusedHere('CREDENTIAL_REVOKED'))
    assert.equal(await step(), 'ADMINISTRATOR CREATE_CREDENTIAL')
    await sql`insert into runtime.plugin_credential (credential_id, plugin_id, secret_hash)
      values (gen_random_uuid(), 'back', 'x')`.execute(db)
    assert.equal(await step(), 'SUPPORT RETRY')
    await failsWith(refusedHere('SERVICE_DISABLED'))
    assert.equal(await step(), 'ADMINISTRATOR RESTORE_SERVICE')
    await sql`insert into runtime.service (service_id, title, url, methods, consumers, enabled)
      values ('mail', 'Mail', 'http://127.0.0.1:9/', '[]', '[]', true)`.execute(db)
    assert.equal(await step(), 'SUPPORT RETRY')
    await failsWith(refusedHere('PLUGIN_DISABLED'))
    assert.equal(await step(), 'SUPPORT RETRY')
    await sql`update runtime.plugin set enabled = false where plugin_id = 'back'`.execute(db)
    assert.equal(await step(), 'ADMINISTRATOR REGISTER_PLUGIN')
  })
})
