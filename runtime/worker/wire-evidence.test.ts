import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { JsonValue } from '#contract/json-schema/json.ts'
import { engineSteps, testEngine } from '../testing/engine.ts'
import type { TestEngine } from '../testing/engine.ts'
import { planWith } from '../testing/plan.ts'
import type { Reply } from '../testing/plugin.ts'

// What responses of a plugin, or of a proxy in front of it, tell besides their status. Each test is a fault that a person on call
// could not explain from the page.

const json = (value: JsonValue, headers: Record<string, string> = {}): Reply => ({
  status: 200,
  body: JSON.stringify({ contractVersion: '1.0.0', ...(value as object) }),
  headers: { 'content-type': 'application/json', ...headers },
})
const at = (offsetMs: number): string => new Date(Date.now() + offsetMs).toUTCString()

suite('the evidence of the wire', { concurrency: false }, () => {
  let engine: TestEngine
  before(async () => {
    engine = await testEngine()
  })
  after(() => engine.close())

  /** Runs an INSTALL whose plugin answers like this, to its end. */
  async function ended(replies: (before: number) => Reply, maxAttempts = 1) {
    await engine.register('provisioner', { maxAttempts })
    engine.plugin.script((_, before) => replies(before - from))
    const from = engine.plugin.calls.length
    const { operation_id } = await engine.freeze({
      installation: await engine.installation(),
      plan: planWith(),
    })
    const worker = engine.work()
    await engine.until(operation_id, 'SUCCEEDED', 'FAILED')
    await worker.stop()
    const detail = await engineSteps(engine).detailOf(operation_id)
    const [attempt, ...later] = detail.stages.flatMap(({ calls }) =>
      calls.flatMap(({ attempts }) => attempts),
    )
    assert.ok(attempt)
    return { ...detail, attempt, later }
  }

  test('429 with Retry-After: the next attempt waits for it', async () => {
    const limited: Reply = { status: 429, body: '', headers: { 'retry-after': '1', server: 'gate' } }
    const { state, attempt, later } = await ended(
      (before) => (before === 0 ? limited : { outcome: 'APPLIED' }),
      3,
    )
    assert.equal(state, 'SUCCEEDED')
    assert.deepEqual(attempt.failure?.parameters, {
      reason: 'callLimitedFor',
      plugin: 'provisioner',
      seconds: 1,
    })
    assert.equal(attempt.wire?.retryAfterSeconds, 1)
    assert.equal(attempt.wire?.headers?.['server'], 'gate')
    const [second] = later
    assert.ok(second)
    // the back-off of the test engine is 20 ms
    assert.ok(Date.parse(second.startedAt) - Date.parse(attempt.startedAt) >= 1_000)
  })

  test('429 at the last attempt: the failure says when a retry makes sense', async () => {
    const { failure, nextStep, finishedAt } = await ended(() => ({
      status: 429,
      body: '',
      // a time by the clock of who sent it
      headers: { date: at(-600_000), 'retry-after': at(-480_000) },
    }))
    assert.deepEqual([nextStep.actor, nextStep.action], ['SUPPORT', 'RETRY'])
    const waitMs = Date.parse(failure?.retryFrom ?? '') - Date.parse(finishedAt ?? '')
    assert.ok(waitMs > 110_000 && waitMs <= 120_000, `${waitMs}`)
  })

  test('503 with Retry-After keeps its status', async () => {
    const { failure } = await ended(() => ({ status: 503, body: '', headers: { 'retry-after': '30' } }))
    assert.equal(failure?.parameters?.['status'], 503)
    assert.ok(failure?.retryFrom !== undefined)
  })

  test('a proxy that replays the response of another operation: every differing field, and who stored it', async () => {
    const first = await ended(() => ({ outcome: 'APPLIED' }))
    const other = engine.plugin.calls.at(-1)?.request
    assert.equal(first.state, 'SUCCEEDED')
    assert.ok(other)
    const { contractVersion, pluginId, executionSequence, installation, operation, stage } = other
    const data = {
      contractVersion,
      pluginId,
      executionSequence,
      installation,
      operation,
      stage,
      outcome: 'APPLIED',
      resources: {},
    }
    const replayed = json(
      { errorCode: '0', data },
      {
        age: '31',
        via: '1.1 cache',
        'x-cache': 'HIT',
        'set-cookie': 'session=1',
        date: at(-31_000),
      },
    )
    const { failure, attempt } = await ended(() => replayed)
    assert.match(String(failure?.parameters?.['field']), /^data\.operation\.operationId, data\.installation/)
    const { differs } = attempt.response as { differs: { received: JsonValue }[] }
    assert.equal(differs[0]?.received, first.operationId)
    const { headers, ...rest } = attempt.wire ?? {}
    assert.deepEqual({ ...headers, date: '' }, { age: '31', via: '1.1 cache', 'x-cache': 'HIT', date: '' })
    // the time of a stored response is not that of a clock
    assert.deepEqual(rest, {})
  })

  test('a plugin whose clock is behind', async () => {
    const answer = json(
      { errorCode: 'TOKEN_NOT_YET_VALID', data: { message: 'The token is not valid yet.', retryable: true } },
      { date: at(-312_000), server: 'not kept of an answer that can be used' },
    )
    const { attempt } = await ended(() => answer)
    const { clockBehindSeconds = 0, ...rest } = attempt.wire ?? {}
    assert.ok(Math.abs(clockBehindSeconds - 312) <= 2, `${clockBehindSeconds}`)
    assert.deepEqual(rest, {})
    const right = await ended(() => json({ errorCode: 'BUSY', data: null }))
    assert.equal(right.attempt.wire, null)
  })

  test('a sign-in proxy in front of the plugin: where it redirects to', async () => {
    const location = 'https://sso.example.org/login?ticket=secret'
    const { failure, attempt, nextStep } = await ended(() => ({
      status: 302,
      body: '',
      headers: { location },
    }))
    assert.deepEqual(failure?.parameters, {
      reason: 'callRedirectedAway',
      plugin: 'provisioner',
      origin: 'https://sso.example.org',
    })
    assert.equal(attempt.wire?.headers?.['location'], 'https://sso.example.org')
    assert.equal(nextStep.action, 'FIX_ENDPOINT')
    const own = await ended(() => ({ status: 308, body: '', headers: { location: '/moved' } }))
    assert.equal(own.failure?.parameters?.['reason'], 'callRedirectedTo')
    const nowhere = await ended(() => ({ status: 307, body: '' }))
    assert.equal(nowhere.failure?.parameters?.['reason'], 'callRedirected')
  })

  test('nothing sensitive and nothing that the platform issued is kept of a header', async () => {
    const { bytes } = { bytes: `bpc_${'x'.repeat(43)}` }
    const headers = {
      server: `a ${bytes}`,
      via: 'eyJhbGciOiJFZERTQSJ9.eyJpc3MiOiJwbGF0Zm9ybSJ9.c2ln',
      'x-cache': 'instanceRefProperty',
    }
    const { attempt } = await ended(() => ({ status: 500, body: '', headers }))
    const text = JSON.stringify(attempt.wire)
    for (const hidden of [bytes, 'eyJ', 'instanceRefProperty']) assert.ok(!text.includes(hidden), text)
  })
})
