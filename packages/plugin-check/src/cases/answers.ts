import { isDeepStrictEqual } from 'node:util'
import { isJsonObject } from '../../../../contract/json-schema/json.ts'
import type { JsonObject } from '../../../../contract/json-schema/json.ts'
import { StrictJsonError } from '../../../../contract/protocol/json-text-problem.ts'
import { ANSWER_BYTES_MAX } from '../../../../contract/protocol/limits.ts'
import { parseStrictJson } from '../../../../contract/protocol/strict-json.ts'
import { OUTCOMES, type OperationType } from '../../../../contract/protocol/vocabulary.ts'
import type { Sent } from '../run/trial.ts'
import { isDone, isJsonType, parseJson } from '../wire/read-answer.ts'
import { caseGroup, type Case } from './case.ts'
import { checkApplied, ofEveryEnvelope, ofEverySuccess, short, topOf } from './read-response.ts'

const envelope = caseGroup('envelope', { rule: 'envelope', kind: 'shape' })
const echo = caseGroup('echo', { rule: 'response-fields', kind: 'shape' })
const lifecycle = caseGroup('lifecycle', { rule: 'what-a-plugin-response-means', kind: 'behaviour' })

const dataOf = ({ answer }: Sent): JsonObject => (answer.kind === 'success' ? answer.data : {})

function succeeds(type: OperationType, article: string): Case {
  return lifecycle(
    `${type.toLowerCase()}-succeeds`,
    {
      title: `${article} ${type} with valid values succeeds in both stages`,
      fix: `Make ${type} succeed with the values of the profile, or correct the profile. Most other cases depend on it.`,
    },
    async (trial) => {
      const installation = trial.install()
      const operations = [installation.operation('INSTALL', 1)]
      if (type !== 'INSTALL') operations.push(installation.operation(type, 2))
      for (const operation of operations) {
        for (const call of [operation.before, operation.after]) {
          const isLast = operation === operations.at(-1)
          try {
            await trial.finish(call)
          } catch (error) {
            const problem = error instanceof Error ? error.message : 'it failed'
            if (isLast) trial.check(false, [problem, trial.host?.lastError() ?? ''].join(' ').trim())
            throw error
          }
        }
      }
    },
  )
}

/** Changed values that replace visible ones must be visible after the operation. */
const applies = (type: 'INSTALL' | 'CONFIGURE' | 'UPGRADE', article: string): Case =>
  lifecycle(
    `${type.toLowerCase()}-applies`,
    {
      title: `${article} ${type} applies the values that it is sent`,
      needs: ['state', 'changed'],
      fix: `Store what ${type} sends, and return it at the state address.`,
    },
    async (trial) => {
      const usual = trial.install()
      await trial.complete(usual.operation('INSTALL', 1))
      const before = await trial.state(usual)
      const changed = type === 'INSTALL' ? trial.install() : usual
      const operation = changed.operation(type, type === 'INSTALL' ? 1 : 2, { values: 'changed' })
      for (const call of [operation.before, operation.after])
        if (!isDone((await trial.settle(call)).answer)) trial.untested(`the ${type} did not succeed`)
      checkApplied(trial, before, await trial.state(changed), `The ${type}`)
    },
  )

export const ANSWER_CASES: readonly Case[] = [
  succeeds('INSTALL', 'An'),
  succeeds('CONFIGURE', 'A'),
  succeeds('UPGRADE', 'An'),
  succeeds('DETACH', 'A'),
  applies('INSTALL', 'An'),
  applies('CONFIGURE', 'A'),
  applies('UPGRADE', 'An'),
  envelope(
    'status-200',
    { title: 'A success has HTTP status 200', fix: 'Respond with status 200, not 201, 202 or 204.' },
    ofEverySuccess((trial, { exchange }) =>
      trial.check(exchange.response?.status === 200, `The status is ${exchange.response?.status}`),
    ),
  ),
  envelope(
    'json-type',
    {
      title: 'The content type of a response is application/json',
      fix: 'Set content-type: application/json.',
    },
    ofEveryEnvelope((trial, { exchange }) => {
      const type = exchange.response?.headers['content-type'] ?? 'absent'
      trial.check(isJsonType(type), `The content type is ${type}`)
    }),
  ),
  envelope(
    'enveloped',
    {
      title: 'A response is an envelope, not bare data',
      fix: 'Put the data into {"errorCode": "0", "data": …, "contractVersion": "1.0.0"}.',
    },
    ofEverySuccess((trial, sent) => {
      const top = topOf(sent)
      trial.check('errorCode' in top && 'data' in top, 'The body has no errorCode and data')
    }),
  ),
  envelope(
    'error-code-zero',
    { title: 'errorCode of a success is the text 0', fix: 'Write "errorCode": "0", a string, not a number.' },
    ofEverySuccess((trial, sent) => {
      const { errorCode } = topOf(sent)
      trial.check(errorCode === undefined || errorCode === '0', `errorCode is ${JSON.stringify(errorCode)}`)
    }),
  ),
  envelope(
    'version',
    {
      title: 'contractVersion of the envelope is 1.0.0 or absent',
      fix: 'Set "contractVersion": "1.0.0" in the envelope; 6.0.0 belongs into data.',
    },
    ofEveryEnvelope((trial, sent) => {
      const top = topOf(sent)
      const { contractVersion } = top
      trial.check(
        !('errorCode' in top) || contractVersion === undefined || contractVersion === '1.0.0',
        `contractVersion is ${JSON.stringify(contractVersion)}`,
      )
    }),
  ),
  envelope(
    'version-sent',
    {
      title: 'The envelope names its contractVersion',
      level: 'SHOULD',
      fix: 'Set "contractVersion": "1.0.0" in the envelope.',
    },
    ofEveryEnvelope((trial, sent) => {
      trial.check('contractVersion' in topOf(sent), 'contractVersion is absent')
    }),
  ),
  envelope(
    'no-duplicate-keys',
    {
      title: 'A response has no duplicate keys',
      rule: 'response-fields',
      fix: 'Serialize the response with a JSON library instead of joining texts.',
    },
    ofEveryEnvelope((trial, { exchange }) => {
      const text = exchange.response?.body.toString() ?? ''
      const keys = (text.match(/"(?:[^"\\]|\\.)*"\s*:/g) ?? []).length
      trial.check(
        keys === countKeys(parseJson(exchange.response?.body ?? Buffer.alloc(0))),
        'A key occurs twice',
      )
    }),
  ),
  ...(
    [
      [
        'exact-numbers',
        'Every number in a response stays the same when it is read',
        ['numberChanges', 'numberTooLarge'],
        'Write numbers with more than 15 digits as texts.',
      ],
      [
        'whole-text',
        'The texts in a response have no half characters and no NUL',
        ['surrogate', 'nul'],
        'Cut texts at whole characters, and remove NUL.',
      ],
    ] as const
  ).map(([name, title, reasons, fix]) =>
    envelope(
      name,
      { title, rule: 'where-the-contract-leaves-room', fix },
      ofEveryEnvelope((trial, { exchange }) => {
        const problem = jsonProblem(exchange.response?.body.toString() ?? '')
        trial.check(!reasons.some((reason) => reason === problem?.reason), problem?.message ?? '')
      }),
    ),
  ),
  envelope(
    'size',
    {
      title: 'A response has at most 1 MiB',
      rule: 'limits',
      fix: 'Write less: refer to large data instead.',
    },
    ofEveryEnvelope((trial, { exchange }) => {
      const bytes = exchange.response?.body.byteLength ?? 0
      trial.check(bytes <= ANSWER_BYTES_MAX, `The response has ${bytes} bytes`)
    }),
  ),
  ...(
    [
      ['contract-version', 'contractVersion'],
      ['plugin-id', 'pluginId'],
      ['installation', 'installation'],
      ['operation', 'operation'],
      ['stage', 'stage'],
      ['execution-sequence', 'executionSequence'],
    ] as const
  ).map(([name, field]) =>
    echo(
      name,
      {
        title: `${field} of the response is equal to the request`,
        fix: `Copy ${field} from the request, unchanged and complete.`,
      },
      ofEverySuccess((trial, sent) => {
        const expected = sent.call?.request[field]
        trial.check(
          expected === undefined || isDeepStrictEqual(dataOf(sent)[field], expected),
          `${field} is ${short(dataOf(sent)[field])} instead of ${short(expected)}`,
        )
      }),
    ),
  ),
  lifecycle(
    'known-outcome',
    {
      title: 'outcome is one of the five, in upper case',
      kind: 'shape',
      rule: 'response-fields',
      fix: `Use ${OUTCOMES.join(', ')}.`,
    },
    ofEverySuccess((trial, sent) => {
      const { outcome } = dataOf(sent)
      trial.check(
        OUTCOMES.some((known) => known === outcome),
        `outcome is ${short(outcome)}`,
      )
    }),
  ),
  lifecycle(
    'resources-present',
    {
      title: 'resources is an object in a response with APPLIED or VERIFIED',
      kind: 'shape',
      rule: 'response-fields',
      fix: 'Send "resources": {} if nothing is written.',
    },
    ofEverySuccess((trial, sent) => {
      const { outcome, resources } = dataOf(sent)
      const isNeeded = outcome === 'APPLIED' || outcome === 'VERIFIED'
      trial.check(
        !isNeeded || isJsonObject(resources),
        `resources is ${short(resources)} with ${short(outcome)}`,
      )
    }),
  ),
  lifecycle(
    'not-applied-without-writes',
    {
      title: 'NOT_APPLIED has no writes',
      kind: 'shape',
      fix: 'Return APPLIED if something is written, or write nothing.',
    },
    ofEverySuccess((trial, { answer }) => {
      if (answer.kind !== 'success') return
      const count = Object.values(answer.writes).filter(
        (properties) => isJsonObject(properties) && Object.keys(properties).length > 0,
      ).length
      trial.check(answer.outcome !== 'NOT_APPLIED' || count === 0, 'NOT_APPLIED came with writes')
    }),
  ),
]

function jsonProblem(text: string): { reason: string; message: string } | null {
  try {
    parseStrictJson(text)
    return null
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error
    return { reason: error.problem.reason, message: error.messageWithoutPath }
  }
}

function countKeys(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + countKeys(item), 0)
  if (!isJsonObject(value)) return 0
  return Object.values(value).reduce((sum: number, item) => sum + 1 + countKeys(item), 0)
}
