import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { isJsonObject } from '#contract/json-schema/json.ts'
import type { JsonObject, JsonValue } from '#contract/json-schema/json.ts'
import { judgeAnswer } from '#runtime/plugins/judge.ts'
import type { Judgement } from '#runtime/plugins/judge.ts'
import { LOCATOR } from '#runtime/operations/testing-plan.ts'
import { ANSWERS, expected, knowledge } from './documents.ts'
import { edited, editedBytes } from './edits.ts'
import { CREDENTIAL, SECRET, SERVICE_ADDRESS, TOKEN } from './odd.ts'
import { target } from './run-target.ts'
import type { AnyTarget } from './target.ts'

// What the runtime makes of an answer, held against the table of outcomes as it is written in docs/protocol.md and not
// against the code: whatever is kept was permitted, and nothing else is ever kept.

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
  const told = JSON.stringify([judgement.failure, judgement.recorded])
  if (told.includes(SECRET)) return 'a sensitive value is told'
  if (told.includes(CREDENTIAL) || told.includes(TOKEN)) return 'a credential of the platform is told'
  if ([...(judgement.failure?.message ?? '')].length > 512) return 'a message is too long'
  if (judgement.disposition !== 'done') {
    if (Object.keys(judgement.writes).length > 0) return 'something is kept of a call that is not done'
    if (judgement.failure === null) return 'it failed without saying why'
  }
  if (judgement.httpStatus !== status) return 'another status is recorded'
  if (status !== 200) return judgement.isUncertain ? null : 'a status other than 200 says something definite'
  const json = parsed(body)
  if (json === undefined) return judgement.isUncertain ? null : 'what is no JSON says something definite'
  switch (judgement.disposition) {
    case 'repeat':
      return mayRepeat(json, judgement) ? null : 'repeated although the answer does not say so'
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
  if (!isJsonObject(json) || json['errorCode'] !== '0') return 'taken for a success'
  if (!['1.0.0', undefined].includes(json['contractVersion'] as string | undefined)) return 'another version'
  const data = json['data']
  if (!isJsonObject(data)) return 'a success without data'
  const strange = ECHO.filter((field) => !isDeepStrictEqual(data[field], plain(expected[field])))
  if (strange.length > 0) return `accepted with another ${strange.join(', ')}`
  if (data['outcome'] !== outcome || !['APPLIED', 'VERIFIED', 'NOT_APPLIED'].includes(String(outcome)))
    return 'accepted with another outcome'
  if (outcome === 'NOT_APPLIED' && Object.keys(writes).length > 0) return 'NOT_APPLIED and written'
  const resources = data['resources'] ?? (outcome === 'NOT_APPLIED' ? {} : null)
  if (!isJsonObject(resources)) return 'accepted without resources'
  return wrongOfWrites(resources, plain(writes))
}

const plain = (value: unknown): JsonValue => JSON.parse(JSON.stringify(value)) as JsonValue

function wrongOfWrites(sent: JsonObject, kept: JsonValue): string | null {
  const wanted: JsonObject = {}
  for (const [locator, properties] of Object.entries(sent)) {
    if (!isJsonObject(properties)) return 'accepted properties that are no object'
    if (locator !== LOCATOR) return 'accepted a resource that is not the plugin’s'
    for (const [name, value] of Object.entries(properties)) {
      const rule = Object.hasOwn(WRITABLE, name) ? WRITABLE[name] : undefined
      if (rule === undefined) return `accepted a write to ${name}`
      if (!isJsonObject(value) || value['@type'] !== 'Data') return 'accepted a bare value or a reference'
      if (!Object.hasOwn(value, 'value')) return 'accepted Data without a value'
      if (rule.mustBeText && typeof value['value'] !== 'string')
        return 'accepted what does not fit the schema'
      if (value['isSensitive'] === true && !rule.isSensitive) return 'accepted a mark that is not defined'
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
  return isDeepStrictEqual(plain(wanted), kept) ? null : 'something else is kept than was written'
}

const status = fc.oneof(
  { weight: 9, arbitrary: fc.constant(200) },
  { weight: 1, arbitrary: fc.integer({ min: 200, max: 599 }) },
)

export const JUDGE_TARGETS: readonly AnyTarget[] = [
  target({
    name: 'answer of a plugin',
    family: 'structured',
    input: fc.tuple(edited(ANSWERS), status),
    check: ([json, code]) => wrongOf(Buffer.from(JSON.stringify(json)), code),
    share: 4,
  }),
  target({
    name: 'answer of a plugin as bytes',
    family: 'bytes',
    input: fc.tuple(editedBytes(ANSWERS.map((answer) => JSON.stringify(answer))), status),
    check: ([bytes, code]) => wrongOf(bytes, code),
    share: 4,
  }),
]
