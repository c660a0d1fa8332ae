import { callOf } from '../wire/build-call.ts'
import { describeAnswer, isDone } from '../wire/read-answer.ts'
import { scenarioCalls, unexpected } from '../scenarios.ts'
import type { Sent, Trial } from '../run/trial.ts'
import { caseGroup, type Case } from './case.ts'

const scenario = caseGroup('scenario', {
  rule: 'what-a-plugin-response-means',
  kind: 'behaviour',
  needs: ['scenarios'],
})

/** Sends the calls of each scenario, and repeats each that is done: the repeat must change nothing. */
async function play(trial: Trial, judge: (name: string, sent: Sent) => Promise<void>): Promise<void> {
  const { profile, random, idTime } = trial
  for (const one of profile.scenarios) {
    const installation = trial.install()
    const operationIds = one.steps.map(() => random.uuid(idTime))
    let failedStep = -1
    for (const call of scenarioCalls(one, profile.resources)) {
      if (call.step === failedStep) continue
      const sent = await trial.settle(
        callOf({
          contractVersion: '6.0.0',
          pluginId: profile.pluginId,
          installation: installation.identity,
          stage: call.stage,
          configuration: profile.configuration,
          ...call.request,
          operation: { operationId: operationIds[call.step] ?? '', ...call.request.operation },
        }),
      )
      const { answer } = sent
      const isDoneAsExpected = call.expected.errorCode === undefined && call.expected.outcome === undefined
      trial.check(!isDoneAsExpected || isDone(answer), `${call.name}: it got ${describeAnswer(answer)}`)
      const problem = unexpected(call, {
        outcome: answer.kind === 'success' ? answer.outcome : null,
        errorCode: answer.kind === 'failure' ? answer.errorCode : null,
        writes: answer.kind === 'success' ? answer.writes : {},
        state: await trial.state(installation),
      })
      trial.check(problem === null, `${call.name}: ${problem}`)
      if (!isDone(answer)) {
        failedStep = call.step
        continue
      }
      const state = await trial.state(installation)
      await judge(call.name, sent)
      await trial.checkSameState(installation, state, `${call.name}: a repeat changed the state`)
    }
  }
}

export const SCENARIO_CASES: readonly Case[] = [
  scenario(
    'as-written',
    {
      title: 'Each scenario of the profile leads to what it expects, and repeats change nothing',
      fix: 'Correct the plugin, or what the scenario expects.',
    },
    (trial) =>
      play(trial, async (name, sent) => {
        if (sent.call !== null) trial.checkSame(sent, await trial.send(sent.call), `${name}: the repeat`)
      }),
  ),
]
