import { setTimeout as wait } from 'node:timers/promises'
import { isJsonObject } from '../../../../contract/json-schema/json.ts'
import type { OperationType } from '../../../../contract/protocol/vocabulary.ts'
import { sideBySide } from '../run/side-by-side.ts'
import type { Sent, Trial } from '../run/trial.ts'
import { AFTER_EVERY_CASE } from '../run/run-cases.ts'
import { countState } from '../run/state.ts'
import { describeAnswer, isDone, isFinalFailure, isRepeated } from '../wire/read-answer.ts'
import { caseGroup, type Case } from './case.ts'
import { once } from './read-response.ts'

const repeat = caseGroup('repeat', { rule: 'repeated-calls', kind: 'behaviour' })
const REMEMBER =
  'Store the complete response under operationId and stage, in the transaction of the effect, and return it to repeats.'

/** An installation in which everything before the operation is done. */
export async function prepare(trial: Trial, type: OperationType) {
  const installation = trial.install()
  const install = installation.operation('INSTALL', 1)
  if (type === 'INSTALL') return { installation, operation: install }
  const values = type === 'CONFIGURE' ? 'changed' : 'properties'
  const operation = installation.operation(type, 2, { values })
  await trial.complete(install)
  return { installation, operation }
}

/** More than the usual size of a small cache. */
const OTHER_CALLS = 120

/** Time for several attempts. */
const FAILING_MS = 200

/** How much longer than usual a call may take whose response is lost. */
const ENDED_MS = 100

/** The properties that a response writes, as `locator name`. */
const writtenBy = ({ answer }: Sent): string[] =>
  answer.kind === 'success'
    ? Object.entries(answer.writes)
        .flatMap(([locator, properties]) =>
          Object.keys(isJsonObject(properties) ? properties : {}).map((name) => `${locator} ${name}`),
        )
        .toSorted()
    : []

/** Fails unless the repeat after a lost response is done and writes the properties that the same call writes elsewhere. */
function checkWritesAsUsual(trial: Trial, usual: Sent, repeat: Sent): void {
  trial.check(isDone(repeat.answer), `The repeat got ${describeAnswer(repeat.answer)}`)
  const written = writtenBy(repeat)
  const missing = writtenBy(usual).filter((one) => !written.includes(one))
  trial.check(
    missing.length === 0,
    `The repeat got ${describeAnswer(repeat.answer)} without the writes of the lost response: ${missing.join(', ')}`,
  )
}

/** An INSTALL that was sent while the plugin was made to fail. The case is not tested if it succeeds nevertheless. */
const failed = (trial: Trial) =>
  once(trial, 'temporary failure', async () => {
    const { installation, operation } = await prepare(trial, 'INSTALL')
    const sent = await trial.provoke('temporaryFailure', async () => {
      const before = await trial.settle(operation.before, { withinMs: FAILING_MS })
      return isDone(before.answer) ? trial.settle(operation.after, { withinMs: FAILING_MS }) : before
    })
    if (isDone(sent.answer)) trial.untested('the INSTALL did not fail')
    return { installation, operation, sent }
  })

export const REPEAT_CASES: readonly Case[] = [
  repeat(
    'same-bytes',
    { title: 'A repeat gets the same bytes', level: 'SHOULD', fix: REMEMBER },
    async (trial) => {
      const { before } = trial.install().operation('INSTALL', 1)
      const first = await trial.finish(before)
      const again = await trial.send(before)
      const [one, two] = [first, again].map(({ exchange }) => exchange.response?.body.toString())
      trial.check(one === two, 'The bytes of the two responses differ')
    },
  ),
  repeat(
    'after-later-operation',
    {
      title: 'A repeat of a finished call that arrives after a later operation gets the remembered response',
      level: 'SHOULD',
      fix: 'Look for the remembered response before you compare sequences, and keep it for 30 days.',
    },
    async (trial) => {
      const installation = trial.install()
      const { before, after } = installation.operation('INSTALL', 1)
      const first = await trial.finish(before)
      await trial.finish(after)
      await trial.complete(installation.operation('CONFIGURE', 2))
      trial.checkSame(first, await trial.send(before), 'The repeat')
    },
  ),
  repeat(
    'stages-are-separate',
    {
      title: 'AFTER_RESOURCES is not taken for a repeat of BEFORE_RESOURCES',
      fix: 'Use operationId and stage together as the key of a remembered call.',
    },
    async (trial) => {
      const { before, after } = trial.install().operation('INSTALL', 1)
      await trial.finish(before)
      const { answer } = await trial.settle(after)
      trial.check(
        answer.kind === 'success' && answer.data['stage'] !== 'BEFORE_RESOURCES',
        'AFTER_RESOURCES got the response of BEFORE_RESOURCES or was refused',
      )
    },
  ),
  repeat(
    'lost-response',
    {
      title: 'A repeat after a lost response succeeds, once',
      rule: 'slow-and-cut-connections',
      fix: `Finish a call even if the connection closes. ${REMEMBER}`,
    },
    async (trial) => {
      const usual = await trial.finish(trial.install().operation('INSTALL', 1).before)
      const { before } = trial.install().operation('INSTALL', 1)
      await trial.send(before, { loseResponse: true, isNewConnection: true })
      // a repeat that arrives while the call still runs could get its response without a memory of it
      await wait(usual.exchange.ms + ENDED_MS)
      const first = await trial.settle(before)
      checkWritesAsUsual(trial, usual, first)
      trial.checkSame(first, await trial.send(before), 'The second repeat')
    },
  ),
  repeat(
    'lost-three-times',
    {
      title: 'A repeat after three lost responses succeeds, once',
      rule: 'slow-and-cut-connections',
      fix: `Finish a call even if the connection closes. ${REMEMBER}`,
    },
    async (trial) => {
      const usual = await trial.finish((await prepare(trial, 'CONFIGURE')).operation.before)
      const { operation } = await prepare(trial, 'CONFIGURE')
      for (let count = 0; count < 3; count++)
        await trial.send(operation.before, { loseResponse: true, isNewConnection: true })
      const first = await trial.settle(operation.before)
      checkWritesAsUsual(trial, usual, first)
      trial.checkSame(first, await trial.send(operation.before), 'The next repeat')
    },
  ),
  repeat(
    'other-headers',
    {
      title: 'Headers are not part of a call',
      fix: 'Compute the fingerprint of a call from its body alone.',
    },
    async (trial) => {
      const { before } = trial.install().operation('INSTALL', 1)
      const first = await trial.finish(before)
      const headers = {
        'content-type': 'application/json; charset=utf-8',
        'user-agent': 'other',
        traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
        'x-unknown': 'yes',
      }
      trial.checkSame(
        first,
        await trial.send(before, { headers, isNewConnection: true }),
        'A repeat with other headers',
      )
    },
  ),
  repeat(
    'failure-runs-again',
    {
      title: 'A failed call gets a definite response again, and leaves the installation usable',
      needs: ['invalid'],
      fix: 'Do not remember failures, and free the call when its handler fails: its repeat runs the handler again.',
    },
    async (trial) => {
      const installation = trial.install()
      const failing = installation.operation('INSTALL', 1, { values: 'invalid' })
      let call = failing.before
      let first = await trial.settle(call)
      if (isDone(first.answer)) {
        call = failing.after
        first = await trial.settle(call)
      }
      trial.requires(!isDone(first.answer), 'The invalid values of the profile were accepted')
      const again = await trial.settle(call)
      trial.check(again.answer.kind !== 'uncertain', `The repeat got ${describeAnswer(again.answer)}`)
      if (first.answer.kind === 'failure' && again.answer.kind === 'failure')
        trial.check(
          first.answer.errorCode === again.answer.errorCode,
          `The repeat got ${describeAnswer(again.answer)} instead of ${describeAnswer(first.answer)}`,
        )
      const { answer } = await trial.settle(
        installation.operation('DETACH', 2, { currentVersion: null }).before,
      )
      trial.check(isDone(answer), 'A DETACH after the failure does not succeed')
    },
  ),
  repeat(
    'after-other-calls',
    {
      title: 'After many calls of other installations, a repeat gets the same response',
      fix: 'Remember each call until a later operation of its installation arrives, however many others there are.',
    },
    async (trial) => {
      const { operation } = await prepare(trial, 'DETACH')
      const first = [await trial.finish(operation.before), await trial.finish(operation.after)]
      const others = Array.from({ length: OTHER_CALLS }, () => trial.install().operation('INSTALL', 1).before)
      await sideBySide(others, (other) => trial.send(other))
      for (const one of first)
        if (one.call !== null)
          trial.checkSame(one, await trial.settle(one.call), `The repeat of ${one.call.request.stage}`)
    },
  ),
  repeat(
    'temporary-failure',
    {
      title: 'After a temporary failure, the same bytes succeed',
      needs: ['temporary'],
      fix: 'Do not remember failures: run the call again.',
    },
    async (trial) => {
      const { operation, sent } = await failed(trial)
      if (isFinalFailure(sent.answer)) trial.untested('the provoked failure is final')
      for (const call of [operation.before, operation.after]) {
        const { answer } = await trial.settle(call)
        trial.check(isDone(answer), `${call.request.stage} still gets ${describeAnswer(answer)}`)
      }
    },
  ),
  repeat(
    'temporary-failure-is-repeated',
    {
      title: 'A temporary failure is one that the runtime repeats',
      needs: ['temporary'],
      rule: 'what-a-plugin-response-means',
      fix: 'Return a failure with retryable true, or UNKNOWN, if the same call can succeed later.',
    },
    async (trial) => {
      const { answer } = (await failed(trial)).sent
      trial.check(isRepeated(answer), `During the provoked failure, INSTALL got ${describeAnswer(answer)}`)
    },
  ),
  repeat(
    'no-half-attempt',
    {
      title: 'A failed attempt leaves nothing that its repeat does not use',
      needs: ['temporary', 'state'],
      rule: 'crashes-and-restarts',
      fix: 'Make the effect in one transaction, or find by name what an earlier attempt has made.',
    },
    async (trial) => {
      const undisturbed = trial.install()
      await trial.complete(undisturbed.operation('INSTALL', 1))
      const { installation, operation } = await failed(trial)
      for (const call of [operation.before, operation.after])
        if (!isDone((await trial.settle(call)).answer)) trial.untested('the repeat did not succeed')
      const [one, two] = [undisturbed, installation].map((found) => trial.state(found))
      const [expected, found] = [countState(await one), countState(await two)]
      trial.check(
        expected === found,
        `After failed attempts there are ${found} entries in the state instead of ${expected}`,
      )
    },
  ),
  repeat(
    AFTER_EVERY_CASE.split('.')[1] ?? '',
    {
      title: 'After every other case, one more repeat of each finished call changes nothing',
      fix: REMEMBER,
    },
    // judged from the repeats of all other cases
    () => Promise.resolve(),
  ),
]
