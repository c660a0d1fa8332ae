import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { sql } from 'kysely'
import { platformMessage } from '#contract/protocol/platform-messages.ts'
import type { Failure } from '#contract/runtime-api/common.ts'
import { runtimeApi } from '#contract/runtime-api/rows.ts'
import { engineSteps, testEngine } from '../../testing/engine.ts'
import type { TestEngine } from '../../testing/engine.ts'
import { planWith } from '../../testing/plan.ts'
import { countFailureHours, listFailureGroups } from './failure-groups.ts'
import { listOperations } from './list.ts'

const errorPath = ['bundle-runtime', 'hooks']
const locked = (message: string): Failure => ({
  errorCode: 'MAILBOX_LOCKED',
  message,
  retryable: false,
  errorPath,
})
const status = (code: number): Failure => ({
  errorCode: 'PLUGIN_RESULT_UNKNOWN',
  ...platformMessage('callHttpStatus', { plugin: 'hooks', status: code }),
  retryable: true,
  errorPath,
})

suite('failure groups', { concurrency: false }, () => {
  let engine: TestEngine
  before(async () => {
    engine = await testEngine()
  })
  after(() => engine.close())

  /** An operation that failed like this, in a separate scope. */
  const failed = async (failure: Failure) => {
    const operation = await engine.freeze({ installation: await engine.installation(), plan: planWith() })
    await sql`update runtime.operation set state = 'FAILED', failure = ${JSON.stringify(failure)}::json,
      finished_at = clock_timestamp() where operation_id = ${operation.operation_id}`.execute(
      engine.runtime.db,
    )
    return operation
  }
  const context = (grants = engine.runtime.actor.grants) => ({
    deps: engine.deps,
    actor: { ...engine.runtime.actor, grants },
  })
  const groups = (query: object = {}, asked = context()) =>
    listFailureGroups(asked, {
      params: {},
      query: runtimeApi['GET /failure-groups'].query.parse(query),
      body: undefined,
    })
  const operationsOf = async (key: string) => {
    const query = runtimeApi['GET /operations'].query.parse({ failureGroup: key })
    const { items } = await listOperations(context(), { params: {}, query, body: undefined })
    return items.map(({ operationId }) => operationId)
  }

  test('contain the operations with the same cause, whatever ids, numbers and values the message names', async () => {
    const first = await failed(locked('The mailbox "a@example.com" is locked by migration 7.'))
    const second = await failed(locked('The mailbox "b@example.com" is locked by migration 1234.'))
    const other = await failed(locked('The mailbox is full.'))
    const statuses = [await failed(status(401)), await failed(status(500))]
    const stopped = await failed({
      ...status(500),
      stopped: { by: { id: 'sam', name: 'Sam' }, reason: 'no' },
    })

    const { groups: all } = await groups()
    assert.equal(all.length, 5)
    const [largest] = all
    assert.equal(largest?.count, 2)
    assert.equal(largest?.scopes, 2)
    assert.equal(largest?.pluginId, 'hooks')
    assert.equal(largest?.shape, 'The mailbox … is locked by migration #.')
    assert.equal(largest?.latest.operationId, second.operation_id)
    assert.deepEqual(largest?.versions, [first.target_version])
    assert.ok(largest.firstAt < largest.lastAt)
    assert.deepEqual(
      await operationsOf(largest.key),
      [second.operation_id, first.operation_id],
      'the list shows the operations of a group',
    )
    const byLatest = new Map(all.map(({ latest }) => [latest.operationId, latest]))
    const actions = [...statuses, stopped, other].map(
      ({ operation_id }) => byLatest.get(operation_id)?.nextStep.action,
    )
    assert.deepEqual(actions, ['FIX_AUTHENTICATION', 'CHECK_PLUGIN', 'RETRY', 'FIX_CAUSE'])
  })

  test('leave out what was retried, and what the filter or the permissions exclude', async () => {
    const [one, two] = [await failed(locked('Gone.')), await failed(locked('Gone.'))]
    const countOf = async (asked = context(), query: object = {}) =>
      (await groups(query, asked)).groups.find(({ shape }) => shape === 'Gone.')?.count
    assert.equal(await countOf(), 2)
    const { environment_key: environmentKey, application_runtime_id: applicationRuntimeId } = one
    const scope = { environmentKey, applicationRuntimeId, workspaceId: one.workspace_id }
    assert.equal(await countOf(context(), scope), 1)
    assert.equal(await countOf(context([{ permissions: ['read'], scope }])), 1)
    assert.equal(await countOf(context([])), undefined)
    assert.equal(await countOf(context(), { errorCode: 'ANOTHER' }), undefined)
    await engineSteps(engine).retry(two.operation_id, 1)
    assert.equal(await countOf(), 1)
  })

  test('are paged, the largest first', async () => {
    const all = (await groups()).groups.map(({ key }) => key)
    const paged: string[] = []
    let cursor: string | undefined
    do {
      const page: Awaited<ReturnType<typeof groups>> = await groups({
        limit: 1,
        ...(cursor !== undefined && { cursor }),
      })
      paged.push(...page.groups.map(({ key }) => key))
      cursor = page.next
    } while (cursor !== undefined)
    assert.deepEqual(paged, all)
    await assert.rejects(groups({ cursor: 'x' }), { code: 'REQUEST_INVALID' })
  })

  test('are neither skipped nor counted differently when a group grows between two pages', async () => {
    const [large, small] = ['Growing: large.', 'Growing: small.']
    for (const message of [large, large, large, large, small, small, small]) await failed(locked(message))
    const first = await groups({ limit: 1 })
    assert.equal(first.groups[0]?.shape, large)
    // it becomes the largest, so it would have been on the first page
    for (let more = 0; more < 3; more++) await failed(locked(small))
    await failed(locked('Growing: new.'))
    const shapes: (string | undefined)[] = []
    const counts: (number | undefined)[] = []
    const keys = new Set<string | undefined>([first.groups[0]?.key])
    let cursor = first.next
    while (cursor !== undefined) {
      const page: Awaited<ReturnType<typeof groups>> = await groups({ limit: 1, cursor })
      shapes.push(page.groups[0]?.shape)
      counts.push(page.groups[0]?.count)
      keys.add(page.groups[0]?.key)
      cursor = page.next
    }
    assert.deepEqual([shapes[0], counts[0]], [small, 6])
    assert.equal(keys.size, shapes.length + 1)
    assert.ok(!shapes.includes('Growing: new.'))
  })

  const SHAPES = {
    'Tenant 7f3a-11 is gone, see https://example.com/a?b=1 now.': 'Tenant # is gone, see … now.',
    "It doesn't know 'this' and can't say why.": "It doesn't know … and can't say why.",
    'Took 1.5 s at 10:20:30 on 2026-11-22': 'Took # s at # on #',
  }
  for (const [message, shape] of Object.entries(SHAPES)) {
    test(`the shape of: ${message}`, async () => {
      const { rows } = await sql<{
        shape: string
      }>`select runtime.failure_shape(${message}) as shape`.execute(engine.runtime.db)
      assert.equal(rows[0]?.shape, shape)
    })
  }

  test('are counted by plugin and hour, also those that were taken over, as far as the person sees them', async () => {
    const hoursOf = async (query: object = {}, asked = context()) => {
      const { plugins } = await countFailureHours(asked, {
        params: {},
        query: runtimeApi['GET /failure-groups/hours'].query.parse(query),
        body: undefined,
      })
      return new Map(plugins.map(({ pluginId, hours }) => [pluginId, hours]))
    }
    const of = (plugin: string) => ({ ...locked('Full.'), errorPath: ['bundle-runtime', plugin] })
    const recent = await failed(of('hours-plugin'))
    const earlier = await failed(of('hours-plugin'))
    const tooOld = await failed(of('hours-plugin'))
    const itself = await failed({ ...locked('Full.'), errorPath: ['bundle-runtime'] })
    const age = (operationId: string, hours: number, state = 'FAILED') =>
      sql`update runtime.operation set state = ${state}, created_at = date_trunc('hour', clock_timestamp(), 'UTC')
        - make_interval(hours => ${hours}) where operation_id = ${operationId}`.execute(engine.runtime.db)
    await age(recent.operation_id, 0)
    await age(earlier.operation_id, 5, 'TAKEN_OVER')
    await age(tooOld.operation_id, 24)
    const hours = await hoursOf()
    const counted = hours.get('hours-plugin') ?? []
    assert.equal(counted.length, 24)
    assert.deepEqual(
      counted.flatMap((count, hour) => (count === 0 ? [] : [[hour, count]])),
      [
        [18, 1],
        [23, 1],
      ],
    )
    assert.equal(hours.get(null)?.at(-1), 1)
    assert.equal((await hoursOf({ environmentKey: 'elsewhere' })).size, 0)
    assert.equal((await hoursOf({}, context([]))).size, 0)
    assert.ok(itself)
  })
})
