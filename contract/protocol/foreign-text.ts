/** What nobody sees: white space, control characters, and characters that are drawn as nothing or as a gap. */
const UNSEEN = /[\s\p{Cc}\p{Default_Ignorable_Code_Point}\u2800]/gu

/** Control characters, and what shows a text in another order than it is written, for the brackets of a `u` pattern. */
export const MISLEADING = String.raw`\p{Cc}\u202a-\u202e\u2066-\u2069`
const MISLEADING_CHARACTER = new RegExp(String.raw`(?![\n\r\t])[${MISLEADING}]`, 'gu')

/** Whether a person who looks at the text sees nothing. */
export const isBlank = (text: string): boolean => text.replace(UNSEEN, '') === ''

/**
 * A text of a stranger for people: each character that would mislead its reader becomes `\ufffd`. Null if nothing of the
 * text is visible; the caller has a text of its own for that.
 */
export function foreignText(text: string): string | null {
  return isBlank(text) ? null : text.replace(MISLEADING_CHARACTER, '\ufffd')
}

const UNPRINTABLE = new RegExp(String.raw`[${MISLEADING}\p{Cs}]`, 'gu')

/** A text of a stranger for a line in a terminal, which it must not control. */
export const printable = (text: string): string => text.replaceAll(UNPRINTABLE, '\ufffd')

/** The same for a text of several lines. */
export const printableLines = (text: string): string => text.split('\n').map(printable).join('\n')
