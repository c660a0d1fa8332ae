import type { Failure } from '#contract/runtime-api/common.ts'
import type { NoAnswer } from '../../model/call-answer.ts'
import { callFailure } from './failures.ts'

/** Why there is no answer, for people; no host or address is told. */
export function describeNoResponse(pluginId: string, reason: NoAnswer): Failure {
  const plugin = `plugin ${pluginId}`
  switch (reason) {
    case 'timeout':
      return callFailure(pluginId, 'PLUGIN_TIMEOUT', `No answer came from ${plugin} in time.`, true)
    case 'refused':
      return unreachable(pluginId, `There was no connection to ${plugin}. See that it runs.`)
    case 'dns':
      return unreachable(pluginId, `The host of ${plugin} was not found. Check its endpoint.`)
    case 'tls':
      return unreachable(pluginId, `No secure connection to ${plugin} was possible. Check its certificate.`)
    case 'egress-denied':
      return unreachable(
        pluginId,
        `The endpoint of ${plugin} is not among the addresses that this deployment allows.`,
      )
    case 'reset':
      return unreachable(pluginId, `The connection to ${plugin} broke before an answer came.`)
    case 'redirect':
      return unknown(
        pluginId,
        `The endpoint of ${plugin} redirects, which is not followed. Register its final address.`,
      )
    case 'cut':
      return unknown(pluginId, `The answer of ${plugin} was cut.`)
    case 'too-large':
      // it was not read to its end, so nothing can be said of what it means
      return unknown(pluginId, `The answer of ${plugin} is larger than is accepted.`)
    case 'aborted':
      return unknown(pluginId, `The runtime was stopped while it waited for ${plugin}.`)
  }
}

function unreachable(pluginId: string, message: string): Failure {
  return callFailure(pluginId, 'PLUGIN_UNREACHABLE', message, true)
}

function unknown(pluginId: string, message: string): Failure {
  return callFailure(pluginId, 'PLUGIN_RESULT_UNKNOWN', message, true)
}
