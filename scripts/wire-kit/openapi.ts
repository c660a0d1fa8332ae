import { ANSWER_BYTES_MAX } from '#contract/protocol/limits.ts'
import { publishedSchemas, type PublishedSchema } from './schemas.ts'

const ref = (name: string): PublishedSchema => ({ $ref: `#/components/schemas/${name}` })
const json = (schema: PublishedSchema) => ({ 'application/json': { schema } })
const problem = (description: string) => ({
  description,
  content: { 'application/problem+json': { schema: ref('problem') } },
})

/** A 200: the envelope around this data, or a failure in the envelope. */
const enveloped = (data: PublishedSchema) => ({
  description: 'The envelope: the data if `errorCode` is `0`, otherwise null or failure data.',
  content: json({
    oneOf: [
      {
        allOf: [ref('envelope'), { type: 'object', properties: { errorCode: { const: '0' }, data } }],
      },
      {
        allOf: [
          ref('envelope'),
          {
            type: 'object',
            properties: {
              errorCode: { not: { const: '0' } },
              data: { oneOf: [{ type: 'null' }, ref('failure-data')] },
            },
          },
        ],
      },
    ],
  }),
})

const MANAGER = '/module-plugin-manager/api/bundle-plugin'

const platform = [
  {
    url: '{platformApiBase}',
    description: 'The registered address of the platform.',
    variables: { platformApiBase: { default: 'https://platform.test' } },
  },
]

const REFUSED = {
  401: problem('The credential is missing or not accepted. No envelope.'),
  429: problem('Too many calls; `retry-after` has the number of seconds to wait.'),
  503: problem('The server cannot answer at the moment. Send the same call again later.'),
}

const EVERY_BODY_IS_JSON = {
  413: problem('The body is larger than the limit.'),
  415: problem('The body is not `application/json`.'),
}

/** OpenAPI 3.1 of what a plugin serves and calls. */
export function wireOpenApi(): Record<string, unknown> {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Bundle lifecycle plugins',
      version: '6.0.0',
      summary: 'The call that a plugin serves, and the calls that it makes',
      description:
        'The rules are in docs/protocol.md. This document is generated from the schemas that the platform itself uses.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: platform,
    tags: [
      { name: 'plugin', description: 'Served by the plugin and called by the runtime.' },
      { name: 'platform', description: 'Served by the platform and called by the plugin.' },
      { name: 'service', description: 'Served by a service and called by the plugin.' },
    ],
    paths: {
      '/lifecycle': { servers: pluginServers(), post: lifecycleCall() },
      '/bundle-runtime/api/.well-known/jwks.json': {
        get: {
          operationId: 'readKeys',
          tags: ['platform'],
          summary: 'The public keys of the platform (RFC 7517)',
          security: [],
          responses: {
            200: { description: 'The key set.', content: json(ref('key-set')) },
            429: REFUSED[429],
          },
        },
      },
      [`${MANAGER}/service-reference/resolve`]: managerCall({
        operationId: 'resolveReference',
        summary: 'Resolve a reference property to addresses and short-lived tokens',
        request: 'access-resolution-request',
        response: 'access-resolution-response',
      }),
      [`${MANAGER}/authorization/read`]: managerCall({
        operationId: 'readAuthorization',
        summary: 'Read what the calling plugin may read, write and resolve in an installation',
        request: 'authorization-read-request',
        response: 'compiled-authorization',
      }),
      [`${MANAGER}/event-declarations/read`]: managerCall({
        operationId: 'readEventDeclarations',
        summary: 'Read which events the services of a reference property accept',
        request: 'event-declarations-request',
        response: 'event-declarations-response',
      }),
      '/{method}': { servers: serviceServers(), post: eventCall() },
    },
    components: { securitySchemes: SECURITY, schemas: components() },
  }
}

interface ManagerCall {
  operationId: string
  summary: string
  request: string
  response: string
}

const managerCall = ({ operationId, summary, request, response }: ManagerCall) => ({
  post: {
    operationId,
    tags: ['platform'],
    summary,
    security: [{ pluginCredential: [] }],
    requestBody: { required: true, content: json(ref(request)) },
    responses: { 200: enveloped(ref(response)), ...REFUSED, ...EVERY_BODY_IS_JSON },
  },
})

const pluginServers = () => [
  {
    url: '{plugin}',
    description:
      'The address under which the plugin is registered. It may have any path; `/lifecycle` stands for it here.',
    variables: { plugin: { default: 'https://plugin.test' } },
  },
]

const serviceServers = () => [
  {
    url: '{serviceUrl}',
    description: 'The `url` of the service, from `access` of the resolve response.',
    variables: { serviceUrl: { default: 'https://service.test/events' } },
  },
]

const lifecycleCall = () => ({
  operationId: 'callLifecycle',
  tags: ['plugin'],
  summary: 'One stage of an operation on an installation',
  description: `Every attempt sends the same bytes with a new token. The response is at most ${ANSWER_BYTES_MAX} bytes.`,
  security: [{ lifecycleToken: [] }],
  requestBody: { required: true, content: json(ref('lifecycle-request')) },
  responses: {
    200: enveloped(ref('lifecycle-response')),
    ...EVERY_BODY_IS_JSON,
    401: problem('The token is missing or not for this call. No envelope, and no effect.'),
    405: problem('The method is not POST.'),
    503: problem('The plugin cannot answer, for example because it cannot fetch the keys of the platform.'),
  },
})

const sameInEveryAttempt = (name: string, description: string) => ({
  name,
  in: 'header',
  required: true,
  description: `${description} The same in every attempt.`,
  schema: { type: 'string', pattern: '^[!-~]{1,128}$' },
})

const eventCall = () => ({
  operationId: 'callEventMethod',
  tags: ['service'],
  summary: 'Deliver one event to a method that the target Module declares',
  description: 'Resolve the reference before every attempt. Events arrive at least once.',
  security: [{ accessToken: [] }],
  parameters: [
    {
      name: 'method',
      in: 'path',
      required: true,
      description: 'The event method as declared by the target Module: one path segment.',
      schema: { type: 'string', pattern: '^[^/?#]+$' },
    },
    sameInEveryAttempt('Event-Id', 'The event. A service stores it together with what the event changes.'),
    sameInEveryAttempt('Idempotency-Key', 'The business key of the event.'),
  ],
  requestBody: {
    required: true,
    content: json({ description: 'The event, as the declaration of the target Module requires.' }),
  },
  responses: {
    200: enveloped({ description: 'Whatever the service returns.' }),
    401: problem('The token is missing, expired or for another service.'),
    403: problem('The token does not allow this method.'),
  },
})

const SECURITY = {
  lifecycleToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT, EdDSA (Ed25519)',
    description:
      'Signed by the runtime for one attempt: `iss` platform, `aud` pluginId, `sub` operationId, `stage`, `executionSequence`, `iat`, `exp`.',
  },
  pluginCredential: {
    type: 'http',
    scheme: 'bearer',
    description: 'The secret that was shown when the credential of the plugin was created.',
  },
  accessToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT, EdDSA (Ed25519)',
    description:
      'From `access` of a resolve response: `iss` platform, `aud` serviceId, `sub` pluginId, `installation`, `methods`, `iat`, `exp`.',
  },
}

function components(): Record<string, PublishedSchema> {
  return {
    ...publishedSchemas((name) => `#/components/schemas/${name}`),
    problem: {
      title: 'A request that the transport refused (RFC 9457)',
      type: 'object',
      properties: {
        status: { type: 'integer' },
        code: { type: 'string' },
        title: { type: 'string' },
        requestId: { type: 'string' },
      },
    },
    'key-set': {
      title: 'Public keys (RFC 7517)',
      type: 'object',
      properties: {
        keys: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              kty: { const: 'OKP' },
              crv: { const: 'Ed25519' },
              x: { type: 'string', description: 'The 32 bytes of the public key, base64url.' },
              kid: { type: 'string' },
              alg: { const: 'EdDSA' },
              use: { const: 'sig' },
            },
            required: ['kty', 'crv', 'x', 'kid'],
          },
        },
      },
      required: ['keys'],
    },
  }
}
