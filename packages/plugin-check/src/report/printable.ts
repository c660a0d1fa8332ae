/** A plugin must not control the terminal of its author. */
export const printable = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '?')
