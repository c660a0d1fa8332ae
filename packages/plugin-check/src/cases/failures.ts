import { isJsonObject } from '../../../../contract/json-schema/json.ts'
import type { JsonObject } from '../../../../contract/json-schema/json.ts'
import type { Sent, Trial } from '../run/trial.ts'
import { describeAnswer, isDone } from '../wire/read-answer.ts'
import { caseGroup, type Case } from './case.ts'
import { short, topOf, wrongCalls } from './read-response.ts'

const failure = caseGroup('failure', { rule: 'failure-data', kind: 'shape' })

/** Failure envelopes. Blocks the case if none can be provoked. */
export async function provokeRefusals(trial: Trial): Promise<void> {
  const found = (await wrongCalls(trial)).filter(({ answer }) => answer.kind === 'failure')
  trial.requires(found.length > 0, 'No failure envelope could be provoked')
}

const forRefusal = (
  judge: (trial: Trial, top: JsonObject, data: JsonObject) => void,
): Pick<Case, 'run' | 'judge'> => ({
  run: provokeRefusals,
  judge: (trial, sent) => {
    if (sent.answer.kind !== 'failure') return
    const top = topOf(sent)
    const { data } = top
    if (data !== null) judge(trial, top, isJsonObject(data) ? data : {})
  },
})

const isFailureEnvelope = (sent: Sent): boolean =>
  !['0', undefined].includes(topOf(sent)['errorCode'] as string)

export const FAILURE_CASES: readonly Case[] = [
  failure(
    'status-200',
    {
      title: 'A failure envelope has HTTP status 200',
      fix: 'Use status 200 for every envelope.',
      rule: 'envelope',
    },
    {
      async run(trial) {
        const sent = await wrongCalls(trial)
        trial.requires(sent.some(isFailureEnvelope), 'No failure envelope could be provoked')
      },
      judge(trial, sent) {
        const { call, exchange, isValid } = sent
        const { status = 0 } = exchange.response ?? {}
        // a body that is no lifecycle request may get a 4xx with any body
        const mayRefuse = (call === null || !isValid) && status >= 400 && status < 500
        trial.check(
          status === 200 || mayRefuse || !isFailureEnvelope(sent),
          `An envelope has the HTTP status ${status}; send every envelope with 200`,
        )
      },
    },
  ),
  failure(
    'error-code',
    {
      title: 'errorCode of a failure is upper-case words joined by _, at most 128 characters',
      rule: 'envelope',
      fix: 'Use a code such as TENANT_LIMIT_REACHED.',
    },
    forRefusal((trial, { errorCode }) => {
      const isCode =
        typeof errorCode === 'string' &&
        errorCode.length <= 128 &&
        /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*$/.test(errorCode)
      trial.check(isCode, `errorCode is ${short(errorCode)}`)
    }),
  ),
  failure(
    'message',
    {
      title: 'message of a failure has 1 to 512 characters',
      fix: 'Write one sentence for the person who operates the installation.',
    },
    forRefusal((trial, _top, { message }) => {
      const isRight = typeof message === 'string' && message.length > 0 && [...message].length <= 512
      trial.check(isRight, `message is ${short(message)}`)
    }),
  ),
  failure(
    'retryable',
    { title: 'retryable of a failure is true or false', fix: 'Set retryable, a boolean.' },
    forRefusal((trial, _top, { retryable }) =>
      trial.check(typeof retryable === 'boolean', `retryable is ${short(retryable)}`),
    ),
  ),
  failure(
    'invalid-is-final',
    {
      title: 'A failure of the invalid values is not to be retried',
      level: 'SHOULD',
      kind: 'behaviour',
      needs: ['invalid'],
      fix: 'Set retryable only if the same request, with the same input, can succeed later.',
    },
    async (trial) => {
      const { before, after } = trial.install().operation('INSTALL', 1, { values: 'invalid' })
      let { answer } = await trial.settle(before)
      if (isDone(answer)) answer = (await trial.settle(after)).answer
      trial.requires(!isDone(answer), 'The invalid values of the profile were accepted')
      trial.check(
        answer.kind !== 'failure' || answer.retryable !== true,
        `The INSTALL got ${describeAnswer(answer)}, and the runtime repeats it although it cannot succeed`,
      )
    },
  ),
  failure(
    'error-path',
    {
      title: 'errorPath, if present, is a list of names without white space',
      fix: 'List logical service names, or omit errorPath.',
    },
    forRefusal((trial, _top, { errorPath }) => {
      const isRight =
        errorPath === undefined ||
        (Array.isArray(errorPath) &&
          errorPath.length > 0 &&
          errorPath.every((name) => typeof name === 'string' && /^[^\s\p{Cc}]+$/u.test(name)))
      trial.check(isRight, `errorPath is ${short(errorPath)}`)
    }),
  ),
]

const runbook = caseGroup('runbook', { rule: 'failure-data', kind: 'shape' })

/** More codes in one message help nobody. */
const NAMED_MAX = 10

/** They run last: they judge the codes of every response of the run. */
export const RUNBOOK_CASES: readonly Case[] = [
  runbook(
    'every-code',
    {
      title: 'Each error code that the plugin answers has a runbook',
      level: 'SHOULD',
      needs: ['runbooks'],
      fix: 'Add an entry with errorCode, title, and text or url to the runbooks of the profile, and to the registration of the plugin.',
    },
    async (trial) => {
      await provokeRefusals(trial)
      const known = new Set(trial.profile.runbooks?.map(({ errorCode }) => errorCode))
      const missing = [...new Set([...trial.profile.errorCodes, ...trial.codes])]
        .filter((code) => !known.has(code))
        .toSorted()
      const more = missing.length > NAMED_MAX ? ` and ${missing.length - NAMED_MAX} more` : ''
      trial.check(missing.length === 0, `No runbook for ${missing.slice(0, NAMED_MAX).join(', ')}${more}`)
    },
  ),
]
