import { gzipSync } from 'node:zlib'
import { isJsonObject } from '#contract/json-schema/json.ts'
import type { JsonObject, JsonValue } from '#contract/json-schema/json.ts'
import { done, invalid, POISON, uncertain } from './fault.ts'
import type { Fault, Kind, Meaning, Wire } from './fault.ts'

// Kinds 21 to 31: an answer of status 200 that came whole. What is no JSON, or too large to be read, leaves open what the
// plugin did; JSON that is no valid answer is a definite failure, of which nothing is kept.

const unknown = uncertain('PLUGIN_RESULT_UNKNOWN', 200)
/** Not read to its end, so there is nothing of it to tell. */
const unread = uncertain('PLUGIN_RESULT_UNKNOWN')
const MEBIBYTE = 1024 * 1024

function body(
  name: string,
  means: Meaning,
  make: (wire: Wire) => string | Buffer,
  type = 'application/json',
) {
  const strike = (wire: Wire): void => {
    wire.response.writeHead(200, { 'content-type': type })
    wire.response.end(make(wire))
  }
  return { name, how: { strike }, means }
}

function json(name: string, means: Meaning, make: (good: JsonObject, wire: Wire) => JsonValue): Fault {
  return body(name, means, (wire) => JSON.stringify(make(poisoned(wire.act()), wire)))
}

/** As text, where JSON.stringify would not write it. */
function text(name: string, means: Meaning, make: (good: string) => string): Fault {
  return body(name, means, (wire) => make(JSON.stringify(poisoned(wire.act()))))
}

/** The answer of a good plugin with something written that must not be kept. */
function poisoned(envelope: JsonObject): JsonObject {
  return withData(envelope, (data) => ({ ...data, resources: replaceValues(data['resources'] ?? {}) }))
}

function withData(envelope: JsonObject, change: (data: JsonObject) => JsonValue): JsonObject {
  const data = envelope['data'] ?? null
  return { ...envelope, data: isJsonObject(data) ? change(data) : data }
}

function replaceValues(resources: JsonValue): JsonValue {
  if (!isJsonObject(resources)) return resources
  return Object.fromEntries(
    Object.entries(resources).map(([locator, properties]) => [
      locator,
      isJsonObject(properties)
        ? Object.fromEntries(
            Object.keys(properties).map((name) => [name, { '@type': 'Data', value: POISON }]),
          )
        : properties,
    ]),
  )
}

/** Writes one more property, given as text of JSON, on every resource of the answer. */
const writesToo = (property: string) => (good: string) =>
  good.replaceAll('"tenantId":', `${property},"tenantId":`)

const bomb = gzipSync(Buffer.alloc(64 * MEBIBYTE, ' '))

/** A failure of the plugin's own, with a code that nobody knows. */
const failure = (name: string, retryable: boolean | null): Fault => ({
  ...json(name, meaningOf(retryable), () => ({
    contractVersion: '1.0.0',
    errorCode: 'TENANT_QUOTA_SPENT',
    data: retryable === null ? null : { message: 'There is no room for a tenant.', retryable },
  })),
})
const meaningOf = (retryable: boolean | null): Meaning =>
  retryable === true
    ? { as: 'repeat', code: 'TENANT_QUOTA_SPENT', status: 200, lastCode: 'TENANT_QUOTA_SPENT' }
    : { as: 'failed', code: 'TENANT_QUOTA_SPENT', retryable: false }

export const ANSWER_KINDS: readonly Kind[] = [
  {
    number: 21,
    name: 'empty',
    faults: [body('nothing', unknown, () => ''), body('blanks', unknown, () => ' \r\n\t')],
  },
  {
    number: 22,
    name: 'HTML',
    faults: [
      body('a page', unknown, () => '<!doctype html><title>Welcome</title>', 'text/html'),
      body('a page that says that it is JSON', unknown, () => '<html></html>'),
    ],
  },
  {
    number: 23,
    name: 'JSON, no envelope',
    faults: [
      json('the data alone', invalid, (good) => good['data'] ?? null),
      json('a list', invalid, (good) => [good]),
      json('a text', invalid, () => 'ok'),
      json('nothing in it', invalid, () => ({})),
      json('null', invalid, () => null),
    ],
  },
  {
    number: 24,
    name: 'contractVersion',
    faults: [
      body('absent, which is 1.0.0', done, (wire) => JSON.stringify(without(wire.act(), 'contractVersion'))),
      json('another major', invalid, (good) => ({ ...good, contractVersion: '2.0.0' })),
      json('a number', invalid, (good) => ({ ...good, contractVersion: 1 })),
      json('another major of the document', invalid, (good) =>
        withData(good, (data) => ({ ...data, contractVersion: '7.0.0' })),
      ),
    ],
  },
  {
    number: 25,
    name: 'unknown errorCode',
    faults: [
      failure('that is retryable', true),
      failure('that is not retryable', false),
      failure('without data', null),
    ],
  },
  {
    number: 26,
    name: 'status and code contradict',
    faults: [
      json('0 with the data of a failure', invalid, () => ({
        contractVersion: '1.0.0',
        errorCode: '0',
        data: { message: POISON, retryable: true },
      })),
      json('a failure with the data of a success', invalid, (good) => ({ ...good, errorCode: 'BROKEN' })),
      json('no code', invalid, (good) => without(good, 'errorCode')),
      json('a number as code', invalid, (good) => ({ ...good, errorCode: 0 })),
      {
        name: 'a success under 500',
        how: {
          strike: ({ response, act }) => {
            response.writeHead(500, { 'content-type': 'application/json' })
            response.end(JSON.stringify(act()))
          },
        },
        means: uncertain('PLUGIN_RESULT_UNKNOWN', 500),
      },
    ],
  },
  {
    number: 27,
    name: 'oversize',
    faults: [
      body('announced', unread, (wire) => JSON.stringify(wire.act()) + ' '.repeat(MEBIBYTE)),
      {
        name: 'not announced',
        how: {
          strike: ({ response, act }) => {
            response.write(JSON.stringify(act()))
            response.end(' '.repeat(MEBIBYTE))
          },
        },
        means: unread,
      },
    ],
  },
  {
    number: 28,
    name: 'gzip bomb',
    faults: [
      {
        name: '64 MiB of blanks',
        how: {
          strike: ({ response, act }) => {
            act()
            response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
            response.end(bomb)
          },
        },
        means: unread,
      },
    ],
  },
  {
    number: 29,
    name: 'depth bomb',
    faults: [
      text('lists in a value', invalid, (good) => good.replaceAll(`"${POISON}"`, nested(100_000))),
      body('nothing but lists', invalid, ({ act }) => (act(), nested(400_000))),
      body('that does not end', unknown, ({ act }) => (act(), '['.repeat(500_000))),
    ],
  },
  {
    number: 30,
    name: 'NUL, duplicate keys, __proto__',
    faults: [
      text('a NUL', invalid, (good) => good.replaceAll(POISON, `${POISON}\\u0000`)),
      text('half a surrogate pair', invalid, (good) => good.replaceAll(POISON, `${POISON}\\ud800`)),
      text('a key twice', invalid, (good) =>
        good.replace('"errorCode":"0"', '"errorCode":"0","errorCode":"0"'),
      ),
      text('__proto__ in the envelope', invalid, (good) =>
        good.replace('{', '{"__proto__":{"polluted":true},'),
      ),
      text('__proto__ as a property', invalid, writesToo(`"__proto__":{"@type":"Data","value":"${POISON}"}`)),
      text('digits that would be lost', invalid, (good) =>
        good.replaceAll(`"${POISON}"`, '9007199254740993'),
      ),
    ],
  },
  {
    number: 31,
    name: 'other operation’s id or ref',
    faults: [
      json('operationId', invalid, (good) =>
        withData(good, (data) => ({
          ...data,
          operation: { ...Object(data['operation']), operationId: '0199f000-0000-7000-8000-000000000001' },
        })),
      ),
      json('stage', invalid, (good, { request }) =>
        withData(good, (data) => ({
          ...data,
          stage: request.stage === 'BEFORE_RESOURCES' ? 'AFTER_RESOURCES' : 'BEFORE_RESOURCES',
        })),
      ),
      json('executionSequence', invalid, (good, { request }) =>
        withData(good, (data) => ({ ...data, executionSequence: request.executionSequence + 1 })),
      ),
      json('bundleInstallId', invalid, (good) =>
        withData(good, (data) => ({
          ...data,
          installation: {
            ...Object(data['installation']),
            bundleInstallId: '0199f000-0000-7000-8000-000000000002',
          },
        })),
      ),
      text(
        'instanceRefProperty',
        invalid,
        writesToo(`"instanceRefProperty":{"@type":"Data","value":"${POISON}"}`),
      ),
      text('a property of the operator', invalid, writesToo(`"name":{"@type":"Data","value":"${POISON}"}`)),
      json('another resource', invalid, (good) =>
        withData(good, (data) => ({
          ...data,
          resources: { 'dev/somebody/MODULE/core': { tenantId: { '@type': 'Data', value: POISON } } },
        })),
      ),
      json('a bare value', invalid, (good) =>
        withData(good, (data) => ({ ...data, resources: { ...firstResource(data, POISON) } })),
      ),
      json('a reference', invalid, (good) =>
        withData(good, (data) => ({
          ...data,
          resources: firstResource(data, { '@type': 'ServiceReference', serviceId: 'events' }),
        })),
      ),
    ],
  },
]

function firstResource(data: JsonObject, tenantId: JsonValue): JsonObject {
  const locator = Object.keys(Object(data['resources']))[0] ?? ''
  return { [locator]: { tenantId } }
}

function nested(depth: number): string {
  return '['.repeat(depth) + ']'.repeat(depth)
}

function without(object: JsonObject, field: string): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== field))
}
