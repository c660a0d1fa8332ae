import type { Failure, Operation } from '#contract/console-api/shapes.ts'
import type { NextAction, RetryHelps } from '#contract/console-api/vocabulary.ts'
import { ANSWER_BYTES_MAX } from '#contract/protocol/limits.ts'
import { callCause, type TitledReason } from '#contract/protocol/call-causes.ts'
import { isFromPlugin, reasonOf } from '#contract/protocol/messages.ts'
import { messageText } from '../../i18n/message-text.ts'
import { joinSentences } from '../../i18n/punctuation.ts'
import type { Translate } from '../../i18n/use-text.ts'

/**
 * What failed. The title follows the reason of a message of this platform. A plugin's failure is titled with its own
 * message: its code means what the plugin says, even if this platform uses the same one.
 */
export function failureTitle(failure: Failure, t: Translate): string {
  const reason = reasonOf(failure)
  if (reason === null || isFromPlugin(failure)) return messageText(failure)
  const { status } = failure.parameters ?? {}
  if (reason === 'callHttpStatus')
    return status === undefined
      ? messageText(failure)
      : t('causes.callHttpStatus', { status: statusText(status) })
  return isTitled(reason) ? t(`causes.${reason}`) : messageText(failure)
}

/** A status with its standard name, which is not translated: the number alone says little about rare ones. */
function statusText(status: string | number): string {
  const name = STATUS_NAMES[status]
  return name === undefined ? String(status) : `${status} ${name}`
}

const STATUS_NAMES: Readonly<Record<string, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  407: 'Proxy Authentication Required',
  408: 'Request Timeout',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
  507: 'Insufficient Storage',
  511: 'Network Authentication Required',
}

function isTitled(reason: string): reason is Exclude<TitledReason, 'callHttpStatus'> {
  const cause = callCause(reason)
  return cause !== undefined && cause.hasTitle !== false
}

type Failed = Pick<Operation, 'nextStep' | 'failure'>

/** Whether a retry can help; a receipt of an earlier version has only what the failure says. */
export const retryHelpsOf = ({
  retryHelps,
  failure,
}: Pick<Operation, 'retryHelps' | 'failure'>): RetryHelps =>
  retryHelps ?? (failure?.retryable === true ? 'YES' : 'AFTER_CHANGE')

/** `retryHelps` in words: who acts before a retry, or until when it waits, limits a yes. */
export function retryHelpsText(
  operation: Failed & Pick<Operation, 'retryHelps'>,
  t: Translate,
  evidence: Evidence,
): string {
  const helps = retryHelpsOf(operation)
  const { action } = operation.nextStep
  if (helps === 'AFTER_CHANGE' && action === 'CHECK_VERSION') return t('operations.field.retryHelps.recalled')
  if (causeToFix(action, evidence) === 'named') return t('operations.field.retryHelps.named')
  if (helps !== 'YES') return t(`operations.field.retryHelps.${helps}`)
  if (operation.failure?.retryFrom !== undefined) return t('operations.field.retryHelps.YES.later')
  if (isForSupport(operation)) return t('operations.field.retryHelps.YES')
  return t(`operations.field.retryHelps.YES.${action === 'CHECK_RESULT' ? 'unknown' : 'perhaps'}`)
}

/** Whether nobody has to act before the retry. */
export const isForSupport = ({ nextStep: { actor, action } }: Pick<Operation, 'nextStep'>): boolean =>
  actor === 'SUPPORT' && action === 'RETRY'

/** What the attempt that failed, and what changed before it, prove about the cause besides the failure itself. */
export interface Evidence {
  /** It got the response to another operation, to the earlier call in this one, or of another plugin. */
  misplaced?: 'replayed' | 'otherStage' | 'elsewhere' | null
  /** The endpoint changed after the attempt, or else while the operation ran, or before it. */
  endpointChanged?: 'after' | 'during' | 'before' | null
  /** Who changed it before the operation, where that is known. */
  endpointBy?: string | null
  /** The clock of the plugin's host differs from the one of the platform. */
  hasWrongClock?: boolean
  /** A limit of the plugin that was lowered before it. */
  lowered?: { limit: 'timeoutMs' | 'maxAttempts'; before: number; after: number } | null
  /** The version of the plugin that was registered before it. */
  newVersion?: { before: string; after: string } | null
  /** The result of an earlier attempt is unknown, so it may have left something behind. */
  mayHaveLeft?: boolean
  /** Such an attempt explains the failure: what the plugin reports may be what that one left behind. */
  hasEarlier?: boolean
  /** The plugin says that the request cannot succeed, and names a value that the operation itself changes. */
  isNamed?: boolean
}

/** What the owner of the plugin does, or who corrects its endpoint. */
const OF_PLUGIN: ReadonlySet<NextAction> = new Set([
  'CHECK_PLUGIN',
  'CHECK_RESULT',
  'FIX_AUTHENTICATION',
  'FIX_CAUSE',
  'FIX_ENDPOINT',
  'FIX_RESPONSE',
  'FIX_TLS',
  'RESTORE_PLUGIN',
])

/** What another version of the plugin may have made necessary. */
const BY_VERSION: ReadonlySet<NextAction> = new Set(['CHECK_PLUGIN', 'FIX_CAUSE', 'FIX_RESPONSE'])

/** What a failed operation needs; null if nothing is left to do. */
export function remedyOf(failed: Failed, t: Translate, evidence: Evidence = {}): string | null {
  const { action } = failed.nextStep
  const { misplaced, endpointChanged, endpointBy, hasWrongClock, lowered, newVersion } = evidence
  if (action === 'FIX_RESPONSE' && misplaced != null) return t(`operations.remedy.FIX_RESPONSE.${misplaced}`)
  const isOfPlugin = OF_PLUGIN.has(action)
  if (isOfPlugin && endpointChanged === 'during') return t('operations.remedy.moved')
  const cause = causeToFix(action, evidence)
  const mayBeClock = action === 'FIX_CAUSE' || action === 'FIX_AUTHENTICATION'
  return joinSentences(t, [
    isOfPlugin &&
      endpointChanged === 'before' &&
      t('operations.remedy.newEndpoint', { person: endpointBy ?? t('inbox.somebody') }),
    isOfPlugin && endpointChanged === 'after' && t('operations.remedy.endpointSince'),
    BY_VERSION.has(action) && newVersion != null && t('operations.remedy.newVersion', newVersion),
    hasWrongClock === true && mayBeClock && t('operations.remedy.clock'),
    lowered != null &&
      (lowered.limit === 'maxAttempts'
        ? failed.failure?.attemptsUsed !== undefined
        : failed.failure?.parameters?.['reason'] === 'callTimeout') &&
      t(`operations.remedy.lowered.${lowered.limit}`, lowered),
    evidence.mayHaveLeft === true && cause !== 'earlier' && t('operations.remedy.left'),
    cause === null ? usualRemedy(failed, t) : t(`operations.remedy.FIX_CAUSE.${cause}`),
  ])
}

/** What is known of a cause that somebody is to fix: an earlier attempt left it, or the plugin names a value; null if neither. */
export function causeToFix(
  action: NextAction,
  { hasEarlier, isNamed }: Pick<Evidence, 'hasEarlier' | 'isNamed'>,
): 'earlier' | 'named' | null {
  if (action !== 'FIX_CAUSE') return null
  return hasEarlier === true ? 'earlier' : isNamed === true ? 'named' : null
}

/** What is known of a plugin that somebody is to check; null if only that its response was no good. */
export function checkOf(failure: Failure | null): 'slow' | 'webPage' | 'tooLarge' | '413' | '507' | null {
  if (failure === null) return null
  const reason = reasonOf(failure)
  if (reason === 'callTimeout') return 'slow'
  const status = Number(failure.parameters?.['status'])
  if (reason === 'callWebPage' || NETWORK_SIGN_IN.has(status)) return 'webPage'
  if (reason === 'callTooLarge') return 'tooLarge'
  return status === 413 || status === 507 ? `${status}` : null
}
/** A proxy, or the network, asks for a sign-in. */
const NETWORK_SIGN_IN: ReadonlySet<number> = new Set([407, 511])

function usualRemedy({ nextStep: { action }, failure }: Failed, t: Translate): string | null {
  const reason = failure === null ? null : reasonOf(failure)
  switch (action) {
    case 'NONE':
    case 'START':
    case 'FINISH':
    case 'REPEAT_CALL':
    case 'RESUME':
      return null
    case 'FIX_RESPONSE':
      if (reason === 'callForeign') return t('operations.remedy.FIX_RESPONSE.elsewhere')
      return t(
        callCause(reason ?? '')?.writeRule !== undefined
          ? 'operations.remedy.FIX_RESPONSE.write'
          : 'operations.remedy.FIX_RESPONSE',
      )
    case 'FIX_CAUSE': {
      if (failure?.refusedHere?.rule === 'NOT_AUTHORIZED')
        return t('operations.remedy.FIX_CAUSE.notAuthorized')
      const source = failure === null ? null : sourceBehind(failure)
      if (source !== null) return t('operations.remedy.FIX_CAUSE.behind', { source })
      if (reason === 'callReportedFailed') return t('operations.remedy.FIX_CAUSE.silent')
      return t(
        failure?.retryable === true ? 'operations.remedy.FIX_CAUSE.passing' : 'operations.remedy.FIX_CAUSE',
      )
    }
    case 'FIX_TLS':
      return t(
        reason === 'callTlsExpired' ||
          reason === 'callTlsEarly' ||
          reason === 'callTlsUntrusted' ||
          reason === 'callTlsWrongName'
          ? `operations.remedy.FIX_TLS.${reason}`
          : 'operations.remedy.FIX_TLS',
      )
    case 'CHECK_PLUGIN': {
      const check = checkOf(failure)
      return check === null
        ? t('operations.remedy.CHECK_PLUGIN')
        : t(`operations.remedy.CHECK_PLUGIN.${check}`, { limit: ANSWER_BYTES_MAX / 2 ** 20 })
    }
    case 'FIX_ENDPOINT':
      if (reason === 'callHostUnknown') return t('operations.remedy.FIX_ENDPOINT.host')
      return t(
        reason === 'callRedirectedAway'
          ? 'operations.remedy.FIX_ENDPOINT.away'
          : 'operations.remedy.FIX_ENDPOINT',
      )
    case 'RESTORE_PLUGIN':
      return t(
        reason === 'callNoRoute'
          ? 'operations.remedy.RESTORE_PLUGIN.noRoute'
          : 'operations.remedy.RESTORE_PLUGIN',
      )
    case 'RESTORE_SERVICE':
      return t(
        failure?.refusedHere?.rule === 'SERVICE_OWNER_NOT_ACTIVE'
          ? 'operations.remedy.RESTORE_SERVICE.owner'
          : 'operations.remedy.RESTORE_SERVICE',
      )
    case 'RETRY':
      if (failure?.retryFrom !== undefined) return t('operations.remedy.RETRY.later')
      if (failure?.refusedHere?.rule === 'CREDENTIAL_REVOKED') return t('operations.remedy.RETRY.credential')
      return t(isCleared(failure) ? 'operations.remedy.RETRY.cleared' : 'operations.remedy.RETRY')
    default:
      return t(`operations.remedy.${action}`)
  }
}

/** The service behind the plugin that the plugin names as the source of its failure; null if there is none, or it is this platform. */
function sourceBehind(failure: Failure): string | null {
  const [, , ...beyond] = failure.errorPath ?? []
  const source = beyond.at(-1)
  return source === undefined || source === 'module-plugin-manager' || !isFromPlugin(failure) ? null : source
}

/** Whether the failure names what a person can change. As support is to retry, somebody has. */
const isCleared = (failure: Failure | null): boolean =>
  failure !== null &&
  (failure.refusedHere !== undefined || (!isFromPlugin(failure) && CLEARABLE.test(reasonOf(failure) ?? '')))
const CLEARABLE =
  /^(?:plugin(?:NotRegistered|Retired)|call(?:Timeout|HttpStatus|EgressDenied|HostUnknown|Redirected|Tls|NoRoute|Refused|Reset))/

type Stopped = NonNullable<Failure['stopped']>

/** That a person stopped the automatic retries, who, and why. */
export const stoppedText = (stopped: Stopped, t: Translate): string =>
  t('operations.failed.stopped', stoppedValues(stopped))

export const stoppedValues = ({ by, reason }: Stopped) => ({ person: by.name, reason })
