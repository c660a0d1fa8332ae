import { createPrivateKey, sign } from 'node:crypto'
import type { JsonObject, JsonValue } from '#contract/json-schema/json.ts'
import type { LifecycleRequest } from '#contract/protocol/lifecycle.ts'
import type { InstallationIdentity } from '#contract/protocol/scope.ts'
import type { OperationType, Outcome, Stage } from '#contract/protocol/vocabulary.ts'

/** One request and one response, byte for byte. A text is UTF-8 without a byte order mark or a final newline. */
export interface Exchange {
  name: string
  title: string
  /** Who receives the request. */
  to: 'plugin' | 'plugin-manager' | 'service'
  /** The time at which the tokens are valid, RFC 3339. */
  at: string
  request: { method: 'POST'; path: string; headers: Record<string, string>; body: string }
  response: { status: number; headers: Record<string, string>; body: string }
  /** What the runtime does with the response of a plugin. */
  meaning?: 'done' | 'repeat' | 'failed'
}

/** For tests only: everyone knows these keys. The private key is the last member of the key. */
export const TEST_KEY = {
  kty: 'OKP',
  crv: 'Ed25519',
  kid: 'wire-kit-test-key',
  alg: 'EdDSA',
  use: 'sig',
  x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
  d: 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A',
} as const

export const ISSUER = 'https://platform.test'
export const CREDENTIAL = 'wire-kit-test-credential'
const AT = 1_767_261_600
const TTL = 300
const LOCATOR = 'production/crm-suite/MODULE/crm-core'
const PLUGIN = 'tenant-provisioner'
const MANAGER = '/module-plugin-manager/api/bundle-plugin'
const JSON_TYPE = { 'content-type': 'application/json' }

const INSTALLATION: InstallationIdentity = {
  environmentKey: 'live',
  applicationRuntimeId: 'runtime-1',
  workspaceId: 7,
  bundleInstallId: '019b7a1c-6e00-7c11-8a2f-3d5e9b1f0a01',
  bundle: { environmentKey: 'production', bundleId: 'crm-suite' },
}

const encoded = (part: JsonValue): string => Buffer.from(JSON.stringify(part)).toString('base64url')

function signed(claims: JsonObject): string {
  const header = { alg: 'EdDSA', kid: TEST_KEY.kid, typ: 'JWT' }
  const input = `${encoded(header)}.${encoded({ ...claims, iss: ISSUER, iat: AT, exp: AT + TTL })}`
  const key = createPrivateKey({ key: TEST_KEY, format: 'jwk' })
  return `${input}.${sign(null, Buffer.from(input), key).toString('base64url')}`
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}`, ...JSON_TYPE })

interface CallOptions {
  number: number
  type: OperationType
  stage?: Stage
  displayName?: string
  sequence?: number
}

function lifecycle({ number, type, stage, displayName, sequence }: CallOptions): LifecycleRequest {
  const currentVersion = type === 'INSTALL' ? null : '1.0.0'
  const targetVersion = type === 'UPGRADE' ? '1.1.0' : '1.0.0'
  return {
    contractVersion: '6.0.0',
    pluginId: PLUGIN,
    executionSequence: sequence ?? number,
    installation: INSTALLATION,
    operation: {
      operationId: `019b7a1c-6e00-7c11-8a2f-3d5e9b1f0b0${number}`,
      operationType: type,
      currentVersion,
      targetVersion,
    },
    stage: stage ?? 'BEFORE_RESOURCES',
    configuration: { schemaVersion: '1.0.0', values: { region: 'eu' } },
    resources: {
      [LOCATOR]: {
        action: type,
        currentVersion,
        targetVersion,
        properties: {
          displayName: { '@type': 'Data', value: displayName ?? 'Northwind Käufer' },
          apiKey: { '@type': 'Data', value: 'k-4711', isSensitive: true },
        },
        references:
          stage === 'AFTER_RESOURCES'
            ? { mailGateway: { '@type': 'ServiceReference', serviceId: 'mail' } }
            : {},
      },
    },
  }
}

function tokenFor({ pluginId, operation, stage, executionSequence }: LifecycleRequest): string {
  return signed({ sub: operation.operationId, stage, executionSequence, aud: pluginId })
}

const envelope = (data: JsonValue): string =>
  JSON.stringify({ errorCode: '0', data, contractVersion: '1.0.0' })

const failure = (errorCode: string, message: string, retryable: boolean): string =>
  JSON.stringify({ errorCode, data: { message, retryable, errorPath: [PLUGIN] }, contractVersion: '1.0.0' })

function answered(request: LifecycleRequest, outcome: Outcome, resources: JsonObject = {}): string {
  const { configuration: _configuration, resources: _resources, ...echo } = request
  return envelope({ ...echo, outcome, resources })
}

type Told = Pick<Exchange, 'name' | 'title' | 'meaning'> & { request: LifecycleRequest; body: string }

function toPlugin({ name, title, meaning, request, body }: Told, authorization?: string): Exchange {
  return {
    name,
    title,
    to: 'plugin',
    at: new Date(AT * 1000).toISOString(),
    ...(meaning !== undefined && { meaning }),
    request: {
      method: 'POST',
      path: '/lifecycle',
      headers: { ...bearer(tokenFor(request)), ...(authorization !== undefined && { authorization }) },
      body: JSON.stringify(request),
    },
    response: { status: 200, headers: JSON_TYPE, body },
  }
}

const WRITES = {
  [LOCATOR]: {
    tenantId: { '@type': 'Data', value: 'tenant-5f1c' },
    accessToken: { '@type': 'Data', value: 'issued-for-this-installation', isSensitive: true },
  },
}

function lifecycleExchanges(): Exchange[] {
  const install = lifecycle({ number: 1, type: 'INSTALL' })
  const after = lifecycle({ number: 1, type: 'INSTALL', stage: 'AFTER_RESOURCES' })
  const other = lifecycle({ number: 1, type: 'INSTALL', displayName: 'Somebody else' })
  const configure = lifecycle({ number: 2, type: 'CONFIGURE', displayName: 'Northwind Sales' })
  const upgrade = lifecycle({ number: 3, type: 'UPGRADE' })
  const detach = lifecycle({ number: 4, type: 'DETACH', stage: 'AFTER_RESOURCES' })
  const late = lifecycle({ number: 5, type: 'CONFIGURE', sequence: 2 })
  const unauthenticated = toPlugin(
    { name: 'wrong-token', title: 'The token is for another stage', request: after, body: '' },
    `Bearer ${tokenFor(install)}`,
  )
  return [
    toPlugin({
      name: 'install-before',
      title: 'INSTALL, before the resources: the plugin creates and writes',
      meaning: 'done',
      request: install,
      body: answered(install, 'APPLIED', WRITES),
    }),
    toPlugin({
      name: 'install-repeat',
      title: 'The same bytes again: the same response, and no second effect',
      meaning: 'done',
      request: install,
      body: answered(install, 'APPLIED', WRITES),
    }),
    toPlugin({
      name: 'install-other-bytes',
      title: 'The same operationId and stage with other bytes: refused',
      meaning: 'failed',
      request: other,
      body: failure(
        'REQUEST_INVALID',
        'A different request with this operationId and stage has arrived',
        false,
      ),
    }),
    toPlugin({
      name: 'install-after',
      title: 'INSTALL, after the resources: the reference is now visible',
      meaning: 'done',
      request: after,
      body: answered(after, 'VERIFIED'),
    }),
    toPlugin({
      name: 'configure-unknown',
      title: 'CONFIGURE, and the plugin does not know whether it took effect',
      meaning: 'repeat',
      request: configure,
      body: answered(configure, 'UNKNOWN'),
    }),
    toPlugin({
      name: 'configure-not-applied',
      title: 'CONFIGURE again: there was nothing to change',
      meaning: 'done',
      request: configure,
      body: answered(configure, 'NOT_APPLIED'),
    }),
    toPlugin({
      name: 'upgrade-retryable',
      title: 'UPGRADE, and the plugin cannot do it at the moment',
      meaning: 'repeat',
      request: upgrade,
      body: failure('CRM_UNAVAILABLE', 'The CRM is being maintained; try again later', true),
    }),
    toPlugin({
      name: 'upgrade-failed',
      title: 'UPGRADE failed for good',
      meaning: 'failed',
      request: upgrade,
      body: answered(upgrade, 'FAILED'),
    }),
    toPlugin({
      name: 'detach-after',
      title: 'DETACH takes over: the tenant is removed',
      meaning: 'done',
      request: detach,
      body: answered(detach, 'APPLIED'),
    }),
    toPlugin({
      name: 'late-configure',
      title: 'A CONFIGURE with a lower executionSequence arrives late: refused',
      meaning: 'failed',
      request: late,
      body: failure('EXECUTION_SEQUENCE_STALE', 'A later operation of this installation has arrived', false),
    }),
    {
      ...unauthenticated,
      response: {
        status: 401,
        headers: { 'content-type': 'application/problem+json', 'www-authenticate': 'Bearer' },
        body: JSON.stringify({ status: 401, code: 'AUTHENTICATION_REQUIRED' }),
      },
      meaning: 'repeat',
    },
  ]
}

function toPlatform(name: string, title: string, path: string, body: JsonObject, answer: string): Exchange {
  return {
    name,
    title,
    to: 'plugin-manager',
    at: new Date(AT * 1000).toISOString(),
    request: {
      method: 'POST',
      path: `${MANAGER}${path}`,
      headers: bearer(CREDENTIAL),
      body: JSON.stringify(body),
    },
    response: { status: 200, headers: JSON_TYPE, body: answer },
  }
}

function platformExchanges(): Exchange[] {
  const resolve = (
    name: string,
    title: string,
    propertyKey: string,
    reference: JsonObject,
    services: string[],
  ) => {
    const requestBody = {
      contractVersion: '4.0.0',
      installation: INSTALLATION,
      resource: LOCATOR,
      propertyKey,
    }
    const access = Object.fromEntries(
      services.map((id) => [
        id,
        {
          url: `https://${id}.test/api`,
          token: signed({ sub: PLUGIN, aud: id, installation: INSTALLATION, methods: ['tenantCreated'] }),
        },
      ]),
    )
    const expiresAt = new Date((AT + TTL) * 1000).toISOString()
    const data = { ...requestBody, reference, access, expiresAt }
    return toPlatform(name, title, '/service-reference/resolve', requestBody, envelope(data))
  }
  const single = (serviceId: string) => ({ '@type': 'ServiceReference', serviceId })
  const refused = resolve(
    'resolve-refused',
    'A reference that this plugin must not resolve',
    'billing',
    {},
    [],
  )
  const read = { contractVersion: '1.0.0', installation: INSTALLATION }
  return [
    resolve('resolve-single', 'One reference', 'mailGateway', single('mail'), ['mail']),
    resolve(
      'resolve-map',
      'A map: a service that occurs twice has one access entry',
      'gateways',
      { '@type': 'ServiceReferenceMap', valueMap: { eu: single('mail'), us: single('mail') } },
      ['mail'],
    ),
    resolve(
      'resolve-list',
      'A list: the order is that of the reference',
      'chain',
      { '@type': 'ServiceReferenceList', valueList: [single('mail'), single('sms')] },
      ['mail', 'sms'],
    ),
    {
      ...refused,
      response: {
        ...refused.response,
        body: JSON.stringify({
          errorCode: 'REFERENCE_NOT_AUTHORIZED',
          data: {
            message: 'The plugin may not resolve this property',
            retryable: false,
            errorPath: ['module-plugin-manager'],
          },
          contractVersion: '1.0.0',
        }),
      },
    },
    toPlatform(
      'authorization-read',
      'What the plugin may read, write and resolve',
      '/authorization/read',
      read,
      envelope({
        pluginId: PLUGIN,
        protocolVersion: '6.0.0',
        order: 10,
        failurePolicy: 'FAIL_FAST',
        configuration: { schemaVersion: '1.0.0', values: { region: 'eu' } },
        resources: [
          {
            resource: LOCATOR,
            readProperties: ['displayName', 'apiKey'],
            writeProperties: ['tenantId', 'accessToken'],
            credentialProperties: ['mailGateway'],
          },
        ],
      }),
    ),
  ]
}

function declarationsExchange(): Exchange {
  const requestBody = {
    contractVersion: '1.0.0',
    installation: INSTALLATION,
    resource: LOCATOR,
    propertyKey: 'mailGateway',
  }
  const schema = { type: 'object', properties: { tenantId: { type: 'string' } }, required: ['tenantId'] }
  const events = { mail: [{ method: 'tenantCreated', schema }] }
  return toPlatform(
    'event-declarations-read',
    'Which events the service of a reference accepts',
    '/event-declarations/read',
    requestBody,
    envelope({ ...requestBody, events }),
  )
}

function eventExchange(): Exchange {
  const claims = { sub: PLUGIN, aud: 'mail', installation: INSTALLATION, methods: ['tenantCreated'] }
  return {
    name: 'event-call',
    title: 'An event is delivered with the token of the resolution',
    to: 'service',
    at: new Date(AT * 1000).toISOString(),
    request: {
      method: 'POST',
      path: '/api/tenantCreated',
      headers: {
        ...bearer(signed(claims)),
        'event-id': '019b7a1c-6e00-7c11-8a2f-3d5e9b1f0c01',
        'idempotency-key': 'tenant-5f1c-created',
      },
      body: JSON.stringify({ tenantId: 'tenant-5f1c' }),
    },
    response: { status: 200, headers: JSON_TYPE, body: envelope(null) },
  }
}

/** Every golden exchange. Ed25519 signatures are deterministic, so the bytes are the same in every run. */
export const goldenExchanges = (): Exchange[] => [
  ...lifecycleExchanges(),
  ...platformExchanges(),
  declarationsExchange(),
  eventExchange(),
]
