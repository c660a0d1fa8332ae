// A ticket system makes links, images, mentions and HTML of what it is given, each in its own way. A code span is the one
// thing in which all of them leave text alone, so that is where text goes that could mean anything to them.

/** Letters, digits, spaces, and punctuation that has no meaning in Markdown, links, mentions or references. */
const PLAIN =
  /^(?!-)(?:[\p{L}\p{M}\p{N} ,;'"’“”…?()→，。、：；！？（）-]|[.:](?=\s|$)|(?<=[\p{L}\p{N}])_(?=[\p{L}\p{N}])|(?<=\p{N})\.(?=\p{N})|\/(?!\/))*$/u

/** Text of a person, a plugin or a bundle as one line of Markdown that shows it and does nothing else. */
export function plainText(text: string): string {
  const line = oneLine(text)
  return PLAIN.test(line) ? line : codeText(line)
}

/** The same as a code span. A backtick, which only some systems can escape there, becomes a letter that looks like it. */
export function codeText(text: string): string {
  const line = oneLine(text).replaceAll('`', 'ˋ')
  return line === '' ? '' : `\`${line}\``
}

/** A link whose address cannot end before its end. `label` is plain already. */
export function linkText(label: string, address: string): string {
  const encoded = address.replaceAll(/[^\w\-.~:/?#@!$&'*+,;=%]/g, (character) =>
    [...new TextEncoder().encode(character)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
  )
  return `[${label}](${encoded})`
}

/** Without line breaks, and without the invisible characters that turn the direction of what follows. */
function oneLine(text: string): string {
  return text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '')
    .trim()
}
