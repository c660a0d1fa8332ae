import assert from 'node:assert/strict'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { readEnvelope } from '#contract/protocol/envelope.ts'
import { isJsonObject } from '#contract/json-schema/json.ts'
import { LifecycleResponse } from '#contract/protocol/lifecycle.ts'
import { sendRequest } from '#plugin-sdk/testing/send-request.ts'
import { lifecycleRequest, LOCATOR, type RequestOptions } from '#plugin-sdk/testing/lifecycle-request.ts'
import { runtimeTokens } from '#plugin-sdk/testing/runtime-tokens.ts'
import type { Effect, LogEntry } from './script-store.ts'
import { GARBAGE, type Garbage } from './script.ts'
import { createScriptedPlugin } from './scripted-plugin.ts'

interface Log {
  calls: LogEntry[]
  effects: Effect[]
}
// The plugin's own responses; the assertions check their shape.
const asLog = (json: unknown): Log => json as Log

async function running(t: TestContext, dataDir = mkdtempSync(join(tmpdir(), 'scripted-'))) {
  const options = { dataDir, platformApiBase: 'http://platform.invalid', verify: false }
  const { url, close } = await createScriptedPlugin(options).listen()
  t.after(() => close({ graceMs: 0 }))
  const request = (more: RequestOptions = {}) => lifecycleRequest({ pluginId: 'scripted-hooks', ...more })
  return {
    url,
    dataDir,
    close,
    script: async (...rules: object[]) => {
      const answer = await fetch(`${url}/script`, { method: 'PUT', body: JSON.stringify({ rules }) })
      assert.equal(answer.status, 200, await answer.clone().text())
    },
    send: (more?: RequestOptions, token?: string) => sendRequest(`${url}/lifecycle`, request(more), token),
    raw: (more?: RequestOptions) =>
      fetch(`${url}/lifecycle`, {
        method: 'POST',
        redirect: 'manual',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(request(more)),
      }),
    log: async (): Promise<Log> => asLog(await (await fetch(`${url}/log`)).json()),
  }
}

test('without a script a call is applied once, and the log shows equal bytes', async (t) => {
  const { send, log } = await running(t)
  const token = await (await runtimeTokens()).sign(lifecycleRequest({ pluginId: 'scripted-hooks' }))
  const first = await send({}, token)
  assert.equal(first.response?.outcome, 'APPLIED')
  assert.equal((await send()).body, first.body)
  const { calls, effects } = await log()
  assert.equal(calls.length, 2)
  assert.equal(calls[0]?.sha256, calls[1]?.sha256)
  assert.equal(calls[0]?.answerSha256, calls[1]?.answerSha256)
  assert.equal(calls[0]?.claims?.['sub'], 'operation-1')
  assert.equal(calls[1]?.claims, null)
  assert.deepEqual(
    effects.map(({ count }) => count),
    [1],
  )
})

test('rules apply in order, if they match, and as often as they allow', async (t) => {
  const { script, send } = await running(t)
  await script(
    { when: { bundleInstallId: 'install-2' }, behaviour: { kind: 'fail', message: 'No' } },
    { when: { stage: 'BEFORE_RESOURCES' }, times: 2, behaviour: { kind: 'unknown' } },
    { when: { stage: 'AFTER_RESOURCES' }, behaviour: { kind: 'verify' } },
  )
  const outcome = async (more?: RequestOptions) => (await send(more)).response?.outcome
  assert.equal(await outcome({ bundleInstallId: 'install-2', operationId: 'operation-2' }), 'FAILED')
  assert.deepEqual([await outcome(), await outcome(), await outcome()], ['UNKNOWN', 'UNKNOWN', 'APPLIED'])
  assert.equal(await outcome({ stage: 'AFTER_RESOURCES' }), 'VERIFIED')
})

test('POST prepends rules, DELETE removes them, and an invalid script is rejected', async (t) => {
  const { url, script, send } = await running(t)
  await script({ behaviour: { kind: 'unknown' } })
  const rules = [{ behaviour: { kind: 'failure-envelope', errorCode: 'NO_LUCK', retryable: true } }]
  await fetch(`${url}/script`, { method: 'POST', body: JSON.stringify({ rules }) })
  const failing = await send()
  assert.equal(failing.errorCode, 'NO_LUCK')
  assert.equal(failing.failure?.retryable, true)
  await fetch(`${url}/script`, { method: 'DELETE' })
  assert.equal((await send()).response?.outcome, 'APPLIED')
  const wrong = await fetch(`${url}/script`, {
    method: 'PUT',
    body: '{"rules":[{"behaviour":{"kind":"x"}}]}',
  })
  assert.equal(wrong.status, 400)
})

test('script, log and memory survive a restart', async (t) => {
  const before = await running(t)
  await before.script({ times: 2, behaviour: { kind: 'unknown' } })
  await before.send()
  await before.close()
  const after = await running(t, before.dataDir)
  assert.equal((await after.send()).response?.outcome, 'UNKNOWN')
  assert.equal((await after.send()).response?.outcome, 'APPLIED')
  assert.equal((await after.log()).calls.length, 3)
})

for (const kind of ['reset', 'hang'] as const)
  test(`${kind} sends no response, with and without the effect before it`, async (t) => {
    const { script, raw, send, log } = await running(t)
    const ms = kind === 'hang' ? { ms: 20 } : {}
    await script(
      { times: 1, behaviour: { kind, ...ms } },
      { times: 1, behaviour: { kind, ...ms, afterEffect: true } },
    )
    await assert.rejects(raw())
    assert.equal((await log()).effects.length, 0)
    await assert.rejects(raw())
    assert.deepEqual(
      (await log()).effects.map(({ count }) => count),
      [1],
    )
    assert.equal((await send()).response?.outcome, 'APPLIED')
    assert.deepEqual(
      (await log()).effects.map(({ count }) => count),
      [1],
    )
  })

test('status and redirect', async (t) => {
  const { script, raw } = await running(t)
  await script(...[500, 503, 307].map((status) => ({ times: 1, behaviour: { kind: 'status', status } })))
  assert.deepEqual([(await raw()).status, (await raw()).status], [500, 503])
  const redirect = await raw()
  assert.equal(redirect.status, 307)
  assert.equal(redirect.headers.get('location'), '/redirected')
})

test('delay and slow leave the response intact', async (t) => {
  const { script, send } = await running(t)
  await script({ delayMs: 30, behaviour: { kind: 'slow', ms: 40 } })
  const since = performance.now()
  assert.equal((await send()).response?.outcome, 'APPLIED')
  assert.ok(performance.now() - since >= 60)
})

test('write adds writes that an honest plugin could not make', async (t) => {
  const { script, send, raw } = await running(t)
  await script(
    {
      times: 1,
      behaviour: {
        kind: 'write',
        writes: [
          { property: 'checkoutId', value: 'c-1' },
          { property: 'token', value: 's', isSensitive: true },
        ],
      },
    },
    { behaviour: { kind: 'write', writes: [{ property: 'instanceRefProperty', value: 'x', as: 'bare' }] } },
  )
  assert.deepEqual((await send()).response?.resources, {
    [LOCATOR]: {
      checkoutId: { '@type': 'Data', value: 'c-1' },
      token: { '@type': 'Data', value: 's', isSensitive: true },
    },
  })
  const second = readEnvelope(await (await raw({ stage: 'AFTER_RESOURCES' })).json())
  assert.ok(second.kind === 'success' && isJsonObject(second.data))
  assert.deepEqual(second.data['resources'], { [LOCATOR]: { instanceRefProperty: 'x' } })
})

const UNREADABLE = new Set<Garbage>(['html', 'empty', 'not-json', 'cut-json', 'cut-body'])
for (const garbage of GARBAGE)
  test(`garbage ${garbage}`, async (t) => {
    const { script, raw, log } = await running(t)
    await script({ behaviour: { kind: 'garbage', garbage } })
    const answer = await raw()
    assert.equal(answer.status, 200)
    if (UNREADABLE.has(garbage)) await assert.rejects(answer.json())
    else {
      const reading = readEnvelope(await answer.json())
      const response = reading.kind === 'success' ? LifecycleResponse.safeParse(reading.data) : null
      const isShaped = response?.success === true
      const isHonest = garbage === 'extra-fields'
      const isAnEcho = garbage.startsWith('wrong-') || garbage === 'not-applied-with-writes'
      assert.equal(
        isShaped,
        isHonest || garbage === 'too-large' || (isAnEcho && garbage !== 'wrong-envelope-version'),
      )
    }
    assert.equal((await log()).effects.length, 0)
  })
