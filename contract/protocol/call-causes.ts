/** Why a plugin may not write a property; the first rule that applies. */
export const WRITE_RULES = [
  'RESOURCE_UNKNOWN',
  'RESOURCE_NOT_AUTHORIZED',
  'PROPERTY_PROTECTED',
  'PROPERTY_UNKNOWN',
  'PROPERTY_NOT_AUTHORIZED',
] as const
export type WriteRule = (typeof WRITE_RULES)[number]

interface CauseOfFailure {
  /** A failure is headed with its message. */
  hasTitle?: false
  /** The plugin cannot have acted on the call. */
  wasReceived?: false
  /** A response arrived, but was not read, so its status is not recorded. */
  isUnread?: true
  /** The response breaks the protocol. */
  isInvalid?: true
  /** The rule that a write in the response breaks. */
  writeRule?: WriteRule
}
interface NoResponseCause {
  /** Why there is no response, as the HTTP client says it. */
  noResponse: string
  /** The error code of the failure. */
  code: 'PLUGIN_TIMEOUT' | 'PLUGIN_UNREACHABLE' | 'PLUGIN_RESULT_UNKNOWN'
}
type CallCause = CauseOfFailure & (NoResponseCause | { [Member in keyof NoResponseCause]?: undefined })

/**
 * Why the call of a plugin failed, by reason, and what that says about the call. A browser loads its texts in one language only, so
 * they are elsewhere: the message of the runtime in `call-messages.ts`, titles and labels in `web/i18n/…/causes.ts`. Who acts next
 * is in `runtime/model/situations.ts`.
 */
export const CALL_CAUSES = {
  callTimeout: { noResponse: 'timeout', code: 'PLUGIN_TIMEOUT' },
  callRefused: { noResponse: 'refused', code: 'PLUGIN_UNREACHABLE', wasReceived: false },
  callNoRoute: { noResponse: 'no-route', code: 'PLUGIN_UNREACHABLE', wasReceived: false },
  callNoSocket: { noResponse: 'no-socket', code: 'PLUGIN_UNREACHABLE', wasReceived: false },
  callHostUnknown: { noResponse: 'dns', code: 'PLUGIN_UNREACHABLE', wasReceived: false },
  callTlsFailed: { noResponse: 'tls', code: 'PLUGIN_UNREACHABLE', wasReceived: false },
  callTlsUntrusted: { noResponse: 'tls-untrusted', code: 'PLUGIN_UNREACHABLE', wasReceived: false },
  callTlsExpired: { noResponse: 'tls-expired', code: 'PLUGIN_UNREACHABLE', wasReceived: false },
  callTlsEarly: { noResponse: 'tls-early', code: 'PLUGIN_UNREACHABLE', wasReceived: false },
  callTlsWrongName: { noResponse: 'tls-wrong-name', code: 'PLUGIN_UNREACHABLE', wasReceived: false },
  callEgressDenied: { noResponse: 'egress-denied', code: 'PLUGIN_UNREACHABLE', wasReceived: false },
  callReset: { noResponse: 'reset', code: 'PLUGIN_UNREACHABLE' },
  callRedirected: { noResponse: 'redirect', code: 'PLUGIN_RESULT_UNKNOWN', isUnread: true },
  callRedirectedTo: { isUnread: true },
  callRedirectedAway: { isUnread: true },
  callNotHttp: { noResponse: 'not-http', code: 'PLUGIN_RESULT_UNKNOWN', isUnread: true },
  callCut: { noResponse: 'cut', code: 'PLUGIN_RESULT_UNKNOWN', isUnread: true },
  callContinue: { noResponse: 'continue', code: 'PLUGIN_RESULT_UNKNOWN', isUnread: true },
  callUpgrade: { noResponse: 'upgrade', code: 'PLUGIN_RESULT_UNKNOWN', isUnread: true },
  callEncoded: { noResponse: 'encoding', code: 'PLUGIN_RESULT_UNKNOWN', isUnread: true },
  callTooLarge: { noResponse: 'too-large', code: 'PLUGIN_RESULT_UNKNOWN', isUnread: true },
  callAborted: { hasTitle: false, noResponse: 'aborted', code: 'PLUGIN_RESULT_UNKNOWN' },
  callHttpStatus: {},
  callLimited: {},
  callLimitedFor: {},
  callNotJson: {},
  callWebPage: {},
  callEchoDiffers: { isInvalid: true },
  callWriteNotAllowed: { isInvalid: true, writeRule: 'PROPERTY_NOT_AUTHORIZED' },
  callWriteNoResource: { isInvalid: true, writeRule: 'RESOURCE_NOT_AUTHORIZED' },
  callWriteResourceUnknown: { isInvalid: true, writeRule: 'RESOURCE_UNKNOWN' },
  callWritePropertyUnknown: { isInvalid: true, writeRule: 'PROPERTY_UNKNOWN' },
  callWriteProtected: { isInvalid: true, writeRule: 'PROPERTY_PROTECTED' },
  callInvalid: { isInvalid: true },
  callForeign: { isInvalid: true },
  callFailedSilently: { hasTitle: false },
  callReportedFailed: {},
  callReportedUnknown: {},
  callInterrupted: { hasTitle: false },
  callNotRecorded: { hasTitle: false },
  callRuntimeError: {},
  callDeferred: { hasTitle: false, wasReceived: false },
  callUnexplained: { hasTitle: false },
  pluginNotRegistered: { wasReceived: false },
  pluginRetired: { wasReceived: false },
} as const satisfies Readonly<Record<string, CallCause>>

type Causes = typeof CALL_CAUSES
export type CallCauseReason = keyof Causes

/** The cause with this reason; undefined for other messages, and for a reason of a newer runtime. */
export const callCause = (reason: string): CallCause | undefined =>
  Object.hasOwn(CALL_CAUSES, reason) ? CALL_CAUSES[reason as CallCauseReason] : undefined

/** Reasons of the causes that have this member. */
type ReasonWith<Member extends string> = {
  [Reason in CallCauseReason]: Causes[Reason] extends Record<Member, unknown> ? Reason : never
}[CallCauseReason]
/** The causes whose failures have a title of their own. */
export type TitledReason = Exclude<CallCauseReason, ReasonWith<'hasTitle'>>

type NoResponseReason = ReasonWith<'noResponse'>
/** Why a call got no response. */
export type NoResponse = Causes[NoResponseReason]['noResponse']

/** Every reason why a call got no response. The cast says that the table has no others. */
export const NO_RESPONSES = Object.values<CallCause>(CALL_CAUSES).flatMap(
  ({ noResponse }) => noResponse ?? [],
) as readonly NoResponse[]

export const isNoResponse = (reason: string): reason is NoResponse =>
  NO_RESPONSES.some((one) => one === reason)

/** The cause of a call without a response, and the error code of its failure. */
export function causeOfNoResponse(noResponse: NoResponse): {
  reason: NoResponseReason
  code: Causes[NoResponseReason]['code']
} {
  const reasons = Object.keys(CALL_CAUSES) as NoResponseReason[]
  const reason = reasons.find((one) => CALL_CAUSES[one].noResponse === noResponse)
  if (reason === undefined) throw new Error(`There is no cause for ${noResponse}`)
  return { reason, code: CALL_CAUSES[reason].code }
}

const reasonsWith = (holds: (cause: CallCause) => boolean): ReadonlySet<string> =>
  new Set(Object.entries(CALL_CAUSES).flatMap(([reason, cause]) => (holds(cause) ? [reason] : [])))

/** Reasons of calls that the plugin cannot have acted on. */
export const NOT_RECEIVED = reasonsWith(({ wasReceived }) => wasReceived === false)
/** Reasons of responses that break the protocol. */
export const INVALID_RESPONSE = reasonsWith(({ isInvalid }) => isInvalid === true)
/** Reasons of responses that are not recorded with their status. */
export const UNREAD_RESPONSE = reasonsWith(({ isUnread }) => isUnread === true)
