import { MISLEADING } from '#contract/protocol/foreign-text.ts'

// Ticket systems turn text into links, images, mentions and HTML, each in its own way. They all leave code spans alone,
// so any text that could have a meaning to them goes into a code span.

/** Letters, digits, spaces, and punctuation that has no meaning in Markdown, links, mentions or references. */
const PLAIN =
  /^(?!-)(?:[\p{L}\p{M}\p{N} ,;'"’“”…?()→，。、：；！？（）-]|[.:](?=\s|$)|(?<=[\p{L}\p{N}])_(?=[\p{L}\p{N}])|(?<=\p{N})\.(?=\p{N})|\/(?!\/))*$/u

/** Text of a person, a plugin or a bundle as one line of Markdown that only shows it. */
export function plainText(text: string): string {
  const line = oneLine(text)
  return PLAIN.test(line) ? line : codeText(line)
}

/** Text as a code span. A backtick, which only some systems can escape there, is replaced with a similar letter. */
export function codeText(text: string): string {
  const line = oneLine(text).replaceAll('`', 'ˋ')
  return line === '' ? '' : `\`${line}\``
}

/** A link whose address cannot be terminated early. `label` is plain text already. */
export function linkText(label: string, address: string): string {
  const encoded = address.replaceAll(/[^\w\-.~:/?#@!$&'*+,;=%]/g, (character) =>
    [...new TextEncoder().encode(character)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
  )
  return `[${label}](${encoded})`
}

const MISLEADING_CHARACTERS = new RegExp(`[${MISLEADING}]`, 'gu')

/** Removes line breaks and the invisible characters that change the direction of the text after them. */
function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll(MISLEADING_CHARACTERS, '').trim()
}
