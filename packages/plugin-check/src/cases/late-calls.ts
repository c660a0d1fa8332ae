import type { Trial } from '../run/trial.ts'
import { isDone } from '../wire/read-answer.ts'
import { prepare } from './repeats.ts'
import { caseGroup, type Case } from './case.ts'

const late = caseGroup('late', { rule: 'late-calls', kind: 'behaviour' })
const FENCE =
  'Store the highest executionSequence of each installation with the effect, and refuse lower ones and equal ones of another operation.'

/** An INSTALL with the first sequence succeeds; a CONFIGURE with the second one must be refused. */
async function refusesSecond(trial: Trial, sequences: readonly [number, number]): Promise<void> {
  const installation = trial.install()
  const [first, second] = sequences
  await trial.complete(installation.operation('INSTALL', first))
  trial.checkRefused(
    await trial.send(installation.operation('CONFIGURE', second).before),
    `executionSequence ${second} after ${first}`,
  )
}

async function acceptsLast(trial: Trial, sequences: readonly [number, number]): Promise<void> {
  const installation = trial.install()
  const [first, higher] = sequences
  await trial.complete(installation.operation('INSTALL', first))
  const { answer } = await trial.send(installation.operation('CONFIGURE', higher).before)
  trial.check(isDone(answer), `executionSequence ${higher} after ${first} was not accepted`)
}

export const LATE_CASES: readonly Case[] = [
  late('lower-refused', { title: 'A lower executionSequence is refused', fix: FENCE }, (trial) =>
    refusesSecond(trial, [7, 6]),
  ),
  late(
    'lower-after-refused',
    { title: 'A lower executionSequence is refused in AFTER_RESOURCES', fix: FENCE },
    async (trial) => {
      const installation = trial.install()
      await trial.complete(installation.operation('INSTALL', 7))
      trial.checkRefused(
        await trial.send(installation.operation('CONFIGURE', 6).after),
        'A late AFTER_RESOURCES',
      )
    },
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
    'same-sequence-refused',
    { title: 'The same executionSequence with another operationId is refused', fix: FENCE },
    (trial) => refusesSecond(trial, [3, 3]),
  ),
  late(
    'no-effect',
    { title: 'A late call has no effect', needs: ['state', 'changed'], fix: FENCE },
    async (trial) => {
      const installation = trial.install()
      await trial.complete(installation.operation('INSTALL', 7))
      const state = await trial.state(installation)
      await trial.send(installation.operation('CONFIGURE', 6, { values: 'changed' }).before)
      await trial.checkSameState(installation, state, 'The late call changed the state')
    },
  ),
  late('refused-again', { title: 'A late call is refused in every repeat', fix: FENCE }, async (trial) => {
    const installation = trial.install()
    await trial.complete(installation.operation('INSTALL', 7))
    const { before } = installation.operation('CONFIGURE', 6)
    for (let count = 0; count < 3; count++) trial.checkRefused(await trial.send(before), 'The late call')
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
      const { answer } = await trial.send(trial.install().operation('INSTALL', 1).before)
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
      trial.checkRefused(await trial.send(operation.after), 'The earlier AFTER_RESOURCES')
    },
  ),
  late(
    'install-after-takeover',
    { title: 'AFTER_RESOURCES of an INSTALL is refused once a DETACH has taken over', fix: FENCE },
    async (trial) => {
      const { installation, operation } = await prepare(trial, 'INSTALL')
      await trial.finish(operation.before)
      await trial.complete(installation.operation('DETACH', 2))
      trial.checkRefused(await trial.send(operation.after), 'The late AFTER_RESOURCES')
    },
  ),
  late(
    'never-arrived-before-takeover',
    { title: 'An INSTALL that arrives only after the DETACH is refused', fix: FENCE },
    async (trial) => {
      const { installation, operation } = await prepare(trial, 'INSTALL')
      await trial.complete(installation.operation('DETACH', 2))
      trial.checkRefused(await trial.send(operation.before), 'The late INSTALL')
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
      const { answer } = await trial.send(installation.operation('CONFIGURE', 2).before)
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
      const { answer } = await trial.send(operation.after)
      trial.check(isDone(answer), 'The next stage of the current operation was refused')
    },
  ),
]
