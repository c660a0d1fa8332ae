import type { JsonValue } from '#contract/json-schema/json.ts'
import type { SeededRandom } from '../seeded-random.ts'

/** A sensitive value, a token and an address that no response may contain. */
export const SECRET = 'hunter2-and-more'
export const TOKEN = [
  'eyJhbGciOiJFZERTQSJ9',
  'eyJpc3MiOiJwbGF0Zm9ybSJ9',
  'c2lnbmF0dXJl'.padEnd(86, '0'),
].join('.')
export const CREDENTIAL = `bpc_${'Cr3-_'.repeat(8)}abc`
export const SERVICE_ADDRESS = 'http://events.internal:9000/api'

/** Names and texts that some parsers handle wrongly. */
export const ODD_TEXTS: readonly string[] = [
  '',
  ' ',
  '.',
  '..',
  '__proto__',
  'constructor',
  'prototype',
  'hasOwnProperty',
  'toString',
  'instanceRefProperty',
  'INSTANCEREFPROPERTY',
  'tenantId',
  'token',
  'note',
  'region',
  'publisher',
  '\0',
  'a\0b',
  '\ud800',
  '\udc00\ud800',
  '\ufeff',
  '\u202e',
  '\u2028',
  'é',
  'e\u0301',
  'ﬁ',
  '①②⑦',
  '%2e%2e',
  '%00',
  '../../admin',
  'a/b/MODULE/c',
  'source/crm/MODULE/tenants',
  'source/crm/MODULE/tenants ',
  'SOURCE/crm/MODULE/tenants',
  '••••••••',
  '0',
  '1.0.0',
  '2.0.0',
  '6.0.0',
  'APPLIED',
  'NOT_APPLIED',
  'UNKNOWN',
  'FAILED',
  'Data',
  '@type',
  'value',
  'x'.repeat(129),
  'x'.repeat(513),
  'x'.repeat(5000),
  '😀'.repeat(512),
  SECRET,
  TOKEN,
  CREDENTIAL,
  `"${CREDENTIAL}"x`,
  `see ${SERVICE_ADDRESS}/x`,
  '^(a+)+$',
  '(?=a)b\\1',
]

const nested = (depth: number): string => '[{"a":'.repeat(depth / 2) + '1' + '}]'.repeat(depth / 2)

/** As JSON, so that each use gets a new value. */
const ODD_VALUES: readonly string[] = [
  'null',
  'true',
  'false',
  '0',
  '-0',
  '-1',
  '1',
  '1.5',
  '2147483648',
  '9007199254740991',
  '9007199254740992',
  '1e21',
  '1e308',
  '5e-324',
  '[]',
  '{}',
  '[[]]',
  '[null]',
  '{"__proto__":{"polluted":true}}',
  '{"constructor":{"prototype":{"polluted":true}}}',
  '{"@type":"Data"}',
  '{"@type":"Data","value":1}',
  '{"@type":"Data","value":{"@type":"Data","value":1}}',
  '{"@type":"Data","value":"x","isSensitive":true}',
  '{"@type":"Data","value":"x","isSensitive":false}',
  `{"@type":"Data","value":"${SECRET}"}`,
  `{"@type":"Data","value":"${TOKEN}"}`,
  `{"@type":"Data","value":{"deep":["${SERVICE_ADDRESS}/y"]}}`,
  '{"@type":"ServiceReference","serviceId":"events"}',
  '{"@type":"ServiceReferenceMap","valueMap":{"a":{"@type":"ServiceReference","serviceId":"events"}}}',
  '{"@type":"ServiceReferenceList","valueList":[]}',
  '{"message":"m","retryable":true}',
  '{"$ref":"#"}',
  '{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#"}}}',
  '{"type":"string","pattern":"(a|a)*b"}',
  '{"allOf":[{"not":{}},{"enum":[]}]}',
  '{"type":["integer","null"],"multipleOf":0.01}',
  nested(40),
  nested(140),
  nested(600),
  JSON.stringify(Array.from({ length: 300 }, (_, index) => index)),
]

export function oddText(random: SeededRandom): string {
  if (random.below(6) > 0) return random.pick(ODD_TEXTS)
  const units = Array.from({ length: random.below(12) }, () =>
    random.below(random.below(2) === 0 ? 128 : 65_536),
  )
  return String.fromCharCode(...units)
}

/** Finite, of any magnitude. */
function anyNumber(random: SeededRandom): number {
  const number = (random.fraction() - 0.5) * 10 ** random.below(40)
  return random.chance(0.5) ? number : Math.round(number)
}

export function oddJson(random: SeededRandom): JsonValue {
  switch (random.below(8)) {
    case 0:
    case 1:
      return oddText(random)
    case 2:
      return anyNumber(random)
    case 3:
      return [oddText(random), oddText(random)]
    case 4:
      return Object.fromEntries([
        [oddText(random), oddText(random)],
        [oddText(random), random.below(100)],
      ])
    default:
      return JSON.parse(random.pick(ODD_VALUES)) as JsonValue
  }
}
