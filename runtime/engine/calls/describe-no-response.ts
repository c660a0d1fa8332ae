import { platformMessage } from '#contract/protocol/platform-messages.ts'
import type { MessageReason } from '#contract/protocol/platform-messages.ts'
import type { Failure } from '#contract/runtime-api/common.ts'
import type { NoAnswer } from '../../model/call-answer.ts'
import { callFailure } from './failures.ts'

const FAILURES = {
  timeout: ['PLUGIN_TIMEOUT', 'callTimeout'],
  refused: ['PLUGIN_UNREACHABLE', 'callRefused'],
  dns: ['PLUGIN_UNREACHABLE', 'callHostUnknown'],
  tls: ['PLUGIN_UNREACHABLE', 'callTlsFailed'],
  'tls-untrusted': ['PLUGIN_UNREACHABLE', 'callTlsUntrusted'],
  'tls-expired': ['PLUGIN_UNREACHABLE', 'callTlsExpired'],
  'tls-wrong-name': ['PLUGIN_UNREACHABLE', 'callTlsWrongName'],
  'egress-denied': ['PLUGIN_UNREACHABLE', 'callEgressDenied'],
  reset: ['PLUGIN_UNREACHABLE', 'callReset'],
  redirect: ['PLUGIN_RESULT_UNKNOWN', 'callRedirected'],
  cut: ['PLUGIN_RESULT_UNKNOWN', 'callCut'],
  continue: ['PLUGIN_RESULT_UNKNOWN', 'callContinue'],
  upgrade: ['PLUGIN_RESULT_UNKNOWN', 'callUpgrade'],
  encoding: ['PLUGIN_RESULT_UNKNOWN', 'callEncoded'],
  // the body was not read completely, so its meaning is unknown
  'too-large': ['PLUGIN_RESULT_UNKNOWN', 'callTooLarge'],
  aborted: ['PLUGIN_RESULT_UNKNOWN', 'callAborted'],
} as const satisfies Record<NoAnswer, readonly [string, MessageReason]>

/** The failure of a call without a response after at most `timeoutMs`. It names no host and no address. */
export function describeNoResponse(pluginId: string, reason: NoAnswer, timeoutMs: number): Failure {
  const [errorCode, message] = FAILURES[reason]
  const values = { plugin: pluginId }
  const described =
    message === 'callTimeout'
      ? platformMessage(message, { ...values, seconds: timeoutMs / 1000 })
      : platformMessage(message, values)
  return callFailure(pluginId, errorCode, described, true)
}
