import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { test, type TestContext } from 'node:test'
import { isPassing, PluginCheckReport } from '../../../../contract/protocol/plugin-check-report.ts'
import { freePort } from '../../../../database/free-port.ts'
import { startReferencePlugin } from '../../testing/reference-plugin.ts'
import { referenceProfile } from '../../testing/reference-profile.ts'
import { serve } from '../../testing/serve.ts'
import { CASES } from '../cases/all-cases.ts'
import type { Case } from '../cases/case.ts'
import { check } from '../commands/check.ts'
import { toBadge, toJson, toJunit, toTable } from '../report/formats.ts'
import { toHtml } from '../report/html.ts'

const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`

/** After this time, the plugin ends a response that hangs: so the checker waits for nothing, however busy the machine is. */
const HANGING_MS = 300

/** Answers that no plugin should give. */
const HOSTILE: readonly ((response: ServerResponse) => void)[] = [
  (response) => response.destroy(),
  (response) => response.end(),
  (response) => response.writeHead(204).end(),
  (response) => response.writeHead(500).end('<h1>Error</h1>'),
  (response) => {
    response.writeHead(200, { 'content-length': '100' }).write('{')
    setTimeout(() => response.destroy(), HANGING_MS)
  },
  (response) => response.socket?.end('not HTTP at all\r\n\r\n'),
  (response) => response.end('null'),
  (response) => response.end('"0"'),
  (response) => response.end(Buffer.from([0xff, 0xfe, 0x00])),
  (response) => response.end(`{"errorCode":"0","data":${nested(200_000)}}`),
  (response) => response.end(`{"errorCode":"0","data":{"outcome":"APPLIED","resources":${nested(150)}}}`),
  (response) => response.end('{"errorCode":"0","data":{"outcome":{},"resources":{"a":null,"b":{"c":7}}}}'),
  (response) =>
    response.end(
      '{"errorCode":"0","data":{"outcome":"APPLIED","installation":[],"resources":{"__proto__":{}}}}',
    ),
  (response) => response.end('{"errorCode":{"toString":1},"data":{"message":[],"retryable":"yes"}}'),
  (response) =>
    response.end('{"errorCode":"]]>\\u0000<script>","data":{"message":"\\ud800","retryable":true}}'),
  (response) => response.end(`{"errorCode":"0","data":"${'x'.repeat(5 * 1024 * 1024)}"}`),
  (response) => response.writeHead(302, { location: '/' }).end(),
  (response) => response.socket?.resetAndDestroy(),
  ...[
    `HTTP/1.0 200 OK\r\n\r\n{}`,
    'HTTP/3.7 200 OK\r\n\r\n{}',
    `HTTP/1.1 999 Odd\r\ncontent-length: 2\r\n\r\n{}`,
    `HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{"errorCode":"0"}`,
    `HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n{}`,
    `HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}`,
    `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nZZZ\r\n{}\r\n0\r\n\r\n`,
    `HTTP/1.1 200 OK\r\nx: ${'h'.repeat(200_000)}\r\ncontent-length: 2\r\n\r\n{}`,
    `${'HTTP/1.1 100 Continue\r\n\r\n'.repeat(500)}HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}`,
    'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\nx',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  ].map((bytes) => (response: ServerResponse) => void response.socket?.end(bytes)),
  (response) =>
    endless(response, 'HTTP/1.1 200 OK\r\ncontent-length: 999999999999\r\n\r\n', 'x'.repeat(65_536)),
  (response) => endless(response, 'HTTP/1.1 200 OK\r\n', `x: ${'y'.repeat(1_000)}\r\n`),
]

/** Writes until the other side closes the connection. */
function endless({ socket }: ServerResponse, begin: string, more: string): void {
  if (socket === null) return
  const pump = (): void => {
    while (!socket.destroyed && socket.write(more));
    if (!socket.destroyed) socket.once('drain', pump)
  }
  socket.on('error', () => undefined)
  socket.write(begin)
  pump()
}

function hostilePlugin(t: TestContext): Promise<string> {
  let count = 0
  return serve(t, (request, response) => {
    request.resume()
    request.on('end', () => {
      // the first call decides whether the plugin can be tested at all
      if (count++ === 0) response.end('{"errorCode":"0","data":{"outcome":"APPLIED"}}')
      else HOSTILE[count % HOSTILE.length]?.(response)
    })
  })
}

test('a plugin that answers anything at all never breaks the checker', async (t) => {
  const url = await hostilePlugin(t)
  const { state: _state, ...profile } = referenceProfile(url)
  const cases = CASES.filter((_, index) => index % 3 === 0)
  const report = await check({
    url,
    profile: { ...profile, timeoutMs: 30_000, settlesWithinMs: 100 },
    seed: 1,
    platformPort: 0,
    cases,
  })
  assert.equal(report.cases.length, cases.length)
  assert.equal(report.passed, false)
  assert.doesNotMatch(toTable(report), /could not be judged|no response within/)
  for (const text of [toHtml(report), toJunit(report), toBadge(report)]) assert.doesNotMatch(text, /<script/)
  // what people upload to the console
  assert.equal(isPassing(PluginCheckReport.parse(JSON.parse(toJson(report)))), false)
  for (const text of [toTable(report), toJson(report)]) assert.doesNotMatch(text, /[\u0000-\u0009\u001b]/)
})

test('a state address that fails during the run blocks cases, and does not end the run', async (t) => {
  const platformPort = await freePort()
  const plugin = await startReferencePlugin({
    platform: `http://127.0.0.1:${platformPort}`,
    file: null,
    defect: null,
  })
  t.after(() => plugin.close())
  let reads = 0
  const state = await serve(t, (_, response) => response.end(reads++ === 0 ? '[]' : 'out of order'))
  const report = await check({
    url: `${plugin.url}/lifecycle`,
    profile: { ...referenceProfile(plugin.url), state },
    seed: 1,
    platformPort,
    cases: CASES.filter(({ id }) => id === 'repeat.every-call'),
  })
  const found = report.cases.find(({ id }) => id === 'repeat.every-call')
  assert.equal(found?.status, 'BLOCKED')
  assert.match(found.problem ?? '', /^The state address \S+ of the profile does not return JSON/)
})

test('a case that could not reach what it tests is blocked, and its reason is printed once', async (t) => {
  const platformPort = await freePort()
  const platform = `http://127.0.0.1:${platformPort}`
  const plugin = await startReferencePlugin({ platform, file: null, defect: null })
  t.after(() => plugin.close())
  await fetch(`${plugin.url}/fail`, { method: 'POST' })
  const report = await check({
    url: `${plugin.url}/lifecycle`,
    profile: { ...referenceProfile(plugin.url), settlesWithinMs: 100 },
    seed: 1,
    platformPort,
    cases: CASES.filter(({ id }) => ['repeat.lost-three-times', 'detach.twice'].includes(id)),
  })
  assert.deepEqual(
    report.cases.map(({ status }) => status),
    ['BLOCKED', 'BLOCKED'],
  )
  assert.equal(report.passed, false)
  assert.match(toTable(report), /^■ repeat\.lost-three-times .*BACKEND_DOWN.* \(and 1 more\)\n\n/)
})

test('a case runs alone as well only if it did not pass beside others', async (t) => {
  const platformPort = await freePort()
  const platform = `http://127.0.0.1:${platformPort}`
  const plugin = await startReferencePlugin({ platform, file: null, defect: null })
  t.after(() => plugin.close())
  let [isDisturbed, isBroken, isAccepted] = [false, false, false]
  const begun: string[] = []
  const installations: string[] = []
  const cases = CASES.filter(({ id }) =>
    ['repeat.lost-response', 'connection.slow-request'].includes(id),
  ).map((one): Case => ({
    ...one,
    async run(trial) {
      begun.push(one.id)
      const { identity, operation } = trial.install()
      installations.push(identity.bundleInstallId)
      const isFirst = begun.indexOf(one.id) === begun.lastIndexOf(one.id)
      await one.run(trial)
      if (one.isBeside === true) trial.check(!isDisturbed || !isFirst, 'Another case stood in its way')
      else trial.check(!isBroken || !isFirst, 'The case beside it broke the plugin')
      if (isAccepted && isFirst) trial.checkRefused(await trial.settle(operation('INSTALL', 1).before), 'It')
    },
  }))
  const run = () =>
    check({
      url: `${plugin.url}/lifecycle`,
      profile: referenceProfile(plugin.url),
      seed: 1,
      platformPort,
      cases,
    })
  assert.equal((await run()).passed, true)
  assert.deepEqual(begun, ['connection.slow-request', 'repeat.lost-response'])
  begun.length = 0
  isDisturbed = true
  assert.equal((await run()).passed, true)
  assert.deepEqual(begun, ['connection.slow-request', 'repeat.lost-response', 'connection.slow-request'])
  begun.length = 0
  ;[isDisturbed, isBroken] = [false, true]
  assert.equal((await run()).passed, true)
  assert.deepEqual(begun, ['connection.slow-request', 'repeat.lost-response', 'repeat.lost-response'])
  assert.equal(new Set(installations.slice(-3)).size, 3)
  begun.length = 0
  ;[isBroken, isAccepted] = [false, true]
  assert.equal((await run()).passed, false)
  assert.deepEqual(begun, ['connection.slow-request', 'repeat.lost-response'])
})

test('seed and ids determine every byte', async (t) => {
  const bodies = async (): Promise<string[]> => {
    const platformPort = await freePort()
    const platform = `http://127.0.0.1:${platformPort}`
    const plugin = await startReferencePlugin({ platform, file: null, defect: 'no-fingerprint' })
    t.after(() => plugin.close())
    const cases = CASES.filter(({ id }) => id.startsWith('bytes.'))
    const profile = referenceProfile(plugin.url)
    const url = `${plugin.url}/lifecycle`
    const report = await check({ url, profile, seed: 7, ids: 1_767_261_600_000, platformPort, cases })
    return report.cases.flatMap(({ exchanges }) => exchanges.map(({ requestBody }) => requestBody))
  }
  const first = await bodies()
  assert.ok(first.length > 0)
  assert.deepEqual(first, await bodies())
})
