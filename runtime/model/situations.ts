import type { MessageReason } from '#contract/protocol/platform-messages.ts'
import type {
  NextAction,
  NextActor,
  OperationState,
  PluginRefusal,
  RetryHelps,
} from '#contract/runtime-api/vocabulary.ts'

/**
 * What stands in the way of an operation: it is paused, or its scope; the plugin that it calls next is paused; the plugin at which it
 * failed is retired; it would install a recalled version. Or nothing does any longer: what its failure names was changed since
 * (CLEARED). The first that applies.
 */
export const OBSTACLE_KINDS = ['PAUSED', 'PLUGIN_PAUSED', 'RETIRED', 'RECALLED', 'CLEARED'] as const
export type Obstacle = (typeof OBSTACLE_KINDS)[number]

/** One row of the table: operations in one of the states, with such a failure, need this action of this actor. */
export interface Situation {
  /** As printed in docs/runtime-api.md#next-step. */
  title: string
  states: readonly OperationState[]
  /** It was in progress when the database went back in time. */
  isInDoubt?: true
  /** What stands in its way now, whatever its failure says. */
  obstacle?: Obstacle
  /** Of a DETACH only. */
  isDetach?: true
  /** The reasons of this platform's message; absent for any failure, or none. */
  reasons?: readonly MessageReason[]
  /** The HTTP statuses of the plugin's response. */
  statuses?: readonly number[]
  /** The response says from when the plugin accepts calls again. */
  asksToWait?: true
  /** The plugin returned the failure itself, and says whether a retry can help. */
  ofPlugin?: { retryable: boolean }
  /** The request has values that other plugins wrote in the same operation, or lacks those that they had to write. */
  readsWrites?: true
  /** The rules by which this platform refused a call of the plugin, which passes that on. */
  refusals?: readonly PluginRefusal[]
  actor: NextActor
  action: NextAction
  /** Null unless the operation is FAILED. */
  retryHelps: RetryHelps | null
}

/** The statuses of a request that cannot be handled as it is: a repetition gets the same. */
const REFUSED_STATUSES = [
  201, 202, 203, 204, 205, 206, 300, 304, 400, 402, 406, 407, 411, 412, 413, 414, 415, 416, 417, 418, 421,
  422, 424, 426, 428, 431, 451, 501, 505, 511,
]

/** The failures of calls that did not reach the right place, which a change of the endpoint may have ended. */
export const OF_ENDPOINT: readonly MessageReason[] = [
  'callEgressDenied',
  'callHostUnknown',
  'callRedirected',
  'callRedirectedTo',
  'callRedirectedAway',
  'callTlsFailed',
  'callTlsUntrusted',
  'callTlsExpired',
  'callTlsEarly',
  'callTlsWrongName',
  'callRefused',
  'callNoRoute',
  'callReset',
  'callNotHttp',
]
/** The same, of statuses. */
export const OF_ENDPOINT_STATUSES: readonly number[] = [404, 405, 410]
/** The rules about a service, which a change of its registration may have ended. */
export const OF_SERVICE: readonly PluginRefusal[] = [
  'SERVICE_NOT_REGISTERED',
  'SERVICE_DISABLED',
  'SERVICE_NOT_ALLOWED',
  'SERVICE_OWNER_NOT_ACTIVE',
]

/** The first row that matches an operation applies; the last one matches every failed operation. */
export const SITUATIONS: readonly Situation[] = [
  {
    title: 'in doubt: in progress when the database went back in time',
    states: ['PENDING', 'RUNNING', 'WAITING'],
    isInDoubt: true,
    actor: 'SUPPORT',
    action: 'CHECK_IN_DOUBT',
    retryHelps: null,
  },
  {
    title: 'paused: the operation or its scope',
    states: ['PENDING', 'RUNNING', 'WAITING'],
    obstacle: 'PAUSED',
    actor: 'SUPPORT',
    action: 'RESUME',
    retryHelps: null,
  },
  {
    title: 'paused: the plugin that it calls next',
    states: ['PENDING', 'RUNNING', 'WAITING'],
    obstacle: 'PLUGIN_PAUSED',
    actor: 'ADMINISTRATOR',
    action: 'RESUME',
    retryHelps: null,
  },
  { title: 'queued', states: ['PENDING'], actor: 'PLATFORM', action: 'START', retryHelps: null },
  { title: 'running', states: ['RUNNING'], actor: 'PLATFORM', action: 'FINISH', retryHelps: null },
  {
    title: 'waiting for the next attempt',
    states: ['WAITING'],
    actor: 'PLATFORM',
    action: 'REPEAT_CALL',
    retryHelps: null,
  },
  { title: 'ended', states: ['SUCCEEDED', 'TAKEN_OVER'], actor: 'NOBODY', action: 'NONE', retryHelps: null },
  {
    title: 'DETACH whose plugin is retired now',
    states: ['FAILED'],
    obstacle: 'RETIRED',
    isDetach: true,
    actor: 'SUPPORT',
    action: 'RETRY',
    retryHelps: 'YES',
  },
  {
    title: 'any other operation whose plugin is retired now',
    states: ['FAILED'],
    obstacle: 'RETIRED',
    actor: 'SUPPORT',
    action: 'TAKE_OVER',
    retryHelps: 'AFTER_CHANGE',
  },
  {
    title: 'INSTALL or UPGRADE whose version is recalled now',
    states: ['FAILED'],
    obstacle: 'RECALLED',
    actor: 'SUPPORT',
    action: 'CHECK_VERSION',
    retryHelps: 'AFTER_CHANGE',
  },
  {
    title:
      'what the failure names was changed since: the registration of the plugin, its credential or the service',
    states: ['FAILED'],
    obstacle: 'CLEARED',
    actor: 'SUPPORT',
    action: 'RETRY',
    retryHelps: 'YES',
  },
  refused(
    'refused by this platform: the credential of the plugin was revoked',
    ['CREDENTIAL_REVOKED'],
    'ADMINISTRATOR',
    'CREATE_CREDENTIAL',
  ),
  refused(
    'refused by this platform: the plugin was disabled',
    ['PLUGIN_DISABLED'],
    'ADMINISTRATOR',
    'REGISTER_PLUGIN',
  ),
  refused(
    'refused by this platform: a service is not registered, disabled or not for this scope',
    ['SERVICE_NOT_REGISTERED', 'SERVICE_DISABLED', 'SERVICE_NOT_ALLOWED'],
    'ADMINISTRATOR',
    'RESTORE_SERVICE',
  ),
  refused(
    'refused by this platform: the installation behind a service is not active',
    ['SERVICE_OWNER_NOT_ACTIVE'],
    'OPERATOR',
    'RESTORE_SERVICE',
  ),
  failed('plugin not registered or disabled', ['pluginNotRegistered'], 'ADMINISTRATOR', 'REGISTER_PLUGIN'),
  failed('plugin retired', ['pluginRetired'], 'SUPPORT', 'TAKE_OVER'),
  failed('endpoint not allowed by the deployment', ['callEgressDenied'], 'ADMINISTRATOR', 'ALLOW_ENDPOINT'),
  failed(
    'host of the endpoint unknown, or the endpoint redirects',
    ['callHostUnknown', 'callRedirected', 'callRedirectedTo', 'callRedirectedAway'],
    'ADMINISTRATOR',
    'FIX_ENDPOINT',
  ),
  {
    ...failed('HTTP 404, 405 or 410', ['callHttpStatus'], 'ADMINISTRATOR', 'FIX_ENDPOINT'),
    statuses: OF_ENDPOINT_STATUSES,
  },
  {
    ...failed('HTTP 401 or 403', ['callHttpStatus'], 'PLUGIN_OWNER', 'FIX_AUTHENTICATION'),
    statuses: [401, 403],
  },
  failed(
    'no secure connection',
    ['callTlsFailed', 'callTlsUntrusted', 'callTlsExpired', 'callTlsEarly', 'callTlsWrongName'],
    'PLUGIN_OWNER',
    'FIX_TLS',
  ),
  failed(
    'no route to the host, connection refused or lost',
    ['callNoRoute', 'callRefused', 'callReset'],
    'PLUGIN_OWNER',
    'RESTORE_PLUGIN',
    'YES',
  ),
  failed(
    'HTTP 429 until the attempts were used up',
    ['callLimited', 'callLimitedFor'],
    'SUPPORT',
    'RETRY',
    'YES',
  ),
  {
    ...failed(
      'HTTP 503 with Retry-After until the attempts were used up',
      ['callHttpStatus'],
      'SUPPORT',
      'RETRY',
      'YES',
    ),
    asksToWait: true,
  },
  {
    ...failed(
      'another HTTP status that a repetition gets again, such as 204, 400, 407 or 501',
      ['callHttpStatus'],
      'PLUGIN_OWNER',
      'CHECK_PLUGIN',
    ),
    statuses: REFUSED_STATUSES,
  },
  failed(
    'response too large, encoded, a web page, or of another protocol',
    ['callNotHttp', 'callTooLarge', 'callEncoded', 'callWebPage', 'callContinue', 'callUpgrade'],
    'PLUGIN_OWNER',
    'CHECK_PLUGIN',
  ),
  failed(
    'no response in time, another HTTP status, or an unreadable response',
    ['callTimeout', 'callHttpStatus', 'callNotJson', 'callCut'],
    'PLUGIN_OWNER',
    'CHECK_PLUGIN',
    'YES',
  ),
  failed(
    'invalid response',
    [
      'callInvalid',
      'callForeign',
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
    'YES',
  ),
  failed('outcome FAILED', ['callReportedFailed'], 'PLUGIN_OWNER', 'FIX_CAUSE'),
  {
    title: 'failure of the plugin, retryable, until the attempts were used up',
    states: ['FAILED'],
    ofPlugin: { retryable: true },
    actor: 'PLUGIN_OWNER',
    action: 'FIX_CAUSE',
    retryHelps: 'YES',
  },
  {
    title: 'failure of the plugin, not retryable, with values from other plugins',
    states: ['FAILED'],
    ofPlugin: { retryable: false },
    readsWrites: true,
    actor: 'SUPPORT',
    action: 'CHECK_VALUES',
    retryHelps: 'NEVER',
  },
  {
    title: 'failure of the plugin, not retryable',
    states: ['FAILED'],
    ofPlugin: { retryable: false },
    actor: 'PLUGIN_OWNER',
    action: 'FIX_CAUSE',
    retryHelps: 'AFTER_CHANGE',
  },
  failed(
    'error of the runtime, or no free socket or port',
    ['callRuntimeError', 'callNoSocket'],
    'ADMINISTRATOR',
    'CHECK_RUNTIME',
    'YES',
  ),
  { title: 'any other failure', states: ['FAILED'], actor: 'SUPPORT', action: 'RETRY', retryHelps: 'YES' },
]

function failed(
  title: string,
  reasons: readonly MessageReason[],
  actor: NextActor,
  action: NextAction,
  retryHelps: RetryHelps = 'AFTER_CHANGE',
): Situation {
  return { title, states: ['FAILED'], reasons, actor, action, retryHelps }
}

function refused(
  title: string,
  refusals: readonly PluginRefusal[],
  actor: NextActor,
  action: NextAction,
): Situation {
  return { title, states: ['FAILED'], refusals, actor, action, retryHelps: 'AFTER_CHANGE' }
}
