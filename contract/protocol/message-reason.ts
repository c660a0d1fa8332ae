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
