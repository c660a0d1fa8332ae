import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { fillPath } from '#contract/endpoint/endpoint.ts'
import { wrapData, wrapSensitive } from '#contract/protocol/data.ts'
import type { JsonObject, JsonValue } from '#contract/json-schema/json.ts'
import { createLog } from '#http-kit/log.ts'
import { Scrubber } from '#http-kit/text/scrub.ts'
import { until } from '../testing/stream.ts'
import { RESOLVE, testHttp, textOf } from '../testing/http.ts'
import type { TestAnswer, TestHttp } from '../testing/http.ts'
import { testingPlugin } from '../testing/plugin.ts'
import type { Reply, TestingPlugin } from '../testing/plugin.ts'
import { findCanaries } from '../testing/canary.ts'

// A bundle with recognizable sensitive values goes through every kind of operation. Then everything that the runtime
// has stored, answered and logged is searched for them.

const SCOPE = { environmentKey: 'prod', applicationRuntimeId: 'shop', workspaceId: 7 }
const CORE = 'dev/safe/MODULE/core'
const configuration = fillPath(
  '/scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration',
  { ...SCOPE },
)

const SECRETS: string[] = []
/** A secret that contains every character that some encoding changes. */
const secret = (name: string): string => {
  const canary = `canary${name}5f3a9c1e`
  SECRETS.push(canary)
  return `"${canary}" \\ & / é %41`
}
const SHOWN = 'canary-for-all-to-see'
const NOTE = 'canary-of-a-note-that-becomes-sensitive'

const text = { type: 'string', maxLength: 200 } as const
const manifest = (version: string) => ({
  bundle: { environmentKey: 'dev', bundleId: 'safe' },
  version,
  title: 'Safe',
  resources: [
    {
      kind: 'MODULE' as const,
      name: 'core',
      title: 'Core',
      moduleId: 'safe-core',
      properties: {
        name: { kind: 'DATA' as const, schema: text },
        note: { kind: 'DATA' as const, schema: text, ...(version !== '1' && { isSensitive: true }) },
        password: { kind: 'DATA' as const, schema: text, isSensitive: true, required: true },
        ...(version === '1' && { profile: { kind: 'DATA' as const, schema: true, isSensitive: true } }),
        token: { kind: 'DATA' as const, schema: text, isSensitive: true },
        mail: { kind: 'SERVICE_REFERENCE' as const },
        instanceRefProperty: { kind: 'DATA' as const, schema: { type: 'string' } },
      },
    },
  ],
  plugins: [
    {
      pluginId: 'keeper',
      order: 1,
      failurePolicy: 'FAIL_FAST' as const,
      configuration: { schemaVersion: '1', values: {} },
      resources: [
        {
          object: { type: 'MODULE' as const, moduleId: 'safe-core' },
          readProperties: ['name', 'note', 'password', 'token'],
          writeProperties: ['token'],
          credentialProperties: ['mail'],
        },
      ],
    },
  ],
})

let http: TestHttp
let plugin: TestingPlugin
const logged: string[] = []
const answers: string[] = []
before(async () => {
  plugin = await testingPlugin()
  const stream = { write: (line: string) => logged.push(line) }
  http = await testHttp({
    worker: { pollMs: 50 },
    log: createLog({ name: 'test', level: 'debug', stream }),
  })
})
after(async () => {
  await http.close()
  await plugin.close()
})

async function call(path: string, method: string, body?: JsonObject, key?: string): Promise<TestAnswer> {
  const answer = await http.call(path, { method, ...(body && { body }), ...(key !== undefined && { key }) })
  answers.push(JSON.stringify(answer.json))
  return answer
}

async function ok(path: string, method: string, body?: JsonObject): Promise<JsonObject> {
  const answer = await call(path, method, body)
  assert.equal(answer.errorCode, '0', JSON.stringify(answer.json))
  return answer.data
}

async function ends(started: JsonObject, state: string): Promise<string> {
  const operationId = textOf(started['operationId'])
  let operation: JsonObject = {}
  await until(async () => {
    // does not collect this response: a plugin message about a value that is not yet known to be sensitive is shown
    operation = (await http.call(`/operations/${operationId}`)).data
    return ['SUCCEEDED', 'FAILED', 'TAKEN_OVER'].includes(textOf(operation['state']))
  })
  assert.equal(operation['state'], state, JSON.stringify(operation['failure']))
  await ok(`/operations/${operationId}`, 'GET')
  return operationId
}

const operationOf = (data: JsonObject): JsonObject => data['operation'] as JsonObject
const snapshotVersion = async (): Promise<number> =>
  Number((await ok(configuration, 'GET'))['snapshotVersion'])

async function save(properties: JsonObject, key?: string): Promise<TestAnswer> {
  const body = { snapshotVersion: await snapshotVersion(), changes: { [CORE]: properties } }
  const answer = await call(configuration, 'PATCH', body, key)
  if (key !== undefined) assert.deepEqual((await call(configuration, 'PATCH', body, key)).json, answer.json)
  return answer
}

const savedOperation = ({ data, json }: TestAnswer): JsonObject => {
  const [operation] = data['operations'] as JsonObject[]
  assert.ok(operation, JSON.stringify(json))
  return operation
}

const writing = (token: string): Reply => ({
  outcome: 'APPLIED',
  resources: { [CORE]: { token: wrapSensitive(token) } },
})
const applied: Reply = { outcome: 'APPLIED' }
const failing = (message: string, retryable: boolean): Reply => ({
  errorCode: 'TENANT_TROUBLE',
  data: { message, retryable },
})

const valuesIn = (index: number): Record<string, JsonValue> =>
  Object.fromEntries(
    Object.entries(plugin.calls.at(index)?.request.resources[CORE]?.properties ?? {}).map(([name, data]) => [
      name,
      data.value,
    ]),
  )

describe('sensitive values and tokens', () => {
  let installId = ''
  const tokens: string[] = []

  it('are used in install, save, upgrade, failure, retry, takeover and copy', async () => {
    const registration = {
      title: 'Keeper',
      endpoint: plugin.endpoint('keeper'),
      enabled: true,
      maxBackoffMs: 100,
    }
    await ok('/plugins/keeper', 'PUT', registration)
    const credential = textOf((await ok('/plugins/keeper/credentials', 'POST', {}))['secret'])
    tokens.push(credential)
    const service = { title: 'Mail', url: 'http://127.0.0.1:9/mail', methods: ['send'], owner: null }
    await ok('/services/mail', 'PUT', { ...service, consumers: [{ ...SCOPE }], enabled: true })
    for (const version of ['1', '2'])
      await ok(`/bundles/dev/safe/versions/${version}`, 'PUT', manifest(version))

    const password = secret('Install')
    const written = secret('Written')
    plugin.script(async ({ stage, request }, earlier) => {
      if (stage === 'BEFORE_RESOURCES')
        // its first messages quote the token before it is known to be sensitive
        return earlier < 2
          ? failing(earlier === 0 ? `${written} exists` : `no ${password}`, true)
          : writing(written)
      const resolved = await http.send(RESOLVE, {
        method: 'POST',
        headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          contractVersion: '4.0.0',
          installation: request.installation,
          resource: CORE,
          propertyKey: 'mail',
        }),
      })
      const found = /"(ey[\w.-]+)"/.exec(await resolved.text())?.[1]
      assert.ok(found)
      tokens.push(found)
      return applied
    })
    const installed = await ok('/installations', 'POST', {
      scope: { ...SCOPE },
      bundle: { environmentKey: 'dev', bundleId: 'safe' },
      targetVersion: '1',
      properties: {
        [CORE]: {
          name: wrapData(SHOWN),
          note: wrapData(NOTE),
          password: wrapData(password),
          profile: wrapData({ [secret('Key')]: [{ deep: secret('Deep') }], count: 918273645546372 }),
          mail: { '@type': 'ServiceReference', serviceId: 'mail' },
        },
      },
    })
    const operationId = await ends(operationOf(installed), 'SUCCEEDED')
    const detail = await ok(`/operations/${operationId}`, 'GET')
    installId = textOf((detail['installation'] as JsonObject)['bundleInstallId'])

    plugin.script(() => applied)
    await ends(savedOperation(await save({ password: wrapData(secret('Saved')) }, 'once')), 'SUCCEEDED')
    assert.equal(valuesIn(-1)['token'], written)
    const tooLong = await save({ password: wrapData(secret('Refused').repeat(20)) })
    assert.equal(tooLong.errorCode, 'PROPERTY_INVALID')
  })

  it('are sealed when an upgrade makes them sensitive', async () => {
    const before = await findCanaries(http.runtime.deps.db, [NOTE])
    for (const place of [
      'configuration_property.value',
      'installed_resource.properties',
      'snapshot_change.after',
    ])
      assert.ok(before.includes(`${place}: ${NOTE}`), `${place} was not searched: ${before.join()}`)

    const token = secret('Upgraded')
    let isBroken = true
    plugin.script(({ stage }) => {
      if (stage === 'AFTER_RESOURCES') return isBroken ? failing(`with ${token}`, false) : applied
      return writing(token)
    })
    const upgraded = await ok(`/installations/${installId}/upgrade`, 'POST', {
      targetVersion: '2',
      properties: { [CORE]: { password: wrapData(secret('ForUpgrade')) } },
      snapshotVersion: await snapshotVersion(),
    })
    const operationId = await ends(operationOf(upgraded), 'FAILED')
    isBroken = false
    await ends(operationOf(await ok(`/operations/${operationId}/retry`, 'POST', { run: 1 })), 'SUCCEEDED')

    const { data } = await call(configuration, 'GET')
    assert.ok(!JSON.stringify(data).includes(NOTE))
    const still = await findCanaries(http.runtime.deps.db, [NOTE])
    for (const table of ['configuration_property', 'installed_resource', 'snapshot_change'])
      assert.ok(!still.some((place) => place.startsWith(table)), still.join())
  })

  it('are copied into a new installation from one whose operation was taken over', async () => {
    const last = secret('Last')
    plugin.script(() => ({
      outcome: 'APPLIED',
      resources: { [CORE]: { password: wrapSensitive(last), [secret('Name')]: wrapData(last) } },
    }))
    const operationId = await ends(savedOperation(await save({ password: wrapData(last) })), 'FAILED')
    plugin.script(() => applied)
    const takeover = { run: 1, reason: 'beyond repair' }
    await ends(operationOf(await ok(`/operations/${operationId}/takeover`, 'POST', takeover)), 'SUCCEEDED')

    const copied = await ok('/installations', 'POST', {
      scope: { ...SCOPE },
      bundle: { environmentKey: 'dev', bundleId: 'safe' },
      targetVersion: '2',
      copyFrom: { bundleInstallId: installId },
    })
    await ends(operationOf(copied), 'SUCCEEDED')
    assert.equal(valuesIn(-1)['password'], last)
    assert.equal(valuesIn(-1)['note'], NOTE)
  })

  it('appear nowhere in the database, in responses or in the log (H02)', async () => {
    tokens.push(...plugin.calls.map(({ authorization }) => String(authorization).replace('Bearer ', '')))
    assert.ok(tokens.length > 10 && tokens.every((token) => token.length > 20))
    const signatures = tokens.map((token) => token.split('.').at(-1) ?? token)
    const hidden = [...SECRETS, '918273645546372', ...tokens, ...signatures]
    assert.ok(SECRETS.length >= 9)
    for (const page of [configuration, `${configuration}/history`, `${configuration}/snapshots/2`, '/audit'])
      await ok(page, 'GET')

    assert.deepEqual(await findCanaries(http.runtime.deps.db, hidden), [])
    const scrubber = new Scrubber()
    // only the first response shows the credential
    for (const canary of hidden.filter((one) => one !== tokens[0])) scrubber.add(canary)
    const leaks = [...answers, ...logged].filter((line) => scrubber.contains(line))
    assert.equal(leaks.length, 0, leaks[0])
    assert.ok(logged.length > 10 && answers.length > 20)
  })

  it('would be found, as values that are not sensitive and planted ones are', async () => {
    const { db } = http.runtime.deps
    const found = await findCanaries(db, [SHOWN])
    for (const place of [
      'configuration_property.value',
      'installed_resource.properties',
      'operation_plan.plan',
    ])
      assert.ok(found.includes(`${place}: ${SHOWN}`), found.join())
    const [canary = ''] = SECRETS
    const planted = [
      Buffer.from(`x${canary}`).toString('base64'),
      Buffer.from(canary).toString('hex'),
      `a ${canary} b`,
    ]
    for (const response of planted) {
      await db
        .updateTable('runtime.attempt')
        .set({ response: JSON.stringify({ response }) })
        .execute()
      assert.deepEqual(await findCanaries(db, [canary]), [`attempt.response: ${canary}`])
    }
    await db.updateTable('runtime.attempt').set({ response: null }).execute()
    await db
      .updateTable('runtime.plugin_call')
      .set({ request: Buffer.from(`\u0001${canary}`) })
      .execute()
    assert.deepEqual(await findCanaries(db, [canary]), [`plugin_call.request: ${canary}`])
  })
})
