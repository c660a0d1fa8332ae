import type { Trial } from '../run/trial.ts'
import { countState } from '../run/state.ts'
import { describeAnswer, isDone } from '../wire/read-answer.ts'
import type { OperationType } from '../../../../contract/protocol/vocabulary.ts'
import { failedAt } from './late-calls.ts'
import { prepare } from './repeats.ts'
import { caseGroup, type Case } from './case.ts'

const restart = caseGroup('restart', { rule: 'crashes-and-restarts', kind: 'behaviour', needs: ['start'] })
const crash = caseGroup('crash', { rule: 'crashes-and-restarts', kind: 'behaviour', needs: ['start'] })
const PERSIST = 'Store remembered calls and sequences in a database that survives a kill, before you respond.'
const ADOPT =
  'Commit the effect and its memory in one transaction, or derive the name of the object from the installation and look for it first.'

async function killAndStart({ host }: Trial): Promise<void> {
  await host?.kill()
  await host?.start()
}

/** Where in a call the plugin is killed, as parts of the time that the call takes. */
const KILL_POINTS = [0.05, 0.35, 0.65, 0.95]
/** The fastest of them tells how long a call takes, because a busy machine makes calls only longer. */
const TIMED_CALLS = 3

/** Kills the plugin during a call at several points; the repeat must succeed with one effect. */
async function survives(trial: Trial, type: OperationType): Promise<void> {
  const undisturbed = await prepare(trial, type)
  let { ms } = (await trial.finish(undisturbed.operation.before)).exchange
  await trial.finish(undisturbed.operation.after)
  const expected = countState(await trial.state(undisturbed.installation))
  for (let timed = 1; timed < TIMED_CALLS; timed++) {
    const { operation } = await prepare(trial, type)
    ms = Math.min(ms, (await trial.finish(operation.before)).exchange.ms)
  }
  for (const point of KILL_POINTS) {
    const { installation, operation } = await prepare(trial, type)
    const interrupted = trial.send(operation.before, { isNewConnection: true })
    await new Promise((resolve) => setTimeout(resolve, ms * point))
    await killAndStart(trial)
    await interrupted
    const { answer } = await trial.send(operation.before)
    trial.check(
      isDone(answer) || answer.kind !== 'failure' || answer.retryable === true,
      `The repeat after a kill was refused permanently`,
    )
    for (const call of [operation.before, operation.after]) {
      const { answer: last } = await trial.settle(call)
      trial.check(
        isDone(last),
        `After a kill during ${type}, ${call.request.stage} got ${describeAnswer(last)}`,
      )
    }
    const found = countState(await trial.state(installation))
    trial.check(
      trial.profile.state === undefined || found === expected,
      `After a kill during ${type} there are ${found} entries in the state instead of ${expected}`,
    )
  }
}

export const CRASH_CASES: readonly Case[] = [
  restart('remembers', { title: 'A remembered response survives a restart', fix: PERSIST }, async (trial) => {
    const { operation } = await prepare(trial, 'INSTALL')
    const first = await trial.finish(operation.before)
    await killAndStart(trial)
    trial.checkSame(first, await trial.settle(operation.before), 'The repeat after a restart')
  }),
  restart(
    'other-bytes',
    { title: 'Other bytes are refused after a restart', rule: 'other-bytes', fix: PERSIST },
    async (trial) => {
      const { operation } = await prepare(trial, 'INSTALL')
      await trial.finish(operation.before)
      await killAndStart(trial)
      const other = operation.variant('BEFORE_RESOURCES', { targetVersion: '1.0.9' })
      trial.checkRefused(await trial.settleBytes(other.bytes, other), 'A call with other bytes')
    },
  ),
  restart(
    'late',
    { title: 'A late call is refused after a restart', rule: 'late-calls', fix: PERSIST },
    async (trial) => {
      const installation = trial.install()
      await trial.complete(installation.operation('INSTALL', 7))
      await killAndStart(trial)
      trial.checkRefused(await trial.settle(installation.operation('CONFIGURE', 6).before), 'A late call')
    },
  ),
  restart(
    'late-after-failed',
    {
      title: 'A call that is lower than one that failed is refused after a restart',
      rule: 'late-calls',
      needs: ['invalid'],
      fix: `${PERSIST} That includes the sequence of a call that fails.`,
    },
    async (trial) => {
      const installation = await failedAt(trial, 5)
      await killAndStart(trial)
      trial.checkRefused(await trial.settle(installation.operation('CONFIGURE', 4).before), 'A late call')
    },
  ),
  restart(
    'tombstone',
    { title: 'A late call after a DETACH is refused after a restart', rule: 'detach', fix: PERSIST },
    async (trial) => {
      const { installation, operation } = await prepare(trial, 'CONFIGURE')
      await trial.complete(installation.operation('DETACH', 3))
      await killAndStart(trial)
      trial.checkRefused(await trial.settle(operation.before), 'The late CONFIGURE')
    },
  ),
  restart(
    'between-stages',
    { title: 'AFTER_RESOURCES succeeds after a restart between the stages', fix: PERSIST },
    async (trial) => {
      const { operation } = await prepare(trial, 'INSTALL')
      await trial.finish(operation.before)
      await killAndStart(trial)
      trial.check(isDone((await trial.settle(operation.after)).answer), 'AFTER_RESOURCES failed')
    },
  ),
  crash('install', { title: 'A kill during INSTALL leads to one effect', fix: ADOPT }, (trial) =>
    survives(trial, 'INSTALL'),
  ),
  crash('configure', { title: 'A kill during CONFIGURE leads to one effect', fix: ADOPT }, (trial) =>
    survives(trial, 'CONFIGURE'),
  ),
  crash('detach', { title: 'A kill during DETACH leads to one effect', fix: ADOPT }, (trial) =>
    survives(trial, 'DETACH'),
  ),
]
