import type { Call } from '../wire/build-call.ts'
import type { Sent, Trial } from '../run/trial.ts'
import { countState } from '../run/state.ts'
import { describeAnswer, isDone } from '../wire/read-answer.ts'
import { prepare } from './repeats.ts'
import { caseGroup, type Case } from './case.ts'

const concurrent = caseGroup('concurrent', { rule: 'calls-in-progress', kind: 'behaviour' })
const LOCK =
  'Store that a call has started before its effect. A second one waits for the response, or gets a retryable failure.'

const sendAtOnce = (trial: Trial, calls: readonly Call[]): Promise<Sent[]> =>
  Promise.all(calls.map((call) => trial.send(call, { isNewConnection: true })))

/** Each response is the same success or a retryable failure, and a later repeat gets that success. */
async function checkOneResult(trial: Trial, call: Call, count: number): Promise<void> {
  const responses = await sendAtOnce(
    trial,
    Array.from({ length: count }, () => call),
  )
  const last = await trial.finish(call)
  for (const sent of responses) {
    const { answer } = sent
    if (answer.kind === 'failure' && answer.retryable === true) continue
    trial.check(
      answer.kind === 'success',
      `One of ${count} identical calls got ${describeAnswer(answer)} instead of waiting or a retryable failure`,
    )
    trial.checkSame(last, sent, `One of ${count} identical calls`)
  }
}

const atOnce = (count: number, words: string): Case =>
  concurrent(
    `${words}-at-once`,
    {
      title: `Of ${words} identical calls at once, each gets the same response or a retryable failure`,
      fix: LOCK,
    },
    async (trial) => {
      const { operation } = await prepare(trial, 'INSTALL')
      await checkOneResult(trial, operation.before, count)
    },
  )

export const CONCURRENCY_CASES: readonly Case[] = [
  atOnce(2, 'two'),
  atOnce(20, 'twenty'),
  concurrent(
    'after-stage',
    { title: 'Identical calls of AFTER_RESOURCES at once get the same response', fix: LOCK },
    async (trial) => {
      const { operation } = await prepare(trial, 'INSTALL')
      await trial.finish(operation.before)
      await checkOneResult(trial, operation.after, 4)
    },
  ),
  concurrent(
    'configure',
    { title: 'Identical CONFIGURE calls at once get the same response', fix: LOCK },
    async (trial) => {
      const { operation } = await prepare(trial, 'CONFIGURE')
      await checkOneResult(trial, operation.before, 5)
    },
  ),
  concurrent(
    'detach',
    { title: 'Identical DETACH calls at once get the same response', fix: LOCK },
    async (trial) => {
      const { operation } = await prepare(trial, 'DETACH')
      await trial.finish(operation.before)
      await checkOneResult(trial, operation.after, 5)
    },
  ),
  concurrent(
    'one-effect',
    { title: 'Twenty identical calls at once have one effect', needs: ['state'], fix: LOCK },
    async (trial) => {
      const single = trial.install()
      await trial.finish(single.operation('INSTALL', 1).before)
      const many = trial.install()
      const { before } = many.operation('INSTALL', 1)
      await sendAtOnce(
        trial,
        Array.from({ length: 20 }, () => before),
      )
      await trial.finish(before)
      const [one, all] = [countState(await trial.state(single)), countState(await trial.state(many))]
      trial.check(one === all, `One call makes ${one} entries in the state, twenty at once ${all}`)
    },
  ),
  concurrent(
    'other-bytes',
    { title: 'Of two calls at once with different bytes, only one succeeds', rule: 'other-bytes', fix: LOCK },
    async (trial) => {
      const { operation } = await prepare(trial, 'INSTALL')
      const other = operation.variant('BEFORE_RESOURCES', { targetVersion: '1.0.9' })
      const [one, two] = await sendAtOnce(trial, [operation.before, other])
      const done = [one, two].filter((sent) => sent !== undefined && isDone(sent.answer))
      trial.check(done.length <= 1, 'Both succeeded')
    },
  ),
  concurrent(
    'installations',
    {
      title: 'Calls of ten installations at once do not mix',
      rule: 'installations-are-separate',
      fix: 'Keep nothing about a call in a variable that other calls share.',
    },
    async (trial) => {
      const calls = Array.from({ length: 10 }, () => trial.install().operation('INSTALL', 1).before)
      for (const { call, answer } of await sendAtOnce(trial, calls)) {
        const { installation } = answer.kind === 'success' ? answer.data : {}
        trial.check(
          answer.kind === 'success' || (answer.kind === 'failure' && answer.retryable === true),
          `One of ten installations got ${describeAnswer(answer)}`,
        )
        trial.check(
          installation === undefined ||
            JSON.stringify(installation).includes(call?.request.installation.bundleInstallId ?? ''),
          'A response is for another installation',
        )
      }
    },
  ),
  concurrent(
    'two-operations',
    {
      title: 'Of two operations at once, the later one counts',
      rule: 'late-calls',
      fix: 'Compare the sequence again in the transaction of the effect.',
    },
    async (trial) => {
      const { installation } = await prepare(trial, 'CONFIGURE')
      const earlier = installation.operation('CONFIGURE', 2, { values: 'changed' })
      const later = installation.operation('CONFIGURE', 3)
      await sendAtOnce(trial, [earlier.before, later.before])
      await trial.complete(later)
      const late = await trial.send(installation.operation('CONFIGURE', 2, { values: 'changed' }).before)
      trial.checkRefused(late, 'A third operation with the lower sequence')
    },
  ),
  concurrent(
    'slow-upload',
    {
      title: 'A request that arrives slowly does not hold up others',
      rule: 'slow-and-cut-connections',
      fix: 'Read bodies asynchronously, and lock only when the body is complete.',
    },
    async (trial) => {
      const slow = trial.send(trial.install().operation('INSTALL', 1).before, {
        parts: 8,
        pauseMs: 40,
        isNewConnection: true,
      })
      const started = performance.now()
      const { answer } = await trial.send(trial.install().operation('INSTALL', 1).before, {
        isNewConnection: true,
      })
      const ms = performance.now() - started
      const { exchange } = await slow
      trial.check(answer.kind !== 'uncertain', 'The other call got no response')
      trial.check(ms < exchange.ms + 100, `The other call took ${Math.round(ms)} ms`)
    },
  ),
]
