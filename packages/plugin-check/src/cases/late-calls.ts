import type { Installation, Sent, Trial } from '../run/trial.ts'
import type { Call } from '../wire/build-call.ts'
import { isDone, isFinalFailure } from '../wire/read-answer.ts'
import { prepare } from './repeats.ts'
import { caseGroup, type Case } from './case.ts'

const late = caseGroup('late', { rule: 'late-calls', kind: 'behaviour' })
const FENCE =
  'Store the highest executionSequence of each installation with the effect, and refuse lower ones and equal ones of another operation.'

const RAISE =
  'Store the sequence of every valid call when it arrives, whatever becomes of the call: a failure and UNKNOWN do not take it back.'
/** A call that is provoked to be slow takes longer. */
const SLOW_MIN_MS = 250
/** A call has reached the plugin after this time. */
const ARRIVED_MS = 100
/** Long enough for a plugin that does not look at the first attempt. */
const FAILING_MS = 200

/** An INSTALL with the first sequence succeeds; a CONFIGURE with the second one must be refused. */
async function refusesSecond(trial: Trial, sequences: readonly [number, number]): Promise<void> {
  const installation = trial.install()
  const [first, second] = sequences
  await trial.complete(installation.operation('INSTALL', first))
  trial.checkRefused(
    await trial.settle(installation.operation('CONFIGURE', second).before),
    `executionSequence ${second} after ${first}`,
  )
}

async function acceptsLast(trial: Trial, sequences: readonly [number, number]): Promise<void> {
  const installation = trial.install()
  const [first, higher] = sequences
  await trial.complete(installation.operation('INSTALL', first))
  const { answer } = await trial.settle(installation.operation('CONFIGURE', higher).before)
  trial.check(isDone(answer), `executionSequence ${higher} after ${first} was not accepted`)
}

/** An installation whose last operation was a CONFIGURE of this sequence, which failed. */
export async function failedAt(trial: Trial, sequence: number): Promise<Installation> {
  const installation = trial.install()
  await trial.complete(installation.operation('INSTALL', 3))
  const invalid = installation.operation('CONFIGURE', sequence, { values: 'invalid' })
  let { answer } = await trial.settle(invalid.before)
  if (isDone(answer)) ({ answer } = await trial.settle(invalid.after))
  if (!isFinalFailure(answer)) trial.untested('a CONFIGURE with the invalid values did not fail')
  return installation
}

export const LATE_CASES: readonly Case[] = [
  late('lower-refused', { title: 'A lower executionSequence is refused', fix: FENCE }, (trial) =>
    refusesSecond(trial, [7, 6]),
  ),
  late(
    'nine-after-ten',
    { title: '9 is lower than 10', fix: 'Compare sequences as numbers, not as texts.' },
    (trial) => refusesSecond(trial, [10, 9]),
  ),
  late(
    'ten-after-nine',
    { title: '10 is higher than 9', fix: 'Compare sequences as numbers, not as texts.' },
    (trial) => acceptsLast(trial, [9, 10]),
  ),
  late(
    'gap',
    { title: 'Gaps between sequences are normal', fix: 'Require only that a sequence is higher.' },
    (trial) => acceptsLast(trial, [1, 1_000]),
  ),
  late(
    'largest',
    { title: '2^53 - 1 is accepted after 2^53 - 2', fix: 'Store sequences as 64-bit integers.' },
    (trial) => acceptsLast(trial, [Number.MAX_SAFE_INTEGER - 1, Number.MAX_SAFE_INTEGER]),
  ),
  late(
    'largest-refused',
    {
      title: '2^53 - 2 is refused after 2^53 - 1',
      fix: 'Store sequences as 64-bit integers, not as 32-bit ones or floats.',
    },
    (trial) => refusesSecond(trial, [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER - 1]),
  ),
  late(
    'above-32-bits',
    {
      title: 'Sequences above 2^31 and 2^32 are higher than those below',
      fix: 'Store sequences as 64-bit integers, not as 32-bit ones.',
    },
    async (trial) => {
      await acceptsLast(trial, [2 ** 31 - 1, 2 ** 31])
      await acceptsLast(trial, [2 ** 32 - 1, 2 ** 32])
    },
  ),
  late(
    'same-sequence-refused',
    { title: 'The same executionSequence with another operationId is refused', fix: FENCE },
    (trial) => refusesSecond(trial, [3, 3]),
  ),
  late('refused-again', { title: 'A late call is refused in every repeat', fix: FENCE }, async (trial) => {
    const installation = trial.install()
    await trial.complete(installation.operation('INSTALL', 7))
    const { before } = installation.operation('CONFIGURE', 6)
    for (let count = 0; count < 3; count++) trial.checkRefused(await trial.settle(before), 'The late call')
  }),
  late(
    'other-installation',
    {
      title: 'Sequences of installations are independent',
      rule: 'installations-are-separate',
      fix: 'Store the sequence by bundleInstallId.',
    },
    async (trial) => {
      await trial.complete(trial.install().operation('INSTALL', 1_000))
      const { answer } = await trial.settle(trial.install().operation('INSTALL', 1).before)
      trial.check(isDone(answer), 'Another installation was refused as late')
    },
  ),
  late(
    'stage-of-earlier-operation',
    { title: 'AFTER_RESOURCES is refused once a later operation has started', fix: FENCE },
    async (trial) => {
      const { installation, operation } = await prepare(trial, 'CONFIGURE')
      await trial.finish(operation.before)
      await trial.finish(installation.operation('CONFIGURE', 3).before)
      trial.checkRefused(await trial.settle(operation.after), 'The earlier AFTER_RESOURCES')
    },
  ),
  late(
    'install-after-takeover',
    { title: 'AFTER_RESOURCES of an INSTALL is refused once a DETACH has taken over', fix: FENCE },
    async (trial) => {
      const { installation, operation } = await prepare(trial, 'INSTALL')
      await trial.finish(operation.before)
      await trial.complete(installation.operation('DETACH', 2, { currentVersion: null }))
      trial.checkRefused(await trial.settle(operation.after), 'The late AFTER_RESOURCES')
    },
  ),
  late(
    'never-arrived-before-takeover',
    { title: 'An INSTALL that arrives only after the DETACH is refused', fix: FENCE },
    async (trial) => {
      const { installation, operation } = await prepare(trial, 'INSTALL')
      await trial.complete(installation.operation('DETACH', 2, { currentVersion: null }))
      trial.checkRefused(await trial.settle(operation.before), 'The late INSTALL')
    },
  ),
  late(
    'malformed-does-not-raise',
    {
      title: 'A refused request does not raise the sequence',
      fix: 'Validate the request before you store its sequence.',
    },
    async (trial) => {
      const { installation } = await prepare(trial, 'CONFIGURE')
      const high = installation.operation('CONFIGURE', 1_000).before
      const body = { ...high.request, operation: { ...high.request.operation, operationType: 'REPAIR' } }
      await trial.sendBytes(Buffer.from(JSON.stringify(body)), high)
      const { answer } = await trial.settle(installation.operation('CONFIGURE', 2).before)
      trial.check(isDone(answer), 'A later valid call was refused')
    },
  ),
  late(
    'repeat-of-current',
    {
      title: 'A repeat of the current operation is not late',
      fix: 'Refuse only lower sequences, or equal ones of another operation.',
    },
    async (trial) => {
      const { operation } = await prepare(trial, 'UPGRADE')
      const first = await trial.finish(operation.before)
      trial.checkSame(first, await trial.send(operation.before), 'The repeat')
      const { answer } = await trial.settle(operation.after)
      trial.check(isDone(answer), 'The next stage of the current operation was refused')
    },
  ),
  late(
    'after-failed-operation',
    {
      title: 'A lower executionSequence is refused after a higher one that failed',
      needs: ['invalid'],
      fix: RAISE,
    },
    async (trial) => {
      const installation = await failedAt(trial, 5)
      trial.checkRefused(
        await trial.settle(installation.operation('CONFIGURE', 4, { values: 'changed' }).before),
        'executionSequence 4 after 5, which failed,',
      )
    },
  ),
  late(
    'same-sequence-after-failed',
    {
      title: 'The sequence of an operation that failed is refused with another operationId',
      needs: ['invalid'],
      fix: `${RAISE} Store its operationId with it.`,
    },
    async (trial) => {
      const installation = await failedAt(trial, 5)
      trial.checkRefused(
        await trial.settle(installation.operation('CONFIGURE', 5, { values: 'changed' }).before),
        'executionSequence 5 of another operation after 5, which failed,',
      )
    },
  ),
  ...(
    [
      ['after-temporary-failure', 'CONFIGURE', 'that is to be retried'],
      ['after-failed-detach', 'DETACH', 'of a DETACH that is to be retried'],
    ] as const
  ).map(([name, type, words]) =>
    late(
      name,
      {
        title: `A lower executionSequence is refused after a higher one ${words}`,
        needs: ['temporary'],
        fix: RAISE,
      },
      async (trial) => {
        const installation = trial.install()
        await trial.complete(installation.operation('INSTALL', 3))
        const later = installation.operation(type, 5)
        const { answer } = await trial.provoke('temporaryFailure', async () => {
          const before = await trial.settle(later.before, { withinMs: FAILING_MS })
          return isDone(before.answer) ? trial.settle(later.after, { withinMs: FAILING_MS }) : before
        })
        if (isDone(answer)) trial.untested(`the provoked ${type} did not fail`)
        trial.checkRefused(
          await trial.settle(installation.operation('CONFIGURE', 4, { values: 'changed' }).before),
          'executionSequence 4 after 5, which is to be retried,',
        )
      },
    ),
  ),
  late(
    'begun',
    {
      title: 'A lower executionSequence is refused while a higher one still runs',
      needs: ['slow', 'changed'],
      fix: 'Store the sequence of a valid call when it begins, not with its effect. The switch that makes calls slow must work after that.',
    },
    async (trial) => {
      const installation = trial.install()
      await trial.complete(installation.operation('INSTALL', 1))
      const later = installation.operation('CONFIGURE', 3, { values: 'changed' })
      const [running] = await trial.provoke('slow', () => startCall(trial, later.before))
      const earlier = await trial.settle(installation.operation('CONFIGURE', 2).before)
      requireSlow(trial, await running)
      trial.checkRefused(earlier, 'executionSequence 2 while 3 runs')
    },
  ),
  late(
    'while-running',
    {
      title: 'A call has no effect once a later operation has arrived while it ran',
      needs: ['slow', 'state', 'changed'],
      fix: 'Compare the sequence again in the transaction of the effect.',
    },
    async (trial) => {
      const installation = trial.install()
      await trial.complete(installation.operation('INSTALL', 1))
      const earlier = installation.operation('CONFIGURE', 2, { values: 'changed' })
      const [running] = await trial.provoke('slow', () => startCall(trial, earlier.before))
      const later = installation.operation('CONFIGURE', 3)
      await trial.complete(later)
      const state = await trial.state(installation)
      await running
      await trial.checkSameState(
        installation,
        state,
        'The earlier call changed the state after the later one',
      )
    },
  ),
]

/** A plugin may answer the first attempt at once, and be slow only in a later one: then nothing is known. */
export function requireSlow(trial: Trial, sent: Sent | undefined): void {
  if (sent === undefined || sent.exchange.ms < SLOW_MIN_MS)
    trial.untested('a call is not slow at its first attempt')
}

/** Sends a call that is slow, and returns once it has arrived. The result is wrapped, so that it is not awaited. */
export async function startCall(trial: Trial, call: Call): Promise<Promise<Sent>[]> {
  const running = trial.send(call, { isNewConnection: true })
  await new Promise((resolve) => setTimeout(resolve, ARRIVED_MS))
  return [running]
}
