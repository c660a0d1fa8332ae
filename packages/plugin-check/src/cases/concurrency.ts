import type { Call } from '../wire/build-call.ts'
import type { Sent, Trial } from '../run/trial.ts'
import { countState } from '../run/state.ts'
import { describeAnswer, isDone, isUndecided } from '../wire/read-answer.ts'
import { requireSlow, startCall } from './late-calls.ts'
import { prepare } from './repeats.ts'
import { caseGroup, type Case } from './case.ts'

const BLOCKED_TRIES = 3
/** Of a request that arrives slowly. */
const PARTS = 8
const concurrent = caseGroup('concurrent', { rule: 'calls-in-progress', kind: 'behaviour' })
const LOCK =
  'Store that a call has started before its effect. A second one waits for the response, or gets a retryable failure.'

/** The call is to be repeated, by a result or because there are too many at once; a lost connection is not that. */
const isToRepeat = ({ answer, exchange }: Sent): boolean =>
  isUndecided(answer) && (answer.kind !== 'uncertain' || exchange.response?.status === 503)

const sendAtOnce = (trial: Trial, calls: readonly Call[]): Promise<Sent[]> =>
  Promise.all(calls.map((call) => trial.send(call, { isNewConnection: true })))

/** Each response is the same success or a retryable failure, and a later repeat gets that success. */
export async function checkOneResult(trial: Trial, call: Call, count: number): Promise<void> {
  const responses = await sendAtOnce(
    trial,
    Array.from({ length: count }, () => call),
  )
  const last = await trial.finish(call)
  for (const sent of responses) {
    const { answer } = sent
    if (isToRepeat(sent)) continue
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
    'while-running',
    {
      title: 'A repeat that arrives while the first call runs has no effect of its own',
      needs: ['slow', 'state'],
      fix: LOCK,
    },
    async (trial) => {
      const single = trial.install()
      await trial.finish(single.operation('INSTALL', 1).before)
      const installation = trial.install()
      const { before } = installation.operation('INSTALL', 1)
      const [first] = await trial.provoke('slow', () => startCall(trial, before))
      const repeat = await trial.send(before, { isNewConnection: true })
      trial.check(
        repeat.answer.kind === 'success' || isToRepeat(repeat),
        `The repeat got ${describeAnswer(repeat.answer)} instead of waiting or a retryable failure`,
      )
      await first
      trial.checkSame(await trial.finish(before), await trial.send(before), 'The repeat afterwards')
      const [one, both] = [countState(await trial.state(single)), countState(await trial.state(installation))]
      trial.check(one === both, `One call makes ${one} entries in the state, with a repeat ${both}`)
    },
  ),
  concurrent(
    'first-not-failed',
    {
      title: 'A repeat that arrives while the first call runs does not make it fail',
      needs: ['slow'],
      fix: 'Let the repeat wait, or refuse the repeat: the first call goes on.',
    },
    async (trial) => {
      const answerOf = async (isRepeated: boolean) => {
        const { before } = trial.install().operation('INSTALL', 1)
        const [first] = await trial.provoke('slow', () => startCall(trial, before))
        if (isRepeated) await trial.send(before, { isNewConnection: true })
        return (await first)?.answer
      }
      const repeated = await answerOf(true)
      if (repeated !== undefined && isDone(repeated)) return
      const alone = await answerOf(false)
      if (alone === undefined || repeated === undefined || !isDone(alone))
        return trial.untested('a call is not done at its first attempt')
      trial.check(false, `The first call got ${describeAnswer(repeated)}`)
    },
  ),
  concurrent(
    'others-not-blocked',
    {
      title: 'A slow call of one installation does not hold up another installation',
      needs: ['slow'],
      fix: 'Lock by bundleInstallId, not for the whole plugin, and do not block the process.',
    },
    async (trial) => {
      let usual = Infinity
      for (let count = 0; count < 3; count++) {
        const { exchange } = await trial.finish(trial.install().operation('INSTALL', 1).before)
        usual = Math.min(usual, exchange.ms)
      }
      // a busy machine may delay one of them
      for (let tried = 1; tried <= BLOCKED_TRIES; tried++) {
        const slow = trial.install().operation('INSTALL', 1).before
        const [running] = await trial.provoke('slow', () => startCall(trial, slow))
        let hasEnded = false
        void running?.then(() => {
          hasEnded = true
        })
        const { exchange } = await trial.send(trial.install().operation('INSTALL', 1).before, {
          isNewConnection: true,
        })
        const isFree = !hasEnded || exchange.ms < usual * 2 + 50
        const sent = await running
        if (isFree) return
        requireSlow(trial, sent)
      }
      trial.check(false, 'Each time, the other call ended only after the slow one')
    },
  ),
  concurrent(
    'other-bytes',
    { title: 'Of two calls at once with different bytes, only one succeeds', rule: 'other-bytes', fix: LOCK },
    async (trial) => {
      const { operation } = await prepare(trial, 'INSTALL')
      const other = operation.variant('BEFORE_RESOURCES', { targetVersion: '1.0.9' })
      await sendAtOnce(trial, [operation.before, other])
      await trial.settle(operation.before)
      await trial.settle(other)
      const done = [operation.before, other].filter((call) =>
        trial.sent.some((sent) => sent.call === call && isDone(sent.answer)),
      )
      trial.check(done.length === 1, done.length === 0 ? 'None succeeded' : 'Both succeeded')
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
      for (const sent of await sendAtOnce(trial, calls)) {
        const { call, answer } = sent
        const { installation } = answer.kind === 'success' ? answer.data : {}
        trial.check(
          answer.kind === 'success' || isToRepeat(sent),
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
      const late = await trial.settle(installation.operation('CONFIGURE', 2, { values: 'changed' }).before)
      trial.checkRefused(late, 'A third operation with the lower sequence')
    },
  ),
  concurrent(
    'slow-upload',
    {
      title: 'A request that arrives slowly does not hold up others',
      rule: 'slow-and-cut-connections',
      isBeside: true,
      fix: 'Read bodies asynchronously, and lock only when the body is complete.',
    },
    async (trial) => {
      let pauseMs = 40
      // a busy machine may delay one of them
      for (let tried = 1; tried <= BLOCKED_TRIES; tried++) {
        let hasEnded = false
        const slow = trial
          .send(trial.install().operation('INSTALL', 1).before, {
            parts: PARTS,
            pauseMs,
            isNewConnection: true,
          })
          .finally(() => {
            hasEnded = true
          })
        const { exchange: quick } = await trial.send(trial.install().operation('INSTALL', 1).before, {
          isNewConnection: true,
        })
        const isFree = !hasEnded
        await slow
        trial.check(quick.response !== null, 'The other call got no response')
        if (isFree) return
        // a plugin that does other work before it reads a body needs a request that arrives even later
        pauseMs = Math.max(pauseMs, Math.min(quick.ms, trial.profile.timeoutMs / 4) / 4)
      }
      trial.check(false, 'Each time, the other call ended only after the slow one')
    },
  ),
]
