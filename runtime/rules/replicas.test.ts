import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import { sql } from 'kysely'
import type { JsonObject } from '#contract/json-schema/json.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import type { RuntimeOptions } from '../app.ts'
import { until } from '../testing/stream.ts'
import { testHttp } from '../testing/http.ts'
import type { Answered, Call, TestHttp } from '../testing/http.ts'
import {
  bindingOf,
  bundleOf,
  locatorOf,
  moduleOf,
  placeOf,
  ruleWorld,
  TEXT,
  wrapped,
} from '../testing/rules.ts'
import type { RuleWorld } from '../testing/rules.ts'

// Rules that hold between replicas on one database and over restarts: what a key has answered, and what an answer that
// comes too late may do.

const bundle = bundleOf('shared', {
  resources: [moduleOf('main', { name: TEXT, made: TEXT })],
  plugins: [bindingOf('shared-plugin', 1, { main: { reads: ['name'], writes: ['made'] } })],
})
const MAIN = locatorOf(bundle, 'main')

let world: RuleWorld
let other: TestHttp
before(async () => {
  world = await ruleWorld()
  other = await replica()
  await world.register('shared-plugin')
  await world.publish(bundle)
})
after(async () => {
  await other.close()
  await world.close()
})
beforeEach(() => world.plugin.script(() => ({ outcome: 'APPLIED' })))

/** Another replica on the same database. */
function replica(options: Partial<RuntimeOptions> = {}): Promise<TestHttp> {
  const { connection, sealingKeyFiles } = world.http
  return testHttp({ connection, sealingKeyFiles, ...options })
}

const installIn = (scope: Scope): Call => ({
  method: 'POST',
  body: { scope: { ...scope }, bundle: { ...bundle.bundle }, targetVersion: '1.0.0' },
})
const operationsIn = async ({ workspaceId }: Scope) => {
  const query = `environmentKey=prod&applicationRuntimeId=shop&workspaceId=${workspaceId}`
  return (await world.ok(`/operations?${query}`, {}))['items'] as { operationId: string }[]
}

describe('an idempotency key', () => {
  it('that comes to both replicas at once is one write, and all are answered the same', async () => {
    const scope = world.newScope()
    const call = { ...installIn(scope), key: randomUUID() }
    const replicas = Array.from({ length: 16 }, (_, index) => (index % 2 === 0 ? world.http : other))
    const answers = await Promise.all(replicas.map((one) => one.call('/installations', call)))
    for (const answer of answers) assert.deepEqual(answer.json, answers[0]?.json)
    assert.equal(answers[0]?.errorCode, '0')
    assert.equal((await operationsIn(scope)).length, 1)
  })

  it('is remembered by the other replica and by one that was started since, of a refusal too', async () => {
    const scope = world.newScope()
    const call = { ...installIn(scope), key: randomUUID() }
    const first = await world.http.call('/installations', call)
    assert.equal(first.errorCode, '0')
    const refused = { ...installIn(scope), key: randomUUID() }
    const refusal = await world.http.call('/installations', refused)
    assert.equal(refusal.errorCode, 'INSTALLATION_EXISTS')

    const started = await replica()
    for (const one of [other, started]) {
      assert.deepEqual((await one.call('/installations', call)).json, first.json)
      assert.deepEqual((await one.call('/installations', refused)).json, refusal.json)
    }
    await started.close()
    assert.equal((await operationsIn(scope)).length, 1)
  })

  it('is done whole or not at all when a replica is stopped between, and its repeat elsewhere does it once', async () => {
    const leaving = await replica()
    const scopes = Array.from({ length: 8 }, () => world.newScope())
    const calls = scopes.map((scope) => ({ ...installIn(scope), key: randomUUID() }))
    const cut = calls.map((call) => leaving.call('/installations', call).catch(() => null))
    await leaving.runtime.stop()
    const before = await Promise.all(cut)
    await leaving.close()
    const after = await Promise.all(calls.map((call) => other.call('/installations', call)))
    for (const [index, answer] of after.entries()) {
      assert.equal(answer.errorCode, '0')
      // what was acknowledged is what is told again
      const acknowledged = before[index]
      if (acknowledged?.status === 200) assert.deepEqual(answer.json, acknowledged.json)
    }
    for (const scope of scopes) assert.equal((await operationsIn(scope)).length, 1)
  })

  it('with another body is refused by every replica, and is another key for another person or address', async () => {
    const scope = world.newScope()
    const key = randomUUID()
    const first = await world.http.call('/installations', { ...installIn(scope), key })
    const elsewhere = { ...installIn(world.newScope()), key }
    for (const one of [world.http, other])
      assert.equal((await one.call('/installations', elsewhere)).errorCode, 'IDEMPOTENCY_KEY_REUSED')
    const another = await other.call('/installations', { ...elsewhere, actor: 'bob' })
    assert.equal(another.errorCode, '0')
    assert.notDeepEqual(another.json, first.json)
    const service = { method: 'PUT', key, body: { version: 0, values: {} } }
    assert.equal((await other.call(`${placeOf(scope)}/local-services/a`, service)).data['version'], 1)
    assert.equal((await other.call(`${placeOf(scope)}/local-services/b`, service)).data['version'], 1)
    assert.equal((await world.http.call(`${placeOf(scope)}/local-services/a`, service)).data['version'], 1)
  })

  it('with two bodies at once at two replicas lets one of them be done', async () => {
    const key = randomUUID()
    const scopes = [world.newScope(), world.newScope()] as const
    const answers: Answered[] = await Promise.all([
      world.http.call('/installations', { ...installIn(scopes[0]), key }),
      other.call('/installations', { ...installIn(scopes[1]), key }),
    ])
    assert.deepEqual(answers.map(({ errorCode }) => errorCode).toSorted(), ['0', 'IDEMPOTENCY_KEY_REUSED'])
    const made = (await Promise.all(scopes.map(operationsIn))).map(({ length }) => length)
    assert.deepEqual(
      made.toSorted((a, b) => a - b),
      [0, 1],
    )
  })
})

describe('an answer that comes too late', () => {
  const rescuers: TestHttp[] = []
  afterEach(async () => {
    for (const rescuer of rescuers.splice(0)) await rescuer.close()
  })

  /** A call under way whose worker has lost its lease; `answer` lets the plugin answer it. */
  async function overtaken(second: 'APPLIED' | 'FAILED') {
    const mayAnswer = Promise.withResolvers<void>()
    let calls = 0
    world.plugin.script(async ({ stage, request }) => {
      const isAsked = stage === 'BEFORE_RESOURCES' && request.operation.operationType === 'INSTALL'
      if (!isAsked) return { outcome: 'APPLIED' }
      calls += 1
      if (calls > 1) return { outcome: second, resources: made(second === 'APPLIED' ? 'second' : null) }
      await mayAnswer.promise
      return { outcome: 'APPLIED', resources: made('first') }
    })
    const scope = world.newScope()
    const { bundleInstallId, operationId } = await world.install(bundle, { scope })
    await until(() => world.callsOf(operationId).length === 1, 30_000)
    // as if it had been paused for longer than its lease: another worker may take it now
    await sql`update runtime.operation set available_at = clock_timestamp() where operation_id = ${operationId}`.execute(
      world.db,
    )
    rescuers.push(await replica({ worker: { pollMs: 50 } }))
    const operation = await world.ended(operationId)
    return { scope, bundleInstallId, operation, answer: mayAnswer.resolve }
  }
  const made = (value: string | null): JsonObject =>
    value === null ? {} : { [MAIN]: wrapped({ made: value }) }

  async function untilRecordedLate(operationId: string): Promise<void> {
    await until(async () => {
      const { stages } = await world.operation(operationId)
      const [first] = stages.flatMap(({ calls }) => calls).flatMap(({ attempts }) => attempts)
      return first?.late === true && first.outcome === 'APPLIED'
    }, 30_000)
  }

  it('is recorded as late and changes nothing, where the call was repeated and the operation is done', async () => {
    const { scope, operation, answer } = await overtaken('APPLIED')
    assert.equal(operation.state, 'SUCCEEDED')
    const before = await world.configuration(scope)
    assert.deepEqual(before.resources[MAIN]?.properties, wrapped({ made: 'second' }))
    answer()
    await untilRecordedLate(operation.operationId)
    assert.deepEqual(await world.configuration(scope), before)
    const { state, stages, finishedAt } = await world.operation(operation.operationId)
    assert.deepEqual([state, finishedAt], ['SUCCEEDED', operation.finishedAt])
    assert.deepEqual(
      stages[0]?.calls[0]?.writes.map(({ value }) => value),
      Object.values(wrapped({ made: 'second' })),
    )
  })

  it('after a takeover is recorded on the old call, and the DETACH stands', async () => {
    const { scope, bundleInstallId, operation, answer } = await overtaken('FAILED')
    assert.equal(operation.state, 'FAILED')
    const detach = await world.endsWell(await world.takeOver(operation))
    const callsBefore = world.plugin.calls.length
    answer()
    await untilRecordedLate(operation.operationId)
    const { state, takenOverBy } = await world.operation(operation.operationId)
    assert.deepEqual([state, takenOverBy], ['TAKEN_OVER', detach.operationId])
    const { state: installed, resources, claim } = await world.installation(bundleInstallId)
    assert.deepEqual([installed, resources, claim], ['DETACHED', [], null])
    assert.deepEqual((await world.configuration(scope)).resources, {})
    assert.equal(world.plugin.calls.length, callsBefore)
  })
})
