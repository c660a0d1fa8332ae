import { isDeepStrictEqual } from 'node:util'
import { isJsonObject } from '../../../../contract/json-schema/json.ts'
import type { JsonValue } from '../../../../contract/json-schema/json.ts'
import type { LifecycleRequest } from '../../../../contract/protocol/lifecycle.ts'
import { OPERATION_TYPES, STAGES } from '../../../../contract/protocol/vocabulary.ts'
import { checkOrder } from '../run/history.ts'
import { essence, type Installation, type Sent, type TokenChanges, type Trial } from '../run/trial.ts'
import { callOf, type Call } from '../wire/build-call.ts'
import { newSigningKey } from '../wire/keys.ts'
import { describeAnswer, isDone } from '../wire/read-answer.ts'
import { caseGroup, type Case } from './case.ts'
import { checkOneResult } from './concurrency.ts'

// A rule holds for every call: for each stage of each operation in the life of one installation.

/** One call in the life of an installation. */
interface Step {
  installation: Installation
  call: Call
  /** Such as `UPGRADE AFTER_RESOURCES`. */
  name: string
  sequence: number
  /** The first responses of the calls before it, and of itself once it is done. */
  done: readonly Sent[]
}

type Visit = (step: Step) => Promise<void>

const UPGRADED = { currentVersion: '1.1.0', targetVersion: '1.1.0' } as const

/** INSTALL, CONFIGURE, UPGRADE and DETACH of one installation. The visits come before and after each call. */
async function live(trial: Trial, { before, after }: { before?: Visit; after?: Visit }): Promise<void> {
  const installation = trial.install()
  const done: Sent[] = []
  for (const [index, type] of (['INSTALL', 'CONFIGURE', 'UPGRADE', 'DETACH'] as const).entries()) {
    const sequence = (index + 1) * 10
    const values = type === 'CONFIGURE' || type === 'UPGRADE' ? 'changed' : 'properties'
    const operation = installation.operation(type, sequence, {
      values,
      ...(type === 'DETACH' && UPGRADED),
    })
    for (const call of [operation.before, operation.after]) {
      const step = { installation, call, name: `${type} ${call.request.stage}`, sequence, done }
      await before?.(step)
      done.push(await trial.finish(call))
      await after?.(step)
    }
  }
}

/** The work must not change the business state. */
async function unchanged(
  trial: Trial,
  { installation, name }: Step,
  what: string,
  work: () => Promise<void>,
): Promise<void> {
  const state = await trial.state(installation)
  await work()
  await trial.checkSameState(installation, state, `${what} ${name} changed the state`)
}

const everyCall = (
  group: string,
  rule: string,
  details: Pick<Case, 'title' | 'fix'> & Partial<Pick<Case, 'needs' | 'isBeside'>>,
  visits: (trial: Trial) => { before?: Visit; after?: Visit },
  review?: Case['review'],
): Case =>
  caseGroup(group, { rule, kind: 'behaviour' })('every-call', details, {
    run: (trial) => live(trial, visits(trial)),
    ...(review !== undefined && { review }),
  })

const now = (): number => Math.floor(Date.now() / 1000)

/** Tokens that are not for a call, by what is wrong with them. */
const wrongTokens = ({ platform }: Trial, { request }: Call): Record<string, TokenChanges> => ({
  'no token': { authorization: null },
  'a token of another key': {
    signature: { by: 'key', key: newSigningKey(), kid: platform.keys[0].kid },
  },
  'an expired token': { claims: { iat: now() - 900, exp: now() - 600 } },
  'a token for another plugin': { claims: { aud: 'another-plugin' } },
  'a token for another operation': { claims: { sub: '019b7a1c-6e00-7c11-8a2f-000000000000' } },
  'a token for the other stage': {
    claims: { stage: STAGES.find((stage) => stage !== request.stage) },
  },
  'a token for another sequence': { claims: { executionSequence: request.executionSequence + 1 } },
})

const wrongRequests = (request: LifecycleRequest): Record<string, object> => ({
  'another pluginId': { ...request, pluginId: 'another-plugin' },
  'contractVersion 7.0.0': { ...request, contractVersion: '7.0.0' },
  'executionSequence as a text': { ...request, executionSequence: String(request.executionSequence) },
})

type Path = readonly (string | number)[]

/** What decides which call a request is, or for whom: another value makes it another call. */
const OTHER_CALL = new Set(['contractVersion', 'pluginId', 'stage', 'installation', 'operation.operationId'])

/** The places of texts, numbers and booleans, except those with which it would be another call. */
function leavesOf(value: JsonValue, path: Path = []): Path[] {
  const place = path.join('.')
  if (OTHER_CALL.has(place) || path.at(-1) === '@type') return []
  if (Array.isArray(value)) return value.flatMap((item, index) => leavesOf(item, [...path, index]))
  if (isJsonObject(value))
    return Object.entries(value).flatMap(([name, item]) => leavesOf(item, [...path, name]))
  return [path]
}

/** A value of the same kind and, if it can be, of the same length: the last letter in the other case. */
function otherValue(value: JsonValue, path: Path): JsonValue {
  if (typeof value === 'number') return path[0] === 'executionSequence' ? value + 1_000 : value + 1
  if (typeof value === 'boolean') return !value
  if (typeof value !== 'string') return '0.0.9'
  if (path.at(-1) === 'operationType' || path.at(-1) === 'action')
    return OPERATION_TYPES[(OPERATION_TYPES.indexOf(value as never) + 1) % OPERATION_TYPES.length] ?? value
  const at = value.search(/[a-z](?=[^a-z]*$)/i)
  const letter = value.charAt(at)
  const other = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()
  return at === -1 ? `${value}9` : value.slice(0, at) + other + value.slice(at + 1)
}

function withOther(value: JsonValue, path: Path, rest: Path = path): JsonValue {
  const [first, ...others] = rest
  if (first === undefined) return otherValue(value, path)
  if (Array.isArray(value))
    return value.map((item, index) => (index === first ? withOther(item, path, others) : item))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      name === first ? withOther(item, path, others) : item,
    ]),
  )
}

/** The call with another value at one place, and with one more value of the configuration. */
function changedCalls({ request }: Call): { what: string; call: Call }[] {
  // a request is JSON
  const json = request as unknown as JsonValue
  const { configuration } = request
  const more = { ...configuration, values: { ...configuration.values, added: true } }
  return [
    ...leavesOf(json).map((path) => ({
      what: path.join('.'),
      call: callOf(withOther(json, path) as unknown as LifecycleRequest),
    })),
    { what: 'configuration.values', call: callOf({ ...request, configuration: more }) },
  ]
}

/** In each call after the first, every so many-th place. */
const LEAF_STRIDE = 4
const AT_ONCE = 3
/** How often the first call is repeated at once. */
const MANY = 10

export const EVERY_CALL_CASES: readonly Case[] = [
  everyCall(
    'token',
    'token-of-a-lifecycle-call',
    {
      title: 'Every call needs a token for itself, also when it is repeated',
      needs: ['tokens'],
      isBeside: true,
      fix: 'Verify the token of every attempt first, in every stage of every operation, also of a repeat.',
    },
    (trial) => {
      const refused = (step: Step, tokens: Record<string, TokenChanges>): Promise<void> =>
        unchanged(trial, step, 'A refused', async () => {
          const { calls } = trial.platform
          const from = calls.length
          for (const [what, token] of Object.entries(tokens)) {
            const { answer } = await trial.settle(step.call, { token })
            trial.check(
              answer.kind === 'refused' || answer.kind === 'failure',
              `${step.name} with ${what} got ${describeAnswer(answer)} instead of 401`,
            )
          }
          const { bundleInstallId } = step.installation.identity
          trial.check(
            step.done.length > 0 ||
              !calls.slice(from).some(({ body }) => JSON.stringify(body ?? null).includes(bundleInstallId)),
            `${step.name} led to a call of the platform before its token was verified`,
          )
        })
      return {
        before: (step) => refused(step, wrongTokens(trial, step.call)),
        after: (step) => refused(step, { 'no token': { authorization: null } }),
      }
    },
  ),
  everyCall(
    'request',
    'requests-that-a-plugin-refuses',
    {
      title:
        'A request that is not for this plugin or not in its form is refused in every stage of every operation',
      isBeside: true,
      fix: 'Validate the whole request before anything happens, and respond with a failure that is not retryable.',
    },
    (trial) => ({
      before: (step) =>
        unchanged(trial, step, 'A refused', async () => {
          for (const [what, body] of Object.entries(wrongRequests(step.call.request)))
            trial.checkRejected(
              await trial.settleBytes(Buffer.from(JSON.stringify(body)), step.call),
              `${step.name} with ${what}`,
            )
        }),
    }),
  ),
  everyCall(
    'repeat',
    'repeated-calls',
    {
      title: 'A repeat of every call gets the same response, also after later ones, and changes nothing',
      isBeside: true,
      fix: 'Store the complete response under operationId and stage, in the transaction of the effect, and return it to repeats. Look it up before you compare sequences.',
    },
    (trial) => ({
      after: (step) =>
        unchanged(trial, step, 'A repeat after', async () => {
          const [install] = step.done
          const calls = step.done.length === 1 ? Array.from({ length: MANY }, () => install) : step.done
          for (const first of calls) {
            if (first?.call == null) continue
            const again = await trial.send(first.call)
            const { operation, stage, executionSequence } = first.call.request
            const what = `${operation.operationType} ${stage}, repeated after ${step.name},`
            const isSame = isDeepStrictEqual(essence(first), essence(again))
            const isForgotten = executionSequence < step.sequence && again.answer.kind === 'failure'
            if (!isSame && isForgotten) trial.checkRefused(again, what)
            else trial.checkSame(first, again, what)
          }
        }),
    }),
  ),
  everyCall(
    'bytes',
    'other-bytes',
    {
      title:
        'Another value anywhere in a call that is done is refused, and the first bytes still get their response',
      isBeside: true,
      fix: 'Store a hash of all bytes of the request with the call, and refuse a call whose hash differs.',
    },
    (trial) => {
      let steps = 0
      return {
        async after(step) {
          const offset = steps++
          const changes = changedCalls(step.call).filter(
            (_, index) => offset === 0 || index % LEAF_STRIDE === offset % LEAF_STRIDE,
          )
          const { installation, name } = step
          const state = await trial.state(installation)
          for (const { what, call } of changes) {
            const sent = await trial.settleBytes(call.bytes, call)
            // another value can make it a request that is refused for its form, with 4xx
            trial.checkRejected(sent, `${name} with another ${what}`)
            // the values of a later change could hide the effect of this one
            await trial.checkSameState(installation, state, `Another ${what} in ${name} changed the state`)
          }
          const first = step.done.at(-1)
          if (first !== undefined)
            trial.checkSame(first, await trial.send(step.call), `${step.name} after other bytes`)
        },
      }
    },
  ),
  everyCall(
    'concurrent',
    'calls-in-progress',
    {
      title:
        'Of identical calls at once, each gets the same response or a retryable failure, in every stage of every operation',
      fix: 'Store that a call has started before its effect. A second one waits for the response, or gets a retryable failure.',
    },
    (trial) => ({ before: ({ call }) => checkOneResult(trial, call, AT_ONCE) }),
  ),
  everyCall(
    'late',
    'late-calls',
    {
      title: 'A late call is refused without an effect, whatever its operation and stage',
      isBeside: true,
      fix: 'Store the highest executionSequence of each installation with the effect, and refuse lower ones and equal ones of another operation. That includes a DETACH.',
    },
    (trial) => ({
      async after(step) {
        const { installation, sequence, name, call } = step
        if (call.request.stage === 'BEFORE_RESOURCES' && sequence > 10) return
        await unchanged(trial, step, 'A late call after', async () => {
          for (const [earlier, stages] of [
            [1, ['BEFORE_RESOURCES']],
            [sequence - 1, STAGES],
            [sequence, ['BEFORE_RESOURCES']],
          ] as const)
            for (const type of OPERATION_TYPES) {
              const late = installation.operation(type, earlier, { values: 'changed' })
              for (const stage of stages) {
                const one = stage === 'BEFORE_RESOURCES' ? late.before : late.after
                trial.checkRefused(
                  await trial.settle(one),
                  `${type} ${stage} with executionSequence ${earlier} after ${name} with ${sequence}`,
                )
              }
            }
        })
      },
    }),
    checkOrder,
  ),
  everyCall(
    'connection',
    'slow-and-cut-connections',
    {
      title:
        'A cut request has no effect, and a lost response does not matter, in every stage of every operation',
      fix: 'Act only when the body is complete, and then finish the call even if the connection closes.',
    },
    (trial) => ({
      async before(step) {
        const { call, name } = step
        await unchanged(trial, step, 'A cut request of', async () => {
          const cutRequestAt = Math.floor(call.bytes.byteLength / 2)
          await trial.send(call, { cutRequestAt, isNewConnection: true })
        })
        await trial.send(call, { loseResponse: true, isNewConnection: true })
        const { answer } = await trial.settle(call)
        trial.check(isDone(answer), `${name} after a lost response got ${describeAnswer(answer)}`)
      },
    }),
  ),
]
