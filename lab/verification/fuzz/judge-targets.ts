import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { isJsonObject } from '#contract/json-schema/json.ts'
import type { JsonObject, JsonValue } from '#contract/json-schema/json.ts'
import { judgeAnswer } from '#runtime/engine/calls/judge.ts'
import { LOCATOR } from '#runtime/testing/plan.ts'
import { ANSWERS, expected, knowledge } from './documents.ts'
import { edited, editedBytes } from './edits.ts'
import { CREDENTIAL, SECRET, SERVICE_ADDRESS, TOKEN } from './odd-values.ts'
import { bytes, structured } from './target.ts'
import type { Target } from './target.ts'
import type { Judgement } from '#runtime/model/call.ts'

// How the runtime judges a response, compared with the table of outcomes in docs/protocol.md and not with the code:
// only permitted writes are stored, and nothing else.

const ECHO = [
  'contractVersion',
  'pluginId',
  'executionSequence',
  'installation',
  'operation',
  'stage',
] as const
const WRITABLE: Record<string, { isSensitive: boolean; mustBeText: boolean }> = {
  tenantId: { isSensitive: false, mustBeText: true },
  token: { isSensitive: true, mustBeText: true },
  note: { isSensitive: false, mustBeText: false },
}

function judged(body: Uint8Array, status: number): Judgement {
  const answer = { kind: 'response', status, contentType: 'application/json', headers: {}, body } as const
  return judgeAnswer(expected, answer, knowledge)
}

function wrongOf(body: Uint8Array, status: number): string | null {
  const judgement = judged(body, status)
  const text = JSON.stringify([judgement.failure, judgement.recorded])
  if (text.includes(SECRET)) return 'a sensitive value is recorded'
  if (text.includes(CREDENTIAL) || text.includes(TOKEN)) return 'a platform credential is recorded'
  if ([...(judgement.failure?.message ?? '')].length > 512) return 'a message is too long'
  if (judgement.disposition !== 'done') {
    if (Object.keys(judgement.writes).length > 0) return 'writes of a call that is not done are kept'
    if (judgement.failure === null) return 'it failed without a reason'
  }
  if (judgement.httpStatus !== status) return 'a different status is recorded'
  if (status !== 200) return judgement.isUncertain ? null : 'a status other than 200 is judged as definite'
  const json = parsed(body)
  if (json === undefined)
    return judgement.isUncertain ? null : 'an answer that is no JSON is judged as definite'
  switch (judgement.disposition) {
    case 'repeat':
      return mayRepeat(json, judgement) ? null : 'repeated although the answer does not ask for it'
    case 'failed':
      return judgement.isUncertain ? 'failed and uncertain at once' : null
    case 'done':
      return wrongOfDone(json, judgement)
  }
}

function parsed(body: Uint8Array): JsonValue | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)
    return JSON.parse(text) as JsonValue
  } catch {
    return undefined
  }
}

function mayRepeat(json: JsonValue, { isUncertain }: Judgement): boolean {
  if (!isJsonObject(json)) return false
  const data = json['data']
  if (!isJsonObject(data)) return false
  if (isUncertain) return json['errorCode'] === '0' && data['outcome'] === 'UNKNOWN'
  return json['errorCode'] !== '0' && data['retryable'] === true
}

function wrongOfDone(json: JsonValue, { writes, outcome, failure }: Judgement): string | null {
  if (failure !== null) return 'done and failed at once'
  if (!isJsonObject(json) || json['errorCode'] !== '0') return 'judged as a success'
  if (!['1.0.0', undefined].includes(json['contractVersion'] as string | undefined))
    return 'accepted with a different version'
  const data = json['data']
  if (!isJsonObject(data)) return 'a success without data'
  const different = ECHO.filter((field) => !isDeepStrictEqual(data[field], plain(expected[field])))
  if (different.length > 0) return `accepted with a different ${different.join(', ')}`
  if (data['outcome'] !== outcome || !['APPLIED', 'VERIFIED', 'NOT_APPLIED'].includes(String(outcome)))
    return 'accepted with a different outcome'
  if (outcome === 'NOT_APPLIED' && Object.keys(writes).length > 0) return 'NOT_APPLIED with writes'
  const resources = data['resources'] ?? (outcome === 'NOT_APPLIED' ? {} : null)
  if (!isJsonObject(resources)) return 'accepted without resources'
  return wrongOfWrites(resources, plain(writes))
}

const plain = (value: unknown): JsonValue => JSON.parse(JSON.stringify(value)) as JsonValue

function wrongOfWrites(sent: JsonObject, kept: JsonValue): string | null {
  const wanted: JsonObject = {}
  for (const [locator, properties] of Object.entries(sent)) {
    if (!isJsonObject(properties)) return 'accepted properties that are not an object'
    if (locator !== LOCATOR) return 'accepted a resource that is not the plugin’s'
    for (const [name, value] of Object.entries(properties)) {
      const rule = Object.hasOwn(WRITABLE, name) ? WRITABLE[name] : undefined
      if (rule === undefined) return `accepted a write to ${name}`
      if (!isJsonObject(value) || value['@type'] !== 'Data') return 'accepted a bare value or a reference'
      if (!Object.hasOwn(value, 'value')) return 'accepted Data without a value'
      if (rule.mustBeText && typeof value['value'] !== 'string')
        return 'accepted what does not fit the schema'
      if (value['isSensitive'] === true && !rule.isSensitive)
        return 'accepted a sensitivity mark that the definition does not have'
      const text = JSON.stringify(value)
      if ([TOKEN, CREDENTIAL, SERVICE_ADDRESS].some((material) => text.includes(material)))
        return 'accepted access material'
      const written: JsonObject = { '@type': 'Data', value: value['value'] ?? null }
      const before = wanted[locator]
      wanted[locator] = {
        ...(isJsonObject(before) ? before : {}),
        [name]: rule.isSensitive ? { ...written, isSensitive: true } : written,
      }
    }
  }
  return isDeepStrictEqual(plain(wanted), kept) ? null : 'what is kept differs from what was written'
}

const status = fc.oneof(
  { weight: 9, arbitrary: fc.constant(200) },
  { weight: 1, arbitrary: fc.integer({ min: 200, max: 599 }) },
)

export const JUDGE_TARGETS: readonly Target[] = [
  structured(
    'answer of a plugin',
    fc.tuple(edited(ANSWERS), status),
    ([json, code]) => wrongOf(Buffer.from(JSON.stringify(json)), code),
    { share: 4 },
  ),
  bytes(
    'answer of a plugin as bytes',
    fc.tuple(editedBytes(ANSWERS.map((answer) => JSON.stringify(answer))), status),
    ([bytes, code]) => wrongOf(bytes, code),
    { share: 4 },
  ),
]
