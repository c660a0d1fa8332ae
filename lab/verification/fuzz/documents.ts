import type { JsonObject, JsonValue } from '#contract/json-schema/json.ts'
import { needsSchema, PROPERTY_KINDS } from '#contract/protocol/property-kinds.ts'
import type { JudgeInput } from '#runtime/engine/calls/judge.ts'
import { authorization, data, LOCATOR, plannedRequest, planWith, SECRET } from '#runtime/testing/plan.ts'
import { successOf } from '#runtime/testing/plugin.ts'
import { crm } from '#runtime/testing/bundles.ts'
import { CREDENTIAL, SERVICE_ADDRESS, TOKEN } from './odd-values.ts'

// Valid documents of every kind, the basis of the edited ones.

const plan = planWith()

/** A lifecycle request whose plugin may write `tenantId`, `token` (sensitive) and `note` of one Module. */
export const expected = plannedRequest(plan)

export const knowledge: JudgeInput = {
  authorization: authorization(),
  definitions: Object.fromEntries(plan.resources.map((resource) => [resource.locator, resource.definitions])),
  sensitiveValues: [SECRET],
  serviceAddresses: [SERVICE_ADDRESS],
  isPlatformPayload: (payload) => payload === TOKEN.split('.')[1],
  issuedCredentials: new Set([CREDENTIAL]),
  timeoutMs: 30_000,
}

export const ANSWERS: readonly JsonValue[] = [
  successOf(expected, { outcome: 'APPLIED' }),
  successOf(expected, { outcome: 'NOT_APPLIED' }),
  successOf(expected, { outcome: 'UNKNOWN', resources: { [LOCATOR]: { note: data('dropped') } } }),
  successOf(expected, { outcome: 'FAILED' }),
  successOf(expected, {
    outcome: 'VERIFIED',
    resources: {
      [LOCATOR]: {
        tenantId: data('t-1'),
        token: data('a token of theirs', true),
        note: data([1, { a: null }]),
      },
    },
  }),
  successOf(expected, {
    outcome: 'APPLIED',
    resources: { [LOCATOR]: { token: data('unmarked, but sensitive') } },
  }),
  {
    contractVersion: '1.0.0',
    errorCode: 'TENANT_QUOTA_SPENT',
    data: { message: 'No room.', retryable: true },
  },
  {
    errorCode: 'BROKEN',
    data: { message: `Refused ${SECRET}.`, retryable: false, errorPath: ['provisioner', 'tenants'] },
  },
  { contractVersion: '1.0.0', errorCode: 'BROKEN', data: null },
]

// a manifest is JSON
export const MANIFEST = crm as unknown as JsonObject

export const MANIFESTS: readonly JsonValue[] = [
  MANIFEST,
  {
    bundle: { environmentKey: 'dev', bundleId: 'all' },
    version: '1.0.0',
    title: 'All',
    description: 'Every field that a manifest may have',
    resources: [
      {
        kind: 'MODULE',
        name: 'm',
        title: 'M',
        moduleId: 'all-m',
        events: [{ method: 'created', schema: { type: 'object' } }],
        properties: {
          text: {
            kind: 'DATA',
            schema: { type: 'string', pattern: '^[a-z]+$' },
            default: 'a',
            group: 'g',
            order: 1,
          },
          list: {
            kind: 'DATA',
            schema: { type: 'array', items: { $ref: '#/$defs/one' }, $defs: { one: true } },
          },
          ...Object.fromEntries(
            PROPERTY_KINDS.map((kind) => [
              kind.toLowerCase(),
              { kind, required: true, ...(needsSchema(kind) && { schema: true }) },
            ]),
          ),
          instanceRefProperty: { kind: 'DATA', schema: true },
        },
      },
      { kind: 'TIMER', name: 't', title: 'T', properties: {} },
    ],
    plugins: [],
  },
]

export const SCHEMAS: readonly JsonValue[] = [
  true,
  { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false },
  {
    type: 'array',
    prefixItems: [{ type: 'integer' }],
    items: { $ref: '#/$defs/n' },
    $defs: { n: { type: 'number' } },
  },
  { anyOf: [{ const: 1 }, { enum: ['a', null] }], not: { type: 'boolean' } },
  { type: 'string', pattern: '^(?:[a-z]+-)*[a-z]+$', minLength: 1, maxLength: 20, format: 'email' },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  { if: { required: ['a'] }, then: { minProperties: 2 }, else: { patternProperties: { '^x': false } } },
  { type: 'array', contains: { type: 'null' }, minContains: 1, uniqueItems: true },
  {
    $ref: '#/$defs/tree',
    $defs: { tree: { type: 'object', additionalProperties: { $ref: '#/$defs/tree' } } },
  },
]

export const VALUES: readonly JsonValue[] = [
  data('x'),
  data({ '@type': 'Data', value: [1, 2, { a: 'b' }] }),
  data('x', true),
  { '@type': 'ServiceReference', serviceId: 'events' },
  { '@type': 'ServiceReferenceMap', valueMap: { a: { '@type': 'ServiceReference', serviceId: 'events' } } },
  { '@type': 'ServiceReferenceList', valueList: [{ '@type': 'ServiceReference', serviceId: 'events' }] },
]
