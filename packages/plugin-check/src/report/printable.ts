/** A plugin must not control the terminal of its author. */
export const printable = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '?')

/** The same for a text of several lines. */
export const printableLines = (text: string): string => text.split('\n').map(printable).join('\n')
