import { isDeepStrictEqual } from 'node:util'
import { describeAnswer, isDone, isFinalFailure } from '../wire/read-answer.ts'
import { essence, type Sent, type Trial } from './trial.ts'

// What the exchanges of a trial show together.

/** The finished calls, each with its first such response, which no later one may change. */
export function finishedResponses(sent: readonly Sent[]): Sent[] {
  const finished = new Map<string, Sent>()
  for (const one of sent) {
    if (one.call === null || !isDone(one.answer)) continue
    const { operation, stage } = one.call.request
    const key = `${operation.operationId} ${stage}`
    if (!finished.has(key)) finished.set(key, one)
  }
  return [...finished.values()]
}

/** Whether a later operation of the installation may have arrived, however it ended: a memory need not last longer. */
export function isSuperseded({ call }: Sent, sent: readonly Sent[]): boolean {
  return sent.some(
    (other) =>
      other.call !== null &&
      other.answer.kind !== 'refused' &&
      other.call.request.installation.bundleInstallId === call?.request.installation.bundleInstallId &&
      other.call.request.executionSequence > call.request.executionSequence,
  )
}

/** No later response to a finished call of the trial differs from its first one. Throws a CaseFailed. */
export function checkRepeats(trial: Trial): void {
  const { sent } = trial
  for (const first of finishedResponses(sent)) {
    const at = sent.indexOf(first)
    for (const later of sent.slice(at + 1)) {
      if (later.call === null || !later.isValid || !isSameCall(first, later)) continue
      const { answer } = later
      const isOther = isDone(answer)
        ? !isDeepStrictEqual(essence(first), essence(later))
        : isFinalFailure(answer) && !isSuperseded(first, sent)
      trial.check(!isOther, differs(first, later))
    }
  }
}

/**
 * No call of the trial was executed after a finished call of the same installation with a higher sequence, or with the same
 * one of another operation. Throws a CaseFailed.
 */
export function checkOrder(trial: Trial): void {
  const { sent } = trial
  for (const [at, first] of sent.entries()) {
    if (!isDone(first.answer)) continue
    const late = sent.find(
      (other) => other.begunAfter > at && isLateAfter(first, other) && !isRepeat(other, sent),
    )
    trial.check(
      late === undefined,
      `${nameOf(late ?? first)} with executionSequence ${late?.call?.request.executionSequence} was executed after ${nameOf(first)} with ${first.call?.request.executionSequence}`,
    )
  }
}

export const nameOf = ({ call }: Sent): string =>
  `${call?.request.operation.operationType ?? ''} ${call?.request.stage ?? ''}`

export const differs = (first: Sent, again: Sent): string =>
  `${nameOf(first)} repeated: first ${describeAnswer(first.answer)}, then ${describeAnswer(again.answer)}`

const isSameCall = (one: Sent, other: Sent): boolean =>
  one.call !== null && other.call !== null && one.call.bytes.equals(other.call.bytes)

/** A valid call of the same installation that is done although it is lower, or as high and of another operation. */
function isLateAfter({ call: first }: Sent, { call, isValid, answer }: Sent): boolean {
  if (first === null || call === null || !isValid || !isDone(answer)) return false
  const [one, other] = [first.request, call.request]
  return (
    one.installation.bundleInstallId === other.installation.bundleInstallId &&
    (other.executionSequence < one.executionSequence ||
      (other.executionSequence === one.executionSequence &&
        other.operation.operationId !== one.operation.operationId))
  )
}

/** The call was finished before, so a repeat gets that response. */
const isRepeat = (late: Sent, sent: readonly Sent[]): boolean =>
  sent.some((one, index) => index < late.begunAfter && isDone(one.answer) && isSameCall(one, late))
