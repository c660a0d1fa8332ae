import { OPERATION_TYPES, type OperationType, type Outcome } from '#contract/protocol/vocabulary.ts'
import {
  CLAIM_STATES,
  INSTALLATION_STATES,
  OPERATION_STATES,
  PHASES,
  type ClaimState,
  type InstallationState,
  type NextActor,
  type OperationState,
  type Phase,
  type StepState,
} from '#contract/console-api/vocabulary.ts'
import type { PlainTextKey } from '../i18n/use-text.ts'
import type { IconName } from './Icon.tsx'
import type { Tone } from './tone.ts'

/** The appearance of a state or outcome: its color role, glyph, word and meaning. */
export type Appearance = { tone: Tone; icon: IconName; word: PlainTextKey; meaning: PlainTextKey }

/** An outcome, or that there is none yet. */
export type CallOutcome = Outcome | 'IN_FLIGHT' | 'NOT_CALLED'
export { OPERATION_TYPES }
export type { ClaimState, InstallationState, OperationState, OperationType, Outcome, Phase, StepState }
export { CLAIM_STATES, INSTALLATION_STATES, OPERATION_STATES, PHASES }

const look = (tone: Tone, icon: IconName, word: WordKey): Appearance => ({
  tone,
  icon,
  word,
  meaning: `${word}.meaning`,
})
// the words that have a meaning text
type WordKey =
  Extract<PlainTextKey, `${string}.meaning`> extends `${infer Word}.meaning`
    ? Extract<Word, PlainTextKey>
    : never

export const outcomeLook: Record<CallOutcome, Appearance> = {
  NOT_APPLIED: look('quiet', 'nothing', 'vocabulary.outcome.NOT_APPLIED'),
  APPLIED: look('ok', 'done', 'vocabulary.outcome.APPLIED'),
  VERIFIED: look('ok', 'verified', 'vocabulary.outcome.VERIFIED'),
  FAILED: look('fail', 'failed', 'vocabulary.outcome.FAILED'),
  UNKNOWN: look('doubt', 'unknown', 'vocabulary.outcome.UNKNOWN'),
  IN_FLIGHT: look('live', 'running', 'vocabulary.outcome.IN_FLIGHT'),
  NOT_CALLED: look('quiet', 'notCalled', 'vocabulary.outcome.NOT_CALLED'),
}

export const operationLook: Record<OperationState, Appearance> = {
  PENDING: look('quiet', 'pending', 'vocabulary.operation.PENDING'),
  RUNNING: look('live', 'running', 'vocabulary.operation.RUNNING'),
  WAITING: look('doubt', 'waiting', 'vocabulary.operation.WAITING'),
  SUCCEEDED: look('ok', 'done', 'vocabulary.operation.SUCCEEDED'),
  FAILED: look('fail', 'failed', 'vocabulary.operation.FAILED'),
  TAKEN_OVER: look('moved', 'takenOver', 'vocabulary.operation.TAKEN_OVER'),
}

export const installationLook: Record<InstallationState, Appearance> = {
  NOT_INSTALLED: look('quiet', 'notInstalled', 'vocabulary.installation.NOT_INSTALLED'),
  ACTIVE: look('ok', 'active', 'vocabulary.installation.ACTIVE'),
  DETACHED: look('quiet', 'detached', 'vocabulary.installation.DETACHED'),
}

/** A claim is shown as a lock by its operation. */
const lock = (state: ClaimState): Appearance => ({
  ...operationLook[state],
  word: `vocabulary.lock.${state}`,
  meaning: 'vocabulary.lock.meaning',
})

export const claimLook: Record<ClaimState, Appearance> = {
  PENDING: lock('PENDING'),
  RUNNING: lock('RUNNING'),
  WAITING: lock('WAITING'),
  FAILED: lock('FAILED'),
}

export const stepLook: Record<StepState, { tone: Tone; icon: IconName; word: PlainTextKey }> = {
  PENDING: { tone: 'quiet', icon: 'notCalled', word: 'vocabulary.step.PENDING' },
  RUNNING: { tone: 'live', icon: 'running', word: 'vocabulary.step.RUNNING' },
  DONE: { tone: 'ok', icon: 'done', word: 'vocabulary.step.DONE' },
  FAILED: { tone: 'fail', icon: 'failed', word: 'vocabulary.step.FAILED' },
}

/** Who acts next. */
export const nextActorLook: Record<
  Exclude<NextActor, 'NOBODY'>,
  { tone: Tone; icon: IconName; word: PlainTextKey }
> = {
  PLATFORM: { tone: 'live', icon: 'running', word: 'vocabulary.actor.PLATFORM' },
  SUPPORT: { tone: 'fail', icon: 'retry', word: 'vocabulary.actor.SUPPORT' },
  PLUGIN_OWNER: { tone: 'fail', icon: 'plugins', word: 'vocabulary.actor.PLUGIN_OWNER' },
  OPERATOR: { tone: 'fail', icon: 'person', word: 'vocabulary.actor.OPERATOR' },
  ADMINISTRATOR: { tone: 'fail', icon: 'person', word: 'vocabulary.actor.ADMINISTRATOR' },
}
