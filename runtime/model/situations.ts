import type { MessageReason } from '#contract/protocol/platform-messages.ts'
import type { NextAction, NextActor, OperationState } from '#contract/runtime-api/vocabulary.ts'

/** One row of the table: operations in one of the states, with such a failure, need this action of this actor. */
export interface Situation {
  /** As printed in docs/runtime-api.md#next-step. */
  title: string
  states: readonly OperationState[]
  /** The reasons of this platform's message; absent for any failure, or none. */
  reasons?: readonly MessageReason[]
  /** The HTTP statuses of the plugin's response. */
  statuses?: readonly number[]
  /** The plugin returned the failure itself, and says whether a retry can help. */
  ofPlugin?: { retryable: boolean }
  /** A person stopped the automatic retries. */
  isStopped?: true
  actor: NextActor
  action: NextAction
}

/** The first row that matches an operation applies; the last one matches every failed operation. */
export const SITUATIONS: readonly Situation[] = [
  { title: 'queued', states: ['PENDING'], actor: 'PLATFORM', action: 'START' },
  { title: 'running', states: ['RUNNING'], actor: 'PLATFORM', action: 'FINISH' },
  { title: 'waiting for the next attempt', states: ['WAITING'], actor: 'PLATFORM', action: 'REPEAT_CALL' },
  { title: 'ended', states: ['SUCCEEDED', 'TAKEN_OVER'], actor: 'NOBODY', action: 'NONE' },
  {
    title: 'automatic retries stopped by a person',
    states: ['FAILED'],
    isStopped: true,
    actor: 'SUPPORT',
    action: 'RETRY',
  },
  failed('plugin not registered or disabled', ['pluginNotRegistered'], 'OPERATOR', 'REGISTER_PLUGIN'),
  failed('endpoint not allowed by the deployment', ['callEgressDenied'], 'OPERATOR', 'ALLOW_ENDPOINT'),
  failed(
    'host of the endpoint unknown, or the endpoint redirects',
    ['callHostUnknown', 'callRedirected'],
    'OPERATOR',
    'FIX_ENDPOINT',
  ),
  {
    ...failed('HTTP 404, 405 or 410', ['callHttpStatus'], 'OPERATOR', 'FIX_ENDPOINT'),
    statuses: [404, 405, 410],
  },
  {
    ...failed('HTTP 401 or 403', ['callHttpStatus'], 'PLUGIN_OWNER', 'FIX_AUTHENTICATION'),
    statuses: [401, 403],
  },
  failed(
    'no secure connection',
    ['callTlsFailed', 'callTlsUntrusted', 'callTlsExpired', 'callTlsWrongName'],
    'PLUGIN_OWNER',
    'FIX_TLS',
  ),
  failed('connection refused or lost', ['callRefused', 'callReset'], 'PLUGIN_OWNER', 'RESTORE_PLUGIN'),
  failed(
    'no response in time, another HTTP status, or an unreadable response',
    [
      'callTimeout',
      'callHttpStatus',
      'callWebPage',
      'callNotJson',
      'callCut',
      'callContinue',
      'callUpgrade',
      'callEncoded',
      'callTooLarge',
    ],
    'PLUGIN_OWNER',
    'CHECK_PLUGIN',
  ),
  failed(
    'invalid response',
    [
      'callInvalid',
      'callEchoDiffers',
      'callWriteNotAllowed',
      'callWriteNoResource',
      'callWriteResourceUnknown',
      'callWritePropertyUnknown',
      'callWriteProtected',
    ],
    'PLUGIN_OWNER',
    'FIX_RESPONSE',
  ),
  failed(
    'outcome UNKNOWN until the attempts were used up',
    ['callReportedUnknown'],
    'PLUGIN_OWNER',
    'CHECK_RESULT',
  ),
  failed('outcome FAILED', ['callReportedFailed'], 'PLUGIN_OWNER', 'FIX_CAUSE'),
  {
    title: 'failure of the plugin, retryable, until the attempts were used up',
    states: ['FAILED'],
    ofPlugin: { retryable: true },
    actor: 'SUPPORT',
    action: 'RETRY',
  },
  {
    title: 'failure of the plugin, not retryable',
    states: ['FAILED'],
    ofPlugin: { retryable: false },
    actor: 'PLUGIN_OWNER',
    action: 'FIX_CAUSE',
  },
  failed('error of the runtime', ['callRuntimeError'], 'OPERATOR', 'CHECK_RUNTIME'),
  { title: 'any other failure', states: ['FAILED'], actor: 'SUPPORT', action: 'RETRY' },
]

function failed(
  title: string,
  reasons: readonly MessageReason[],
  actor: NextActor,
  action: NextAction,
): Situation {
  return { title, states: ['FAILED'], reasons, actor, action }
}
