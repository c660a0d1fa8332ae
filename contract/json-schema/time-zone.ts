const NAME = /^[A-Za-z][A-Za-z0-9_+-]*(?:\/[A-Za-z0-9_+-]+)*$/

/**
 * Whether a text is a name in the IANA time zone database, in its own spelling: `Europe/Berlin`, `UTC`. Offsets such as
 * `+01:00` are not names. The names are those of the JavaScript engine.
 */
export const isTimeZone = (text: string): boolean => mainTimeZone(text) !== null

/** The engine's main name of a time zone, which differs from the text if that is an alias; null if it is not a name. */
export function mainTimeZone(text: string): string | null {
  if (!NAME.test(text)) return null
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions()
    // an alias resolves to another name; the same name in another case is a misspelling
    return timeZone === text || timeZone.toLowerCase() !== text.toLowerCase() ? timeZone : null
  } catch {
    return null
  }
}
