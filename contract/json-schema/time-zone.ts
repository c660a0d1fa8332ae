const NAME = /^[A-Za-z][A-Za-z0-9_+-]*(?:\/[A-Za-z0-9_+-]+)*$/

/**
 * Whether a text is a name in the IANA time zone database, in its own spelling: `Europe/Berlin`, `UTC`. Offsets such as
 * `+01:00` are not names. The names are those of the JavaScript engine.
 */
export function isTimeZone(text: string): boolean {
  if (!NAME.test(text)) return false
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions()
    // an alias resolves to another name; the same name in another case is a misspelling
    return timeZone === text || timeZone.toLowerCase() !== text.toLowerCase()
  } catch {
    return false
  }
}
