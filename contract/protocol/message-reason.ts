import type { MessageReason } from './platform-messages.ts'

/** Reasons of calls that the plugin cannot have acted on. */
export const NOT_RECEIVED: ReadonlySet<string> = new Set([
  'callRefused',
  'callHostUnknown',
  'callTlsFailed',
  'callTlsUntrusted',
  'callTlsExpired',
  'callTlsWrongName',
  'callEgressDenied',
  'callDeferred',
  'pluginNotRegistered',
] satisfies MessageReason[])

/** Reasons of responses with a write that the plugin has no permission for, and the rule that each breaks. */
export const WRITE_RULE_OF = {
  callWriteNotAllowed: 'PROPERTY_NOT_AUTHORIZED',
  callWriteNoResource: 'RESOURCE_NOT_AUTHORIZED',
  callWriteResourceUnknown: 'RESOURCE_UNKNOWN',
  callWritePropertyUnknown: 'PROPERTY_UNKNOWN',
  callWriteProtected: 'PROPERTY_PROTECTED',
} as const satisfies Partial<Record<MessageReason, string>>

/** Reasons of responses that break the protocol. */
export const INVALID_RESPONSE: ReadonlySet<string> = new Set([
  'callInvalid',
  'callEchoDiffers',
  ...Object.keys(WRITE_RULE_OF),
])

interface Described {
  parameters?: Readonly<Record<string, string | number>> | undefined
}

/**
 * Why this platform wrote a message; null for a message that a plugin wrote. A newer runtime may send reasons that this
 * version does not know.
 */
export function reasonOf({ parameters }: Described): string | null {
  const reason = parameters?.['reason']
  return typeof reason === 'string' ? reason : null
}

/** Whether a plugin returned the failure. Its error code is the plugin's own, even if this platform uses it too. */
export function isFromPlugin(failure: Described): boolean {
  const reason = failure.parameters?.['reason']
  return reason === undefined || reason === 'callFailedSilently'
}
