import { gzipSync } from 'node:zlib'
import { wrapData } from '#contract/protocol/data.ts'
import type { JsonObject, JsonValue } from '#contract/json-schema/json.ts'
import {
  done,
  fault,
  invalid,
  kind,
  POISON,
  uncertain,
  unknown as unread,
  withData,
  writing,
} from './fault.ts'
import type { CallContext, Fault, Kind, Meaning } from './fault.ts'

// Kinds 21 to 31: a complete response with status 200. One that is not JSON, or too large to read, leaves open what the
// plugin did; JSON that is not a valid response is a definite failure, and nothing of it is stored.

const unknown = uncertain('PLUGIN_RESULT_UNKNOWN', 200)
const MEBIBYTE = 1024 * 1024

const body = (
  name: string,
  means: Meaning,
  make: (context: CallContext) => string,
  type = 'application/json',
): Fault =>
  fault(name, means, (context) => {
    context.response.writeHead(200, { 'content-type': type })
    context.response.end(make(context))
  })

/** A changed envelope of a good plugin. */
const envelope = (
  name: string,
  means: Meaning,
  change: (good: JsonObject, context: CallContext) => JsonValue,
): Fault => body(name, means, (context) => JSON.stringify(change(poisoned(context), context)))

/** The same with changed `data`, which is invalid. */
const data = (name: string, change: (good: JsonObject, context: CallContext) => JsonValue): Fault =>
  envelope(name, invalid, (good, context) => withData(good, (own) => change(own, context)))

/** The same with changed text, for what JSON.stringify would not write; it is invalid. */
const text = (name: string, change: (good: string) => string): Fault =>
  body(name, invalid, (context) => change(JSON.stringify(poisoned(context))))

/** The envelope of a correct plugin that writes something which must not be stored. */
const poisoned = ({ act }: CallContext): JsonObject =>
  withData(act(), (own) => writing(own, { ...wrapData(POISON) }))

/** One more property, as JSON text, on each resource. */
const alsoWrites = (name: string, property: string, value: JsonValue = POISON): Fault =>
  text(name, (good) =>
    good.replaceAll('"tenantId":', `"${property}":${JSON.stringify(wrapData(value))},"tenantId":`),
  )

const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)

const without = (object: JsonObject, field: string): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([name]) => name !== field))

/** A failure reported by the plugin, with an unknown code. */
const failure = (name: string, retryable: boolean | null): Fault => {
  const code = 'TENANT_QUOTA_SPENT'
  const means: Meaning =
    retryable === true
      ? { as: 'repeat', code, status: 200, lastCode: code }
      : { as: 'failed', code, retryable: false }
  const message = 'There is no room for a tenant.'
  return envelope(name, means, () => ({
    contractVersion: '1.0.0',
    errorCode: code,
    data: retryable === null ? null : { message, retryable },
  }))
}

const bomb = gzipSync(Buffer.alloc(64 * MEBIBYTE, ' '))

export const ANSWER_KINDS: readonly Kind[] = [
  kind(
    21,
    'empty',
    body('nothing', unknown, () => ''),
    body('blanks', unknown, () => ' \r\n\t'),
  ),
  kind(
    22,
    'HTML',
    body('a page', unknown, () => '<!doctype html><title>Welcome</title>', 'text/html'),
    body('a page declared as JSON', unknown, () => '<html></html>'),
  ),
  kind(
    23,
    'JSON, no envelope',
    envelope('only the data', invalid, (good) => good['data'] ?? null),
    envelope('a list', invalid, (good) => [good]),
    envelope('a text', invalid, () => 'ok'),
    envelope('an empty object', invalid, () => ({})),
    envelope('null', invalid, () => null),
  ),
  kind(
    24,
    'contractVersion',
    body('absent, which is 1.0.0', done, ({ act }) => JSON.stringify(without(act(), 'contractVersion'))),
    envelope('another major', invalid, (good) => ({ ...good, contractVersion: '2.0.0' })),
    envelope('a number', invalid, (good) => ({ ...good, contractVersion: 1 })),
    data('another major of the document', (good) => ({ ...good, contractVersion: '7.0.0' })),
  ),
  kind(
    25,
    'unknown errorCode',
    failure('retryable', true),
    failure('not retryable', false),
    failure('without data', null),
  ),
  kind(
    26,
    'status and code contradict',
    envelope('0 with the data of a failure', invalid, () => ({
      contractVersion: '1.0.0',
      errorCode: '0',
      data: { message: POISON, retryable: true },
    })),
    envelope('a failure with the data of a success', invalid, (good) => ({ ...good, errorCode: 'BROKEN' })),
    envelope('no code', invalid, (good) => without(good, 'errorCode')),
    envelope('a number as code', invalid, (good) => ({ ...good, errorCode: 0 })),
    fault('a success with status 500', uncertain('PLUGIN_RESULT_UNKNOWN', 500), ({ response, act }) => {
      response.writeHead(500, { 'content-type': 'application/json' })
      response.end(JSON.stringify(act()))
    }),
  ),
  kind(
    27,
    'oversize',
    // not read to its end, so no status is recorded
    body('announced', unread, ({ act }) => JSON.stringify(act()) + ' '.repeat(MEBIBYTE)),
    fault('not announced', unread, ({ response, act }) => {
      response.write(JSON.stringify(act()))
      response.end(' '.repeat(MEBIBYTE))
    }),
  ),
  kind(
    28,
    'gzip bomb',
    fault('64 MiB of blanks', unread, ({ response, act }) => {
      act()
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
      response.end(bomb)
    }),
  ),
  kind(
    29,
    'depth bomb',
    text('lists in a value', (good) => good.replaceAll(`"${POISON}"`, nested(100_000))),
    body('nothing but lists', invalid, ({ act }) => (act(), nested(400_000))),
    body('unterminated lists', unknown, ({ act }) => (act(), '['.repeat(500_000))),
  ),
  kind(
    30,
    'NUL, duplicate keys, __proto__',
    text('a NUL', (good) => good.replaceAll(POISON, `${POISON}\\u0000`)),
    text('half a surrogate pair', (good) => good.replaceAll(POISON, `${POISON}\\ud800`)),
    text('a duplicate key', (good) => good.replace('"errorCode":"0"', '"errorCode":"0","errorCode":"0"')),
    text('__proto__ in the envelope', (good) => good.replace('{', '{"__proto__":{"polluted":true},')),
    alsoWrites('__proto__ as a property', '__proto__'),
    text('digits that would be lost', (good) => good.replaceAll(`"${POISON}"`, '9007199254740993')),
  ),
  kind(
    31,
    'other operation’s id or ref',
    data('operationId', (good) => ({
      ...good,
      operation: { ...Object(good['operation']), operationId: '0199f000-0000-7000-8000-000000000001' },
    })),
    data('stage', (good, { request }) => ({
      ...good,
      stage: request.stage === 'BEFORE_RESOURCES' ? 'AFTER_RESOURCES' : 'BEFORE_RESOURCES',
    })),
    data('executionSequence', (good, { request }) => ({
      ...good,
      executionSequence: request.executionSequence + 1,
    })),
    data('bundleInstallId', (good) => ({
      ...good,
      installation: {
        ...Object(good['installation']),
        bundleInstallId: '0199f000-0000-7000-8000-000000000002',
      },
    })),
    alsoWrites('instanceRefProperty', 'instanceRefProperty'),
    alsoWrites('a property of the operator', 'name'),
    data('another resource', (good) => ({
      ...good,
      resources: { 'dev/somebody/MODULE/core': { tenantId: { ...wrapData(POISON) } } },
    })),
    data('a bare value', (good) => writing(good, POISON)),
    data('a reference', (good) => writing(good, { '@type': 'ServiceReference', serviceId: 'events' })),
  ),
]
