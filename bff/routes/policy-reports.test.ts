import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Hono } from 'hono'
import { createLog } from '#http-kit/log.ts'
import { createMetrics } from '#http-kit/metrics.ts'
import { TransportError } from '#http-kit/problem-response.ts'
import { securityHeadersFor } from '../middleware/security-headers.ts'
import { policyReports } from './policy-reports.ts'

function collector() {
  const lines: string[] = []
  const metrics = createMetrics({ bundle_console_policy_violations_total: 'Violations.' })
  const log = createLog({ name: 'test', level: 'warn', stream: { write: (line) => lines.push(line) } })
  const app = new Hono<{ Variables: { clientAddress: string } }>()
  app.use(async (c, next) => {
    c.set('clientAddress', c.req.header('x-from') ?? '192.0.2.1')
    await next()
  })
  app.onError((error, c) => c.body(null, error instanceof TransportError ? error.status : 500))
  app.route('/', policyReports({ metrics, log }))
  const send = async (body: string, headers: Record<string, string> = {}) =>
    (await app.request('/reports/policy', { method: 'POST', body, headers })).status
  return { send, lines, text: () => metrics.render([]) }
}

const CANARY = 'canary-of-the-report'
const report = (effectiveDirective: string) =>
  JSON.stringify([
    {
      type: 'csp-violation',
      url: `https://console.example.org/?q=${CANARY}`,
      body: { effectiveDirective, blockedURL: `https://evil.example/${CANARY}`, sample: CANARY },
    },
  ])

test('a document says where to report violations of its policy (C01, C09)', () => {
  const headers = securityHeadersFor('document', true)
  assert.equal(headers['reporting-endpoints'], 'policy="/reports/policy"')
  assert.match(headers['content-security-policy'] ?? '', /; report-to policy; report-uri \/reports\/policy$/)
})

test('reports are counted by directive, and nothing else of them is kept (C09)', async () => {
  const { send, lines, text } = collector()
  assert.equal(await send(report('script-src-elem')), 204)
  const older = { 'csp-report': { 'effective-directive': 'img-src', 'blocked-uri': CANARY } }
  assert.equal(await send(JSON.stringify(older), { 'content-type': 'application/csp-report' }), 204)
  assert.equal(await send(report(`made-up-${CANARY}`)), 204)
  for (const body of ['', '{', 'null', '[[]]', '[null]', '{"body":"x"}', '{"body":{"effectiveDirective":1}}'])
    assert.equal(await send(body), 204, body)
  assert.match(text(), /\{directive="script-src-elem"\} 1$/m)
  assert.match(text(), /\{directive="img-src"\} 1$/m)
  assert.match(text(), /\{directive="other"\} 1$/m)
  assert.doesNotMatch(text() + lines.join(''), new RegExp(CANARY))
  assert.equal(lines.length, 3)
})

test('reports are limited by size, origin and address (C09)', async () => {
  const { send, text } = collector()
  assert.equal(await send('x'.repeat(17_000)), 413)
  assert.equal(await send(report('img-src'), { 'sec-fetch-site': 'cross-site' }), 403)
  const statuses = new Set<number>()
  for (let n = 0; n < 1_000; n++) statuses.add(await send(report('img-src')))
  assert.deepEqual(statuses, new Set([204, 429]))
  assert.equal(await send(report('img-src'), { 'x-from': '192.0.2.2' }), 204)
  assert.ok(Number(/\{directive="img-src"\} (\d+)$/m.exec(text())?.[1]) < 25)
})
