import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { mapValues } from '#contract/json-schema/json.ts'
import type { JsonValue } from '#contract/json-schema/json.ts'
import { causeOfNoResponse, NOT_RECEIVED } from '#contract/protocol/call-causes.ts'
import { MASK } from '#contract/protocol/data.ts'
import { platformMessage } from '#contract/protocol/platform-messages.ts'
import { FAILURE_REASONS, failureTraits } from '#http-kit/outbound-result.ts'
import type { OutboundResult } from '#http-kit/outbound-result.ts'
import { authorization, data, LOCATOR, plannedRequest, planWith, SECRET } from '../../testing/plan.ts'
import { successOf } from '../../testing/plugin.ts'
import { callFailure, maskFailure } from './failures.ts'
import { judgeAnswer } from './judge.ts'
import type { JudgeInput } from './judge.ts'
import { maskRequest, maskResponse } from './sensitive-values.ts'
import { requestBytes } from '../steps/prepare-call.ts'
import type { Judgement } from '../../model/call.ts'
import { boundWork } from '../../../lab/verification/bound-work.ts'

const plan = planWith()
const expected = plannedRequest(plan)

const TOKEN = ['eyJhbGciOiJFZERTQSJ9', 'eyJpc3MiOiJwbGF0Zm9ybSJ9', 'c2lnbmF0dXJl'.padEnd(86, '0')].join('.')
const CREDENTIAL = `bpc_${'x'.repeat(43)}`
const knowledge: JudgeInput = {
  authorization: authorization(),
  definitions: Object.fromEntries(plan.resources.map((resource) => [resource.locator, resource.definitions])),
  sensitiveValues: [SECRET, 'SHOUTED_SECRET', 4711],
  serviceAddresses: ['http://events.internal:9000/api/', 'https://plain.internal'],
  isPlatformPayload: (payload) => payload === TOKEN.split('.')[1],
  issuedCredentials: new Set([CREDENTIAL]),
  timeoutMs: 1500,
}

const response = (
  body: string | Uint8Array,
  status = 200,
  contentType: string | null = null,
): OutboundResult => ({
  kind: 'response',
  status,
  contentType,
  headers: {},
  body: typeof body === 'string' ? Buffer.from(body) : body,
})
const json = (value: JsonValue): OutboundResult => response(JSON.stringify(value), 200, 'application/json')
const judge = (answer: OutboundResult): Judgement => judgeAnswer(expected, answer, knowledge)

type Outcome = 'NOT_APPLIED' | 'APPLIED' | 'VERIFIED' | 'FAILED' | 'UNKNOWN'
const success = (outcome: Outcome, resources: JsonValue = {}, echo: { [field: string]: JsonValue } = {}) =>
  successOf(expected, { outcome, resources, echo })
const writing = (properties: JsonValue): OutboundResult => json(success('APPLIED', { [LOCATOR]: properties }))
const writingNumber = (number: string): OutboundResult =>
  response(JSON.stringify(success('APPLIED', { [LOCATOR]: { note: data('N') } })).replace('"N"', number))
const withData = (change: (given: { [field: string]: JsonValue }) => void): OutboundResult => {
  const envelope = success('APPLIED')
  const given = structuredClone(envelope['data']) as { [field: string]: JsonValue }
  change(given)
  return json({ ...envelope, data: given })
}

/** The kind of judgement that a response gets, as one word. */
function row(judgement: Judgement): string {
  const { disposition, isUncertain, failure } = judgement
  if (disposition === 'done') return 'done'
  if (disposition === 'repeat') return isUncertain ? 'uncertain' : `retryable ${failure?.errorCode}`
  return failure?.errorCode === 'PLUGIN_RESPONSE_INVALID' ? 'invalid' : `failed ${failure?.errorCode}`
}

test('the protected property is refused even if an authorization lists it', () => {
  const [entry] = knowledge.authorization.resources
  assert.ok(entry)
  const resources = [{ ...entry, writeProperties: [...entry.writeProperties, 'instanceRefProperty'] }]
  const careless = { ...knowledge, authorization: authorization({ resources }) }
  const judged = judgeAnswer(expected, writing({ instanceRefProperty: data('x') }), careless)
  assert.equal(judged.failure?.errorCode, 'PLUGIN_RESPONSE_INVALID')
  assert.deepEqual(judged.writes, {})
})

suite('judging an answer', () => {
  const rows: { name: string; answer: OutboundResult; is: string }[] = [
    { name: 'APPLIED', answer: json(success('APPLIED')), is: 'done' },
    { name: 'VERIFIED', answer: json(success('VERIFIED')), is: 'done' },
    { name: 'NOT_APPLIED', answer: json(success('NOT_APPLIED')), is: 'done' },
    {
      name: 'NOT_APPLIED that names a resource without writing',
      answer: json(success('NOT_APPLIED', { [LOCATOR]: {} })),
      is: 'done',
    },
    {
      name: 'NOT_APPLIED with writes',
      answer: json(success('NOT_APPLIED', { [LOCATOR]: { tenantId: data('t') } })),
      is: 'invalid',
    },
    { name: 'FAILED', answer: json(success('FAILED')), is: 'failed PLUGIN_REPORTED_FAILURE' },
    {
      name: 'FAILED with writes, which are dropped',
      answer: json(success('FAILED', { [LOCATOR]: { region: data('x') } })),
      is: 'failed PLUGIN_REPORTED_FAILURE',
    },
    { name: 'UNKNOWN', answer: json(success('UNKNOWN')), is: 'uncertain' },
    {
      name: 'UNKNOWN with writes, which are dropped',
      answer: json(success('UNKNOWN', { [LOCATOR]: { tenantId: data('t') } })),
      is: 'uncertain',
    },
    ...(['FAILED', 'UNKNOWN'] as const).flatMap((outcome) =>
      [
        undefined,
        null,
        'nothing',
        [{}],
        { 'no locator': 1 },
        { [LOCATOR]: { tenantId: 'bare', x: TOKEN } },
      ].map((resources) => ({
        name: `${outcome} with resources ${JSON.stringify(resources)?.slice(0, 40)}, which are ignored`,
        answer: withData((given) => {
          given['outcome'] = outcome
          if (resources === undefined) delete given['resources']
          else given['resources'] = resources
        }),
        is: outcome === 'FAILED' ? 'failed PLUGIN_REPORTED_FAILURE' : 'uncertain',
      })),
    ),
    {
      name: 'NOT_APPLIED without resources',
      answer: withData((given) => {
        given['outcome'] = 'NOT_APPLIED'
        delete given['resources']
      }),
      is: 'done',
    },
    {
      name: 'a retryable failure',
      answer: json({ errorCode: 'TENANT_BUSY', data: { message: 'later', retryable: true } }),
      is: 'retryable TENANT_BUSY',
    },
    {
      name: 'a failure that is not retryable, with an unknown code',
      answer: json({ errorCode: 'X9_Y', data: { message: 'no', retryable: false } }),
      is: 'failed X9_Y',
    },
    {
      name: 'a failure with null data',
      answer: json({ errorCode: 'BROKEN', data: null }),
      is: 'failed BROKEN',
    },
    {
      name: 'a failure with unknown properties and fields',
      answer: json({ extra: 1, errorCode: 'BROKEN', data: { message: 'm', retryable: true, more: [] } }),
      is: 'retryable BROKEN',
    },
    {
      name: 'an envelope without contractVersion',
      answer: json({ errorCode: '0', data: success('APPLIED')['data'] as JsonValue }),
      is: 'done',
    },
    {
      name: 'an envelope with unknown fields, and unknown fields of the data',
      answer: withData((given) => (given['more'] = 1)),
      is: 'done',
    },

    ...FAILURE_REASONS.map((reason) => ({
      name: `no answer: ${reason}`,
      answer: { kind: 'failed' as const, reason },
      is: 'uncertain',
    })),
    ...[201, 204, 301, 307, 400, 401, 404, 409, 429, 500, 502, 503, 504].map((status) => ({
      name: `status ${status} with any body`,
      answer: response(JSON.stringify(success('APPLIED')), status),
      is: 'uncertain',
    })),
    { name: 'an empty body', answer: response(''), is: 'uncertain' },
    { name: 'an HTML page', answer: response('<html></html>', 200, 'text/html'), is: 'uncertain' },
    {
      name: 'a truncated body',
      answer: response(JSON.stringify(success('APPLIED')).slice(0, -9)),
      is: 'uncertain',
    },
    { name: 'a byte order mark', answer: response('\ufeff{"errorCode":"0","data":null}'), is: 'uncertain' },
    { name: 'invalid UTF-8', answer: response(Uint8Array.of(0x22, 0xff, 0x22)), is: 'uncertain' },

    { name: 'a list', answer: json([]), is: 'invalid' },
    { name: 'null', answer: json(null), is: 'invalid' },
    {
      name: 'data without its envelope',
      answer: json(success('APPLIED')['data'] as JsonValue),
      is: 'invalid',
    },
    { name: 'no errorCode', answer: json({ data: null }), is: 'invalid' },
    { name: 'no data', answer: json({ errorCode: '0' }), is: 'invalid' },
    { name: 'success with null data', answer: json({ errorCode: '0', data: null }), is: 'invalid' },
    { name: 'a lower-case errorCode', answer: json({ errorCode: 'busy', data: null }), is: 'invalid' },
    { name: 'a numeric errorCode', answer: json({ errorCode: 0, data: null }), is: 'invalid' },
    {
      name: 'another envelope version',
      answer: json({ ...success('APPLIED'), contractVersion: '2.0.0' }),
      is: 'invalid',
    },
    {
      name: 'failure data without retryable',
      answer: json({ errorCode: 'BUSY', data: { message: 'x' } }),
      is: 'invalid',
    },
    {
      name: 'failure data with an empty message',
      answer: json({ errorCode: 'BUSY', data: { message: '', retryable: true } }),
      is: 'invalid',
    },
    {
      name: 'failure data with a message that is too long',
      answer: json({ errorCode: 'BUSY', data: { message: 'x'.repeat(513), retryable: true } }),
      is: 'invalid',
    },
    {
      name: 'failure data with an empty errorPath',
      answer: json({ errorCode: 'BUSY', data: { message: 'x', retryable: true, errorPath: [] } }),
      is: 'invalid',
    },
    {
      name: 'failure data that is a string',
      answer: json({ errorCode: 'BUSY', data: 'no' }),
      is: 'invalid',
    },

    ...(
      [
        ['contractVersion', '6.0.1'],
        ['pluginId', 'other'],
        ['executionSequence', 9],
        ['executionSequence', '10'],
        ['stage', 'AFTER_RESOURCES'],
        ['installation', { ...expected.installation, workspaceId: 8 }],
        ['installation', { ...expected.installation, more: 1 }],
        ['installation', { ...expected.installation, bundle: { environmentKey: 'prod', bundleId: 'crm' } }],
        ['operation', { ...expected.operation, operationId: 'other' }],
        ['operation', { ...expected.operation, operationType: 'DETACH' }],
        ['operation', { ...expected.operation, currentVersion: null }],
      ] satisfies [string, JsonValue][]
    ).map(([field, value]) => ({
      name: `a wrong echo of ${field}: ${JSON.stringify(value)}`,
      answer: json(success('APPLIED', {}, { [field]: value })),
      is: 'invalid',
    })),
    ...['contractVersion', 'pluginId', 'executionSequence', 'stage', 'installation', 'operation'].map(
      (field) => ({
        name: `no echo of ${field}`,
        answer: withData((given) => delete given[field]),
        is: 'invalid',
      }),
    ),
    { name: 'no outcome', answer: withData((given) => delete given['outcome']), is: 'invalid' },
    { name: 'another outcome', answer: withData((given) => (given['outcome'] = 'DONE')), is: 'invalid' },
    { name: 'no resources', answer: withData((given) => delete given['resources']), is: 'invalid' },
    { name: 'resources as a list', answer: withData((given) => (given['resources'] = [])), is: 'invalid' },

    { name: 'a write', answer: writing({ tenantId: data('t-1') }), is: 'done' },
    {
      name: 'a business value that looks like a wrapper',
      answer: writing({ note: data({ '@type': 'Data', value: 1 }) }),
      is: 'done',
    },
    { name: 'a sensitive write', answer: writing({ token: data('s', true) }), is: 'done' },
    {
      name: 'a sensitive write without its flag',
      answer: writing({ token: data('s') }),
      is: 'done',
    },
    {
      name: 'the flag on a property that is not sensitive',
      answer: writing({ tenantId: data('t', true) }),
      is: 'invalid',
    },
    {
      name: 'the flag set to false',
      answer: writing({ token: { '@type': 'Data', value: 's', isSensitive: false } }),
      is: 'invalid',
    },
    { name: 'a bare value', answer: writing({ tenantId: 't-1' }), is: 'invalid' },
    { name: 'a bare object', answer: writing({ tenantId: { value: 't-1' } }), is: 'invalid' },
    { name: 'a Data without value', answer: writing({ tenantId: { '@type': 'Data' } }), is: 'invalid' },
    { name: 'a read-only property', answer: writing({ region: data('x') }), is: 'invalid' },
    { name: 'an unknown property', answer: writing({ nothing: data('x') }), is: 'invalid' },
    {
      name: 'instanceRefProperty',
      answer: writing({ instanceRefProperty: data('x') }),
      is: 'invalid',
    },
    {
      name: 'a reference',
      answer: writing({ tenantId: { '@type': 'ServiceReference', serviceId: 'events' } }),
      is: 'invalid',
    },
    {
      name: 'a reference property as Data',
      answer: writing({ publisher: data('events') }),
      is: 'invalid',
    },
    {
      name: 'another resource',
      answer: json(success('APPLIED', { 'source/crm/MODULE/other': {} })),
      is: 'invalid',
    },
    {
      name: 'the resource in another spelling',
      answer: json(success('APPLIED', { 'source/crm/module/tenants': { tenantId: data('t') } })),
      is: 'invalid',
    },
    { name: 'a value of the wrong type', answer: writing({ tenantId: data(3) }), is: 'invalid' },
    {
      name: 'a mask as a sensitive value',
      answer: writing({ token: data('••••••••', true) }),
      is: 'invalid',
    },
    { name: 'a mask as any other value', answer: writing({ tenantId: data('********') }), is: 'done' },
    {
      name: 'a platform token with letters at both ends',
      answer: writing({ tenantId: data(`x${TOKEN}x`) }),
      is: 'invalid',
    },
    { name: 'a platform token', answer: writing({ tenantId: data(TOKEN) }), is: 'invalid' },
    {
      name: 'a platform token deep inside, within text',
      answer: writing({ note: data({ a: [{ b: `Bearer x${TOKEN}` }] }) }),
      is: 'invalid',
    },
    {
      name: 'a platform token as a key',
      answer: writing({ note: data({ [TOKEN]: 1 }) }),
      is: 'invalid',
    },
    ...[CREDENTIAL, `see x${CREDENTIAL}x`, TOKEN].flatMap((credential) => [
      {
        name: `a platform credential, ${credential.length} characters, written`,
        answer: writing({ note: data({ [credential]: 1 }) }),
        is: 'invalid',
      },
      {
        name: `a platform credential, ${credential.length} characters, in the message of a failure`,
        answer: json({ errorCode: 'BUSY', data: { message: `no ${credential}`, retryable: true } }),
        is: 'invalid',
      },
      {
        name: `a platform credential, ${credential.length} characters, in a field that is ignored`,
        answer: json({ ...success('APPLIED'), debug: [{ authorization: credential }] }),
        is: 'invalid',
      },
      {
        name: `a platform credential, ${credential.length} characters, next to UNKNOWN`,
        answer: json({ ...success('UNKNOWN'), debug: credential }),
        is: 'invalid',
      },
      {
        name: `a platform credential, ${credential.length} characters, in the ignored part of UNKNOWN`,
        answer: json(success('UNKNOWN', { [LOCATOR]: { note: data(credential) } })),
        is: 'uncertain',
      },
    ]),
    {
      name: 'text that only resembles a platform credential',
      answer: writing({ note: data(`bpc_${'y'.repeat(43)}`) }),
      is: 'done',
    },
    {
      name: 'a token that the platform did not issue',
      answer: writing({ note: data('eyJhbGciOiJub25lIn0.eyJpc3MiOiJtZSJ9.AAAA') }),
      is: 'done',
    },
    {
      name: 'the URL of a registered service',
      answer: writing({ note: data('http://events.internal:9000/api') }),
      is: 'invalid',
    },
    {
      name: 'a URL below it, in other case, within text',
      answer: writing({ note: data(['see <HTTP://Events.Internal:9000/api/v1?x=1>']) }),
      is: 'invalid',
    },
    {
      name: 'a URL with the default port',
      answer: writing({ note: data('https://plain.internal:443/x') }),
      is: 'invalid',
    },
    {
      name: 'similar URLs',
      answer: writing({
        note: data('http://events.internal:9000/apix http://events.internal:90001/ https://x.internal'),
      }),
      is: 'done',
    },

    {
      name: 'too deep nesting',
      answer: response(`${'['.repeat(100_000)}${']'.repeat(100_000)}`),
      is: 'invalid',
    },
    {
      name: 'a NUL',
      answer: response(JSON.stringify(success('APPLIED')).replace('"APPLIED"', '"APPLIED","x":"\\u0000"')),
      is: 'invalid',
    },
    {
      name: 'a duplicate key',
      answer: response('{"errorCode":"0","errorCode":"BUSY","data":null}'),
      is: 'invalid',
    },
    {
      name: '__proto__',
      answer: response('{"errorCode":"0","data":null,"__proto__":{"x":1}}'),
      is: 'invalid',
    },
    {
      name: 'a lone surrogate',
      answer: response('{"errorCode":"BUSY","data":{"message":"\\ud800","retryable":true}}'),
      is: 'invalid',
    },
    ...['9007199254740993', '18446744073709551616', '9007199254740992.5', '1e-400'].map((number) => ({
      name: `a write of ${number}, which would change`,
      answer: writingNumber(number),
      is: 'invalid',
    })),
    ...['1.0', '1e2', '34023856717831150', '0.1'].map((number) => ({
      name: `a write of ${number}`,
      answer: writingNumber(number),
      is: 'done',
    })),
  ]

  for (const { name, answer, is } of rows) {
    test(`${name}: ${is}`, () => {
      const judgement = judge(answer)
      assert.equal(row(judgement), is, judgement.failure?.message)
      assert.equal(judgement.httpStatus, answer.kind === 'response' ? answer.status : null)
      if (is === 'done') assert.equal(judgement.failure, null)
      else {
        assert.deepEqual(judgement.writes, {})
        assert.deepEqual(judgement.failure?.errorPath?.slice(0, 2), ['bundle-runtime', 'provisioner'])
        assert.ok((judgement.failure?.message.length ?? 0) <= 512)
        assert.equal(judgement.failure?.retryable, judgement.disposition === 'repeat')
      }
    })
  }

  test('writes are flagged as sensitive exactly where the definition says so', () => {
    const { writes } = judge(writing({ token: data('issued'), tenantId: data('t-1'), note: data('n') }))
    assert.deepEqual(writes, {
      [LOCATOR]: { token: data('issued', true), tenantId: data('t-1'), note: data('n') },
    })
  })

  test('the record of a success contains no sensitive value, old or new', () => {
    const { recorded } = judge(
      writing({
        token: data('issued-now'),
        tenantId: data(`t of ${SECRET}`),
        note: data({ copy: 'issued-now', pin: 4711, [SECRET]: 1 }),
      }),
    )
    const text = JSON.stringify(recorded)
    for (const secret of [SECRET, 'issued-now', '4711']) assert.ok(!text.includes(secret), secret)
    assert.ok(text.includes('"outcome":"APPLIED"'))
    assert.ok(text.includes('"executionSequence":10'))
  })

  test('a part of a token and an address of a service are masked in the message of a failure', () => {
    const address = 'http://events.internal:9000/api/v1'
    const [header = '', payload = ''] = TOKEN.split('.')
    const cut = `${header}.${payload}`
    const message = `No <${address}> with ${cut}, see https://help.example/x`
    const { failure, recorded } = judge(json({ errorCode: 'BUSY', data: { message, retryable: true } }))
    assert.equal(failure?.message, `No <${MASK}> with ${MASK}, see https://help.example/x`)
    assert.ok(!JSON.stringify(recorded).includes(payload))
  })

  test('the message, code and path of a failure are masked', () => {
    const { failure, recorded } = judge(
      json({
        errorCode: 'SHOUTED_SECRET',
        data: {
          message: `wrong password ${SECRET}`,
          retryable: false,
          errorPath: ['provisioner', 'db.internal.example', 'mailer'],
        },
      }),
    )
    assert.equal(failure?.errorCode, 'PLUGIN_REPORTED_FAILURE')
    assert.ok(!failure?.message.includes(SECRET))
    assert.deepEqual(failure?.errorPath, ['bundle-runtime', 'provisioner', '…', 'mailer'])
    const text = JSON.stringify(recorded)
    for (const secret of [SECRET, 'SHOUTED_SECRET', 'db.internal']) assert.ok(!text.includes(secret), secret)
  })

  test('a secret in the message of a failure is masked however the plugin spells it (H02)', () => {
    const hex = (byte: number) => byte.toString(16).padStart(2, '0')
    for (const spelled of [
      SECRET.toUpperCase(),
      [...Buffer.from(SECRET)].map((byte) => `%${hex(byte)}`).join(''),
      [...Buffer.from(SECRET)].map((byte) => `&#x${hex(byte)};`).join(''),
      `${SECRET.slice(0, 5)}\n${SECRET.slice(5)}`,
      [...SECRET].join(' '),
    ]) {
      const { failure, recorded } = judge(
        json({ errorCode: 'BUSY', data: { message: `no ${spelled}`, retryable: true, errorPath: ['x'] } }),
      )
      assert.ok(!failure?.message.includes(spelled), spelled)
      assert.ok(!JSON.stringify(recorded).includes(JSON.stringify(spelled).slice(1, -1)), spelled)
    }
  })

  test('a message that nobody can see is replaced, and what misleads in one is marked', () => {
    const of = (message: string) =>
      judge(json({ errorCode: 'BUSY', data: { message, retryable: true, errorPath: ['store'] } }))
    for (const blank of ['   ', '\u200b\u2060', '\u00a0', '\u3164', '\u180e', '\u202e', '\u0007']) {
      const { failure, disposition, recorded } = of(blank)
      assert.match(failure?.message ?? '', /failed with BUSY without a message/)
      assert.deepEqual([failure?.errorPath?.at(-1), disposition], ['store', 'repeat'])
      assert.ok(!JSON.stringify(recorded).includes(JSON.stringify(blank)))
    }
    assert.equal(
      of('Deleted \u202egpj.exe\u202c\u001b[2J').failure?.message,
      'Deleted \ufffdgpj.exe\ufffd\ufffd[2J',
    )
    assert.equal(of('two\nlines').failure?.message, 'two\nlines')
  })

  suite('the path of a failure', () => {
    const pathOf = (errorPath: string[], request = expected) =>
      judgeAnswer(
        request,
        json({ errorCode: 'BUSY', data: { message: 'x', retryable: true, errorPath } }),
        knowledge,
      ).failure?.errorPath

    test('keeps each name that an ID may have', () => {
      const names = [
        'mail.v2',
        'store~1',
        'a',
        '_a-b.C',
        '-',
        `${'n'.repeat(127)}.`,
        'x'.repeat(128),
        'com.acme.mailer',
      ]
      assert.deepEqual(pathOf(names), ['bundle-runtime', 'provisioner', ...names])
    })

    test('keeps the own ID of the plugin, even if it looks like a host', () => {
      const named = { ...expected, pluginId: 'plugins.acme.com' }
      const own = ['bundle-runtime', 'plugins.acme.com', 'store']
      assert.deepEqual(pathOf(['plugins.acme.com', 'store'], named), own)
      assert.deepEqual(pathOf(['store', 'plugins.acme.com'], named)?.slice(2), ['store', 'plugins.acme.com'])
    })

    test('shows no host, address or other text', () => {
      const hosts = [
        'db.acme.com',
        'db.acme.DE',
        '10.0.0.5',
        'localhost',
        'db.prod.svc',
        'db.cluster.local',
        'db:5432',
      ]
      const others = ['http://db/x', 'a/b', '..', 'x'.repeat(129), SECRET, TOKEN.slice(0, 45)]
      for (const name of [...hosts, ...others])
        assert.deepEqual(pathOf([name, 'store']), ['bundle-runtime', 'provisioner', '…', 'store'], name)
    })

    test('keeps both ends of a long path, and marks the gap', () => {
      const path = (length: number) => Array.from({ length }, (_, index) => `s${index + 1}`)
      assert.deepEqual(pathOf(path(16))?.slice(2), path(16))
      for (const length of [17, 40, 5_000]) {
        const shown = pathOf(path(length))?.slice(2) ?? []
        assert.equal(shown.length, 16)
        assert.deepEqual([shown[0], shown[7], shown[8]], ['s1', 's8', '…'])
        assert.deepEqual(shown.slice(9), path(length).slice(-7))
      }
    })
  })

  test('only the size, the type and the known fields of an invalid response are recorded', () => {
    const body = JSON.stringify({
      ...success('APPLIED', { [LOCATOR]: { 'secret-name': 'secret-value' } }),
      'secret-key': 'secret-value',
    })
    const { failure, recorded } = judge(response(body, 200, 'application/json; charset=secret'))
    assert.deepEqual(recorded, {
      size: body.length,
      contentType: 'application/json',
      known: { contractVersion: '1.0.0', errorCode: '0', outcome: 'APPLIED' },
    })
    assert.ok(!failure?.message.includes('secret'), failure?.message)
  })

  test('a response without a field of an envelope need not come from a plugin', () => {
    const reasonFor = (value: JsonValue) => judge(json(value)).failure?.parameters?.['reason']
    for (const foreign of [{ error: 'login_required' }, {}, [], 'OK', null])
      assert.equal(reasonFor(foreign), 'callForeign', JSON.stringify(foreign))
    for (const own of [{ errorCode: 0 }, { data: null }, { contractVersion: '1.0.0' }])
      assert.equal(reasonFor(own), 'callInvalid', JSON.stringify(own))
  })
  test('a problem names the known field, and never what was sent', () => {
    const message = (answer: OutboundResult) => judge(answer).failure?.message ?? ''
    assert.match(
      message(writing({ tenantId: 'bare' })),
      /data\.resources\.source\/crm\/MODULE\/tenants\.tenantId/,
    )
    assert.match(message(withData((given) => (given['stage'] = 'AFTER_RESOURCES'))), /data\.stage/)
    const extra = { ...expected.installation, secretField: 1 }
    assert.ok(!message(json(success('APPLIED', {}, { installation: extra }))).includes('secretField'))
    assert.ok(!message(writing({ 'secret-name': data('x') })).includes('secret-name'))
    assert.ok(!message(response('{"secret-name":1,"secret-name":2}')).includes('secret-name'))
  })

  test('a field that differs from the request is recorded beside the expected one', () => {
    const { failure, recorded } = judge(json(success('APPLIED', {}, { executionSequence: 11 })))
    assert.equal(failure?.parameters?.['reason'], 'callEchoDiffers')
    assert.equal(failure?.parameters?.['field'], 'data.executionSequence')
    const { differs } = recorded as { differs: unknown }
    assert.deepEqual(differs, [{ field: 'executionSequence', expected: 10, received: 11 }])
    // anything that is not an identifier, is sensitive or is a credential is replaced
    for (const pluginId of ['two words', CREDENTIAL, 'SHOUTED_SECRET']) {
      const text = JSON.stringify(judge(json(success('APPLIED', {}, { pluginId }))).recorded)
      assert.ok(!text.includes(pluginId), text)
    }
  })

  test('every field that differs is told, the operation first', () => {
    const operation = {
      ...expected.operation,
      operationId: 'a0000000-0000-4000-8000-000000000001',
      currentVersion: '2.0.0',
      targetVersion: '2.0.0',
    }
    const installation = {
      ...expected.installation,
      bundle: { ...expected.installation.bundle, bundleId: 'other' },
    }
    const other = { executionSequence: 11, installation, operation, stage: 'AFTER_RESOURCES' }
    const { failure, recorded } = judge(json(success('APPLIED', {}, other)))
    const fields = [
      'operation.operationId',
      'executionSequence',
      'installation.bundle.bundleId',
      'operation.currentVersion',
      'operation.targetVersion',
      'stage',
    ]
    const { differs } = recorded as { differs: { field: string; received: JsonValue }[] }
    assert.deepEqual(
      differs.map(({ field }) => field),
      fields,
    )
    assert.equal(differs[0]?.received, operation.operationId)
    assert.equal(failure?.parameters?.['field'], fields.map((field) => `data.${field}`).join(', '))
  })

  test('a property that the plugin must not write is named if the bundle defines it', () => {
    const narrow = { ...authorization(), resources: [] as ReturnType<typeof authorization>['resources'] }
    narrow.resources = authorization().resources.map((resource) => ({ ...resource, writeProperties: [] }))
    const { failure } = judgeAnswer(expected, writing({ tenantId: data('t') }), {
      ...knowledge,
      authorization: narrow,
    })
    assert.equal(failure?.parameters?.['reason'], 'callWriteNotAllowed')
    assert.match(failure?.message ?? '', /writes tenantId of source\/crm\/MODULE\/tenants/)
  })

  test('a write without permission names the rule, the known resource, and no name that only the plugin knows', () => {
    const other = 'source/crm/MODULE/other'
    const wide = { ...knowledge, definitions: { ...knowledge.definitions, [other]: {} } }
    const reasonOf = (resources: JsonValue) => {
      const { failure } = judgeAnswer(expected, json(success('APPLIED', resources)), wide)
      const { reason, locator } = failure?.parameters ?? {}
      assert.doesNotMatch(JSON.stringify(failure), /secret-name/)
      return [reason, locator]
    }
    assert.deepEqual(reasonOf({ 'source/crm/MODULE/secret-name': { a: data('x') } }), [
      'callWriteResourceUnknown',
      undefined,
    ])
    assert.deepEqual(reasonOf({ [other]: { 'secret-name': data('x') } }), ['callWriteNoResource', other])
    assert.deepEqual(reasonOf({ [LOCATOR]: { 'secret-name': data('x') } }), [
      'callWritePropertyUnknown',
      LOCATOR,
    ])
    assert.deepEqual(reasonOf({ [LOCATOR]: { instanceRefProperty: data('x') } }), [
      'callWriteProtected',
      LOCATOR,
    ])
  })

  test('a cause says that a call was not received if no byte of it was sent', () => {
    for (const reason of FAILURE_REASONS)
      assert.equal(NOT_RECEIVED.has(causeOfNoResponse(reason).reason), !failureTraits(reason).isSent, reason)
  })

  test('a web page has a separate reason', () => {
    const reasonOf = (type: string) =>
      judge(response('<p>Sign in</p>', 200, type)).failure?.parameters?.['reason']
    assert.equal(reasonOf('text/html; charset=utf-8'), 'callWebPage')
    assert.equal(reasonOf('application/json'), 'callNotJson')
  })

  test('only the size and the type of a response that is not judged are recorded', () => {
    const { recorded } = judge(response('Bad Gateway secret', 502, 'text/html'))
    assert.deepEqual(recorded, { size: 18, contentType: 'text/html' })
  })

  test('a text that could be a token in very many ways is looked at once (E05)', () => {
    let looks = 0
    const counting = {
      ...knowledge,
      isPlatformPayload: () => {
        looks++
        return false
      },
    }
    const payload = Buffer.from('{"a":1}').toString('base64url')
    const text = `${'ey'.repeat(100)}.${payload}.x`
    judgeAnswer(expected, writing({ note: data(Array.from({ length: 3_000 }, () => text)) }), counting)
    // with its value, and with the whole response
    assert.equal(looks, 2 * 3_000)
  })

  test('URLs with very many slashes are judged quickly (E05)', () => {
    const endWork = boundWork(2)
    judge(writing({ note: data(`http://a/${'/'.repeat(20_000)}x `.repeat(48)) }))
    endWork()
  })

  test('URLs are judged as quickly among very many services of a gateway (E05)', () => {
    const serviceAddresses = Array.from({ length: 40_000 }, (_, at) => `http://gateway/services/${at}`)
    const endWork = boundWork(2)
    judgeAnswer(expected, writing({ note: data('http://gateway/of/nothing/x '.repeat(9_000)) }), {
      ...knowledge,
      serviceAddresses,
    })
    endWork()
  })

  test('very many texts like credentials are judged quickly beside very many others (E05)', () => {
    const candidates = Array.from({ length: 10_000 }, (_, at) => `bpc_${String(at).padStart(43, '0')}`)
    const failed = success('FAILED', { [LOCATOR]: { note: data(candidates) } })
    const endWork = boundWork(1)
    const judged = judgeAnswer(
      expected,
      json({ ...failed, more: Array.from({ length: 100_000 }, () => 'a') }),
      {
        ...knowledge,
        issuedCredentials: new Set(candidates),
      },
    )
    endWork()
    assert.equal(judged.failure?.errorCode, 'PLUGIN_REPORTED_FAILURE')
  })

  test('an adversarial body is judged quickly (E05)', () => {
    const endWork = boundWork(5)
    for (const text of [
      'ey'.repeat(250_000),
      'ey.'.repeat(160_000),
      'http://'.repeat(70_000),
      'a.'.repeat(250_000),
    ])
      judge(writing({ note: data(text) }))
    judge(writing({ note: data(Array.from({ length: 200_000 }, () => 1)) }))
    endWork()
  })
})

test('an answer with very many values is judged at once (E05)', () => {
  const names = Array.from({ length: 15_000 }, (_, index) => `p${index}`)
  const { resources, ...others } = authorization()
  const many: JudgeInput = {
    ...knowledge,
    authorization: {
      ...others,
      resources: resources.map((resource) => ({ ...resource, writeProperties: names })),
    },
    definitions: {
      [LOCATOR]: Object.fromEntries(names.map((name) => [name, { kind: 'DATA', schema: true }])),
    },
  }
  const answer = writing(Object.fromEntries(names.map((name) => [name, data(1)])))
  const endWork = boundWork(4)
  const { disposition, writes } = judgeAnswer(expected, answer, many)
  assert.equal(disposition, 'done')
  assert.equal(Object.keys(writes[LOCATOR] ?? {}).length, 15_000)
  endWork()
})

test('beside more secrets than can be found, all that the plugin wrote is masked, and nothing else (H02)', () => {
  const many = {
    ...knowledge,
    sensitiveValues: [Array.from({ length: 5_001 }, (_, index) => `secret ${index}`)],
  }
  const { sensitiveValues } = many
  const unavailable = judgeAnswer(expected, response('', 503), many)
  assert.equal(unavailable.failure?.parameters?.['reason'], 'callHttpStatus')
  assert.deepEqual(maskFailure(unavailable.failure, sensitiveValues), unavailable.failure)

  const written = judgeAnswer(expected, writing({ tenantId: data('It is secret 17') }), many)
  const shown = successOf(expected, {
    outcome: 'APPLIED',
    resources: { [LOCATOR]: { tenantId: data(MASK) } },
  })
  assert.deepEqual(written.recorded, shown)
  assert.deepEqual(
    maskResponse(written.recorded, sensitiveValues, () => false),
    shown,
  )

  const failed = judgeAnswer(
    expected,
    json({ errorCode: 'BROKEN', data: { message: 'It is secret 17', retryable: false } }),
    many,
  )
  assert.equal(failed.failure?.message, MASK)
  const earlier = {
    contractVersion: '1',
    errorCode: 'BROKEN',
    data: { message: 'secret 17', retryable: false },
  }
  assert.deepEqual(
    maskResponse(earlier, sensitiveValues, () => false),
    {
      contractVersion: '1',
      errorCode: MASK,
      data: { message: MASK, retryable: false },
    },
  )

  const request = {
    ...expected,
    resources: mapValues(expected.resources, (entry) => ({
      ...entry,
      properties: { note: data('It is secret 17') },
    })),
  }
  assert.deepEqual(
    maskRequest(requestBytes(request), sensitiveValues, () => false),
    {
      ...request,
      resources: mapValues(request.resources, (entry) => ({ ...entry, properties: { note: data(MASK) } })),
    },
  )
  // where a redirect leads is no text of the platform
  const origin = { plugin: 'mailer', origin: 'https://secret-17.example' }
  const leading = callFailure(
    'mailer',
    'PLUGIN_RESULT_UNKNOWN',
    platformMessage('callRedirectedTo', origin),
    true,
  )
  assert.doesNotMatch(JSON.stringify(maskFailure(leading, sensitiveValues)), /secret-17/)
})
