import type { PlatformMessage } from '#contract/protocol/platform-messages.ts'
import { platformMessage } from '#contract/protocol/platform-messages.ts'
import { callFailure } from '../engine/calls/failures.ts'
import { issuedCredentialsIn } from './issued-credentials.ts'
import { judgeAnswer } from '../engine/calls/judge.ts'
import { signLifecycleToken } from './lifecycle-token.ts'
import { sendLifecycleCall } from './send-request.ts'
import type { RuntimeDeps } from '../deps/runtime-deps.ts'
import type { PreparedCall } from '../engine/steps/prepare-call.ts'
import type { CallTiming, CompletedAttempt, Judgement } from '../model/attempt.ts'
import type { OutboundResult } from '#http-kit/outbound-types.ts'

/**
 * Makes a call whose attempt is recorded, and judges the result. `heldSince` is the monotonic time at which the worker
 * received the attempt. Never throws.
 */
export async function sendCall(
  deps: RuntimeDeps,
  call: PreparedCall,
  { signal, heldSince }: { signal: AbortSignal; heldSince: number },
): Promise<CompletedAttempt> {
  const { operationId, stage, pluginId, attempt, runAttempt, limits } = call
  const key = { operationId, stage, pluginId, attempt, runAttempt, limits }
  try {
    const { result, timing } = await send(deps, call, { signal, heldSince })
    const input = {
      ...call.judgeInput,
      isPlatformToken: (text: string) => deps.signer.isPlatformToken(text),
      issuedCredentials: await issuedCredentialsIn(deps.db, result),
    }
    const isGivenBack = result.kind === 'failed' && result.reason === 'aborted'
    const judgement = judgeAnswer(call.expected, result, input)
    return { ...key, judgement, timing, isGivenBack, isOwnTrouble: false }
  } catch (error) {
    deps.log.error('a plugin call could not be sent or judged', { operationId, pluginId }, error)
    return {
      ...key,
      judgement: runtimeFailure(pluginId),
      timing: null,
      isGivenBack: false,
      isOwnTrouble: true,
    }
  }
}

/**
 * The result of an attempt that was recorded but not sent: it had no effect on the plugin, and does not end the run.
 */
export function unsent(
  call: Omit<CompletedAttempt, 'judgement' | 'timing' | 'isGivenBack' | 'isOwnTrouble'>,
): CompletedAttempt {
  const { operationId, stage, pluginId, attempt, runAttempt, limits } = call
  const message = platformMessage('callDeferred', { plugin: pluginId })
  const judgement = withoutResponse(pluginId, message, { isUncertain: false })
  const key = { operationId, stage, pluginId, attempt, runAttempt, limits }
  return { ...key, judgement, timing: null, isGivenBack: true, isOwnTrouble: false }
}

async function send(
  deps: RuntimeDeps,
  call: PreparedCall,
  { signal, heldSince }: { signal: AbortSignal; heldSince: number },
): Promise<{ result: OutboundResult; timing: CallTiming }> {
  const elapsed = () => Math.round((deps.clock.monotonic() - heldSince) * 100) / 100
  const token = await signLifecycleToken(deps.signer, call)
  const sentMs = elapsed()
  const reached: { connected: number | null; answered: number | null } = { connected: null, answered: null }
  const result = await sendLifecycleCall(deps, {
    endpoint: call.registration.endpoint,
    timeoutMs: call.limits.timeoutMs,
    bytes: call.bytes,
    token,
    signal,
    onProgress: (point) => {
      reached[point] = elapsed()
    },
  })
  const timing = { sentMs, connectedMs: reached.connected, answeredMs: reached.answered, endedMs: elapsed() }
  return { result, timing }
}

/** It is unknown whether the plugin received the call, so the result is uncertain. */
function runtimeFailure(pluginId: string): Judgement {
  const message = platformMessage('callRuntimeError', { plugin: pluginId })
  return withoutResponse(pluginId, message, { isUncertain: true })
}

function withoutResponse(
  pluginId: string,
  message: PlatformMessage,
  { isUncertain }: Pick<Judgement, 'isUncertain'>,
): Judgement {
  return {
    disposition: 'repeat',
    isUncertain,
    outcome: null,
    failure: callFailure(pluginId, 'PLUGIN_RESULT_UNKNOWN', message, true),
    writes: {},
    httpStatus: null,
    recorded: null,
  }
}
