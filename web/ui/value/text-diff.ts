import { diffLines, diffWordsWithSpace } from 'diff'

/** A part of one side of a change. */
export interface TextSpan {
  from: number
  to: number
  isChanged: boolean
}

export type Spans = { before: TextSpan[]; after: TextSpan[] }

/** With less in common, they are two texts and not a change of one. */
const COMMON_MIN = 3
/** The time for a diff grows with the square of its edits: with more of them it is given up. */
const EDITS_MAX = 500
const EDITS = { maxEditLength: EDITS_MAX }

/**
 * Two texts as spans, in which the words that differ are marked, unless the texts have too little in common. Of `among` pairs,
 * all together take no longer than one.
 */
export function wordSpans(before: string, after: string, among = 1): Spans {
  const spans: Spans = { before: [], after: [] }
  let common = 0
  const maxEdits = { maxEditLength: EDITS_MAX / Math.sqrt(among) }
  const push = (side: TextSpan[], { length }: string, isChanged: boolean) => {
    const from = side.at(-1)?.to ?? 0
    side.push({ from, to: from + length, isChanged })
  }
  for (const { value, added, removed } of diffWordsWithSpace(before, after, maxEdits) ?? []) {
    if (!added) push(spans.before, value, removed)
    if (!removed) push(spans.after, value, added)
    if (!added && !removed) common += value.trim().length
  }
  if (common >= COMMON_MIN) return spans
  const whole = ({ length }: string) => [{ from: 0, to: length, isChanged: false }]
  return { before: whole(before), after: whole(after) }
}

/** A line of either side; a changed one beside its other side, with the words that differ. */
export interface DiffLine {
  kind: 'same' | 'removed' | 'added'
  text: string
  /** Of `text`; absent where the whole line is of one side only. */
  spans?: TextSpan[]
  /** It stands for all lines of a long part but those at its ends. */
  isRest?: true
}

/** Of a part with more lines, only the ends are lines, and the rest is one: a page with each of them would not respond. */
const LINES_MAX = 1_000
const LINES_AT_ENDS = 20

const split = (value: string) => value.split(/(?<=\r\n|\n|\r(?!\n))/)

/** The lines of a part of a diff. */
function linesIn(kind: DiffLine['kind'], value: string): DiffLine[] {
  const lines = split(value)
  const shown = (from: number, to?: number) => lines.slice(from, to).map((text) => ({ kind, text }))
  if (lines.length <= LINES_MAX) return shown(0)
  const rest = lines.slice(LINES_AT_ENDS, -LINES_AT_ENDS).join('')
  return [...shown(0, LINES_AT_ENDS), { kind, text: rest, isRest: true }, ...shown(-LINES_AT_ENDS)]
}

/** Two texts with very many differences as parts: all lines between the first and the last difference have changed. */
function partsBetween(before: string, after: string) {
  const [one, other] = [split(before), split(after)]
  const common = Math.min(one.length, other.length)
  let start = 0
  while (start < common && one[start] === other[start]) start += 1
  let end = 0
  while (end < common - start && one.at(-1 - end) === other.at(-1 - end)) end += 1
  const part = (lines: string[], from: number, to: number, removed = false, added = false) => ({
    value: lines.slice(from, to).join(''),
    removed,
    added,
  })
  return [
    part(one, 0, start),
    part(one, start, one.length - end, true),
    part(other, start, other.length - end, false, true),
    part(one, one.length - end, one.length),
  ].filter(({ value }) => value !== '')
}

/** Two texts line by line; a text without line breaks is one line. */
export function lineDiff(before: string, after: string): DiffLine[] {
  const parts = diffLines(before, after, EDITS) ?? partsBetween(before, after)
  let removed: DiffLine[] = []
  const pairs: [removed: DiffLine, added: DiffLine][] = []
  const all = parts.flatMap((part) => {
    const lines = linesIn(part.removed ? 'removed' : part.added ? 'added' : 'same', part.value)
    if (part.added)
      for (const [index, line] of lines.entries()) {
        const other = removed[index]
        if (other !== undefined && !other.isRest && !line.isRest) pairs.push([other, line])
      }
    removed = part.removed ? lines : []
    return lines
  })
  for (const [before, after] of pairs) {
    const spans = wordSpans(before.text, after.text, pairs.length)
    before.spans = spans.before
    after.spans = spans.after
  }
  return all
}
