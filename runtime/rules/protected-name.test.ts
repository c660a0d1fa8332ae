import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { wrapData } from '#contract/protocol/data.ts'
import type { JsonObject } from '#contract/json-schema/json.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { createLog } from '#http-kit/log.ts'
import { API, CREDENTIAL } from '../testing/http.ts'
import type { Reply } from '../testing/plugin.ts'
import {
  bindingOf,
  bundleOf,
  locatorOf,
  moduleOf,
  placeOf,
  startRuleHarness,
  TEXT,
  wrapped,
} from '../testing/rules.ts'
import type { RuleHarness } from '../testing/rules.ts'

// A failure, a problem or a log line never contains the name of the protected property: it is called "a protected
// property". Only a manifest shows the name. See docs/protocol.md#the-protected-property.

const REF = 'instanceRefProperty'
const bundle = bundleOf('named', {
  resources: [moduleOf('main', { [REF]: TEXT, name: TEXT, made: TEXT })],
  plugins: [bindingOf('namer', 1, { main: { reads: [REF, 'name'], writes: ['made'] } })],
})
const MAIN = locatorOf(bundle, 'main')

let harness: RuleHarness
let scope: Scope
let bundleInstallId: string
let logged = ''
before(async () => {
  const log = createLog({ name: 'test', level: 'debug', stream: { write: (line) => (logged += line) } })
  harness = await startRuleHarness({ log })
  await harness.register('namer')
  await harness.publish(bundle)
  scope = harness.newScope()
  bundleInstallId = await harness.installed(bundle, { scope })
})
after(() => harness.close())

/** Sends an arbitrary request with its body as given. */
async function send(method: string, path: string, body?: unknown): Promise<string> {
  const response = await harness.http.send(API + path, {
    method,
    headers: {
      authorization: `Bearer ${CREDENTIAL}`,
      'x-runtime-actor-assertion': await harness.http.assertion(),
      'idempotency-key': randomUUID(),
      'content-type': 'application/json',
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  return response.text()
}

/** A refusal has no data, but a failure or a problem. */
function assertRefusedWithoutName(text: string, what: string): void {
  const answer = JSON.parse(text) as JsonObject
  assert.notEqual(answer['errorCode'], '0', what)
  assert.ok(!text.includes(REF), `${what}: ${text}`)
}

const named = wrapped({ [REF]: 'mine' })
const others = { bundle: bundle.bundle, targetVersion: '1.0.0' }

describe('the name of the protected property does not appear in a refusal', () => {
  it('of a save, a plan, a full configuration, an install, an upgrade or a local service', async () => {
    const path = `${placeOf(scope)}/configuration`
    const { snapshotVersion } = await harness.configuration(scope)
    const values: unknown[] = [wrapData('mine'), null, 'bare', { '@type': 'Data' }, { '@type': 'Other' }, []]
    const bodies: [string, string, unknown][] = values.flatMap((value): [string, string, unknown][] => [
      ['PATCH', path, { snapshotVersion, changes: { [MAIN]: { [REF]: value } } }],
      ['PUT', path, { snapshotVersion, resources: { [MAIN]: { properties: { [REF]: value } } } }],
      [
        'POST',
        '/installations',
        { ...others, scope: harness.newScope(), properties: { [MAIN]: { [REF]: value } } },
      ],
      [
        'POST',
        `/installations/${bundleInstallId}/upgrade`,
        { targetVersion: '2.0.0', snapshotVersion, properties: { [MAIN]: { [REF]: value } } },
      ],
      ['PUT', `${placeOf(scope)}/local-services/cache`, { version: 0, values: { [REF]: value } }],
    ])
    for (const [method, to, body] of bodies)
      assertRefusedWithoutName(await send(method, to, body), `${method} ${to} ${JSON.stringify(body)}`)
    // a plan is not a refusal: it returns the problems of a save as data
    const planned = await send('POST', `${path}/plan`, { snapshotVersion, changes: { [MAIN]: named } })
    assert.match(planned, /PROPERTY_PROTECTED/)
    const { problems } = (JSON.parse(planned) as { data: { problems: JsonObject[] } }).data
    assert.ok(!JSON.stringify(problems).includes(REF))
  })

  it('of a malformed body or address that names it', async () => {
    const path = `${placeOf(scope)}/configuration`
    const twice = `{"snapshotVersion":1,"changes":{"${MAIN}":{"${REF}":null,"${REF}":null}}}`
    const requests: [string, string, unknown?][] = [
      ['PATCH', path, twice],
      ['PATCH', path, `{"snapshotVersion":1,"changes":{"${MAIN}":{"${REF}":{"value":1e999}}}}`],
      ['PATCH', path, { snapshotVersion: 1, changes: {}, [REF]: 1 }],
      ['PATCH', path, { snapshotVersion: 1, changes: { [REF]: {} } }],
      ['GET', `${path}?${REF}=1`],
      ['GET', `/installations?state=${REF}`],
      ['GET', `/${REF}`],
      ['GET', `${placeOf(scope)}/local-services/${REF}`],
      ['PUT', `/plugins/${REF}`, { [REF]: 1 }],
    ]
    for (const [method, to, body] of requests)
      assertRefusedWithoutName(await send(method, to, body), `${method} ${to}`)
  })

  it('of a manifest that uses it wrongly', async () => {
    const [plugin] = bundle.plugins
    const [access] = plugin?.resources ?? []
    const withAccess = (lists: object) => ({ plugins: [{ ...plugin, resources: [{ ...access, ...lists }] }] })
    const withProperty = (definition: unknown) => ({
      resources: [{ ...bundle.resources[0], properties: { name: TEXT, made: TEXT, [REF]: definition } }],
    })
    const manifests = [
      withAccess({ writeProperties: [REF] }),
      withAccess({ credentialProperties: [REF] }),
      withProperty({ kind: 'SERVICE_REFERENCE' }),
      withProperty({ kind: 'DATA' }),
      withProperty({ kind: 'DATA', schema: { type: 'nothing' } }),
      withProperty({ kind: 'DATA', schema: { enum: [REF] }, default: 'x' }),
      { resources: [{ kind: 'TIMER', name: 'x', title: 'x', properties: { [REF]: TEXT } }], plugins: [] },
      { resources: [moduleOf('main', { name: TEXT, made: TEXT })] },
      { [REF]: 1 },
    ]
    for (const change of manifests) {
      const manifest = { ...bundle, version: '3.0.0', ...change }
      const refusal = await send('PUT', '/bundles/source/named/versions/3.0.0', manifest)
      assertRefusedWithoutName(refusal, JSON.stringify(change))
      assert.match(refusal, /MANIFEST_INVALID/)
    }
  })

  it('of a value whose schema names it', async () => {
    const choosy = bundleOf('choosy', {
      resources: [moduleOf('main', { pick: { kind: 'DATA', schema: { enum: [REF, 'other'] } } })],
    })
    await harness.publish(choosy)
    await harness.installed(choosy, { scope })
    const refused = await harness.save(scope, { [locatorOf(choosy, 'main')]: wrapped({ pick: 'neither' }) })
    assert.equal(refused.errorCode, 'PROPERTY_INVALID')
    assertRefusedWithoutName(JSON.stringify(refused.json), 'a choice')
  })
})

describe('the name of the protected property does not appear in the failure of an operation', () => {
  const bare = (value: unknown): Reply => ({
    outcome: 'APPLIED',
    resources: { [MAIN]: { [REF]: value } } as unknown as JsonObject,
  })
  const replies: Record<string, Reply> = {
    'that writes it': bare(wrapData('mine')),
    'that writes it bare': bare('mine'),
    'whose message names it': { errorCode: 'BROKEN', data: { message: `No ${REF} here`, retryable: false } },
    'whose message names it and has the maximum length': {
      errorCode: 'BROKEN',
      data: { message: `${REF} `.repeat(40).slice(0, 512), retryable: false },
    },
    'whose errorPath names it': {
      errorCode: 'BROKEN',
      data: { message: 'No', retryable: false, errorPath: [REF] },
    },
  }
  for (const [what, reply] of Object.entries(replies))
    it(`because of a response ${what}`, async () => {
      harness.plugin.script(() => reply)
      const { operationId } = await harness.install(bundle, { scope: harness.newScope() })
      const { failure, stages } = await harness.ended(operationId)
      assert.ok(failure !== null)
      const shown = [
        failure,
        stages.flatMap(({ calls }) =>
          calls.flatMap(({ attempts }) => attempts.map((attempt) => [attempt.failure, attempt.response])),
        ),
      ]
      assert.ok(!JSON.stringify(shown).includes(REF), JSON.stringify(shown))
      assert.ok([...failure.message].length <= 512)
    })
})

describe('the log', () => {
  it('has lines about all of these, and none contains the name', () => {
    assert.ok(logged.split('\n').length > 50)
    assert.ok(!logged.includes(REF))
  })
})
