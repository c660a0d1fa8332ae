import { causeOfNoAnswer, type NoAnswer } from '#contract/protocol/call-causes.ts'
import { platformMessage } from '#contract/protocol/platform-messages.ts'
import type { Failure } from '#contract/runtime-api/common.ts'
import { callFailure } from './failures.ts'

/** The failure of a call without a response after at most `timeoutMs`. It names no host and no address. */
export function describeNoResponse(pluginId: string, reason: NoAnswer, timeoutMs: number): Failure {
  const { code, reason: message } = causeOfNoAnswer(reason)
  const values = { plugin: pluginId }
  const described =
    message === 'callTimeout'
      ? platformMessage(message, { ...values, seconds: timeoutMs / 1000 })
      : platformMessage(message, values)
  return callFailure(pluginId, code, described, true)
}
