import { setTimeout as wait } from 'node:timers/promises'
import type { Trial } from '../run/trial.ts'
import { sideBySide } from '../run/side-by-side.ts'
import { countState } from '../run/state.ts'
import { describeAnswer, isDone } from '../wire/read-answer.ts'
import type { OperationType } from '../../../../contract/protocol/vocabulary.ts'
import { failedAt } from './late-calls.ts'
import { prepare } from './repeats.ts'
import { caseGroup, type Case } from './case.ts'
import { once } from './read-response.ts'

const restart = caseGroup('restart', { rule: 'crashes-and-restarts', kind: 'behaviour', needs: ['start'] })
const crash = caseGroup('crash', { rule: 'crashes-and-restarts', kind: 'behaviour', needs: ['start'] })
const PERSIST = 'Store remembered calls and sequences in a database that survives a kill, before you respond.'
const ADOPT =
  'Commit the effect and its memory in one transaction, or derive the name of the object from the installation and look for it first.'

async function killAndStart({ host }: Trial): Promise<void> {
  await host?.kill()
  await host?.start()
}

/** Installations at several points of their life, before a restart of the plugin: one restart for all cases of a run. */
const restarted = (trial: Trial) =>
  once(trial, 'restarted', async () => {
    const life = trial.install()
    const install = life.operation('INSTALL', 7)
    const [{ operation: between }, configured, upgraded, never] = await sideBySide(
      ['INSTALL', 'CONFIGURE', 'UPGRADE', 'CONFIGURE'],
      (type) => prepare(trial, type),
    )
    const detach = never.installation.operation('DETACH', 3)
    const begun = await trial.finish(between.before)
    const ended = await sideBySide(
      [install, configured.operation, upgraded.operation, detach],
      async ({ before, after }) => [await trial.finish(before), await trial.finish(after)],
    )
    const failed = missingInvalid(trial) ? null : await failedAt(trial, 5).catch(() => null)
    await killAndStart(trial)
    const responses = [...ended.flat(), begun]
    return { life, install, responses, tombstone: never.operation.before, between, failed }
  })

const missingInvalid = ({ profile }: Trial): boolean =>
  Object.values(profile.resources).every(({ invalid }) => invalid === undefined)

/**
 * Where in calls the plugin is killed, as parts of the time that a call takes: in each kill, two calls of each type.
 */
const KILL_POINTS = [
  [0.65, 0.05],
  [0.95, 0.35],
] as const

const KILLED_TYPES = ['INSTALL', 'CONFIGURE', 'DETACH'] as const

/**
 * How long a call of an undisturbed operation takes, and what exists after it. The fastest of three tells, because a busy
 * machine makes calls only longer.
 */
async function undisturbed(trial: Trial, type: OperationType): Promise<{ ms: number; count: number }> {
  const prepared = await sideBySide([type, type, type], (one) => prepare(trial, one))
  const [{ installation, operation }] = prepared
  const times = []
  for (const one of prepared) times.push((await trial.finish(one.operation.before)).exchange.ms)
  await trial.finish(operation.after)
  return { ms: Math.min(...times), count: countState(await trial.state(installation)) }
}

/** Kills the plugin during calls of several installations, each at another point: two kills for all cases of a run. */
const killed = (trial: Trial) =>
  once(trial, 'killed', async () => {
    const usual = new Map<OperationType, { ms: number; count: number }>()
    for (const type of KILLED_TYPES) usual.set(type, await undisturbed(trial, type))
    const interrupted = []
    for (const points of KILL_POINTS) {
      const planned = KILLED_TYPES.flatMap((type) => points.map((point) => ({ type, point })))
      const calls = await sideBySide(planned, async ({ type, point }) => {
        const { ms = 0, count = 0 } = usual.get(type) ?? {}
        return { type, count, ranMs: ms * point, ...(await prepare(trial, type)) }
      })
      const longest = Math.max(...calls.map(({ ranMs }) => ranMs))
      const sent = calls.map(async ({ operation, ranMs }) => {
        await wait(longest - ranMs)
        return trial.send(operation.before, { isNewConnection: true })
      })
      await wait(longest)
      await killAndStart(trial)
      await Promise.all(sent)
      interrupted.push(...calls)
    }
    return interrupted
  })

/** After a kill during the call, the repeat must succeed with one effect. */
async function survives(trial: Trial, type: OperationType): Promise<void> {
  const interrupted = (await killed(trial)).filter((one) => one.type === type)
  await sideBySide(interrupted, async ({ installation, operation, count }) => {
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
      trial.profile.state === undefined || found === count,
      `After a kill during ${type} there are ${found} entries in the state instead of ${count}`,
    )
  })
}

export const CRASH_CASES: readonly Case[] = [
  restart('remembers', { title: 'Remembered responses survive a restart', fix: PERSIST }, async (trial) => {
    for (const first of (await restarted(trial)).responses) {
      if (first.call === null) continue
      const { operation, stage } = first.call.request
      const what = `The repeat of ${operation.operationType} ${stage} after a restart`
      trial.checkSame(first, await trial.settle(first.call), what)
    }
  }),
  restart(
    'other-bytes',
    { title: 'Other bytes are refused after a restart', rule: 'other-bytes', fix: PERSIST },
    async (trial) => {
      const { install } = await restarted(trial)
      const other = install.variant('BEFORE_RESOURCES', { targetVersion: '1.0.9' })
      trial.checkRefused(await trial.settleBytes(other.bytes, other), 'A call with other bytes')
    },
  ),
  restart(
    'late',
    { title: 'A late call is refused after a restart', rule: 'late-calls', fix: PERSIST },
    async (trial) => {
      const { life } = await restarted(trial)
      trial.checkRefused(await trial.settle(life.operation('CONFIGURE', 6).before), 'A late call')
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
      const { failed } = await restarted(trial)
      if (failed === null) return trial.untested('a CONFIGURE with the invalid values did not fail')
      trial.checkRefused(await trial.settle(failed.operation('CONFIGURE', 4).before), 'A late call')
    },
  ),
  restart(
    'tombstone',
    { title: 'A late call after a DETACH is refused after a restart', rule: 'detach', fix: PERSIST },
    async (trial) => {
      const { tombstone } = await restarted(trial)
      trial.checkRefused(await trial.settle(tombstone), 'The late CONFIGURE')
    },
  ),
  restart(
    'between-stages',
    { title: 'AFTER_RESOURCES succeeds after a restart between the stages', fix: PERSIST },
    async (trial) => {
      const { between } = await restarted(trial)
      trial.check(isDone((await trial.settle(between.after)).answer), 'AFTER_RESOURCES failed')
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
