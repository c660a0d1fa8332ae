const LINE_END = /\r\n?|\n/g

/** A text as a text area has it: every line ends with a line feed. */
export const withLineFeeds = (text: string): string => text.replace(LINE_END, '\n')

const NAMES = { '\r\n': 'CRLF', '\r': 'CR', '\n': 'LF' }

/** The kinds of line ends that a text has, as people call them. */
export function lineEndsOf(text: string): string[] {
  const found = new Set(text.match(LINE_END))
  return Object.entries(NAMES).flatMap(([end, name]) => (found.has(end) ? [name] : []))
}

/** The number of lines: a line break at the end ends the last one. */
export const countLines = (text: string): number =>
  text === '' ? 0 : withLineFeeds(text).replace(/\n$/, '').split('\n').length

/** An edit as a text area reports it: the text with line feeds only, and the caret, which is where the edit ends. */
export interface TextAreaEdit {
  text: string
  caret: number
  /** What was typed or pasted, with its own line ends, if the browser says. */
  inserted: string | null
}

/**
 * A text after an edit in a text area, which knows line feeds only. What the edit left alone keeps its line ends, what was
 * pasted keeps those that it had, and a typed line break is like the first one of the text.
 */
export function afterEdit(before: string, { text, caret, inserted }: TextAreaEdit): string {
  const lines = withLineFeeds(before)
  if (text === lines) return before
  const end = lines.endsWith(text.slice(caret)) ? text.length - caret : commonEnd(lines, text)
  const most = Math.min(lines.length, text.length) - end
  const pasted = inserted === null ? null : withLineFeeds(inserted)
  const startOfPasted = text.length - end - (pasted?.length ?? 0)
  const isPasted =
    pasted !== null &&
    startOfPasted >= 0 &&
    startOfPasted + end <= lines.length &&
    text.slice(startOfPasted, text.length - end) === pasted &&
    lines.startsWith(text.slice(0, startOfPasted))
  const start = isPasted ? startOfPasted : commonStart(lines, text, most)
  const middle = text.slice(start, text.length - end)
  const added =
    isPasted && inserted !== '\n' ? (inserted ?? '') : middle.replaceAll('\n', firstLineEnd(before))
  const kept = before.slice(placeOf(before, lines.length - end))
  return join(join(before.slice(0, placeOf(before, start)), added), kept)
}

/** Joins two texts without making one line end of two. */
const join = (one: string, other: string): string =>
  one + (one.endsWith('\r') ? other.replace(/^\n+/, (feeds) => '\r'.repeat(feeds.length)) : other)

const firstLineEnd = (text: string): string => /\r\n?|\n/.exec(text)?.[0] ?? '\n'

function commonEnd(one: string, other: string): number {
  const most = Math.min(one.length, other.length)
  let end = 0
  while (end < most && one.at(-1 - end) === other.at(-1 - end)) end += 1
  return end
}

function commonStart(one: string, other: string, most: number): number {
  let start = 0
  while (start < most && one[start] === other[start]) start += 1
  return start
}

/** Where the character at a position of the text with line feeds is in the text itself. */
function placeOf(text: string, position: number): number {
  let place = 0
  for (let passed = 0; passed < position; passed += 1) place += text.startsWith('\r\n', place) ? 2 : 1
  return place
}
