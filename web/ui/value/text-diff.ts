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
const EDITS = { maxEditLength: 500 }

/** Two texts as spans, in which the words that differ are marked, unless the texts have too little in common. */
export function wordSpans(before: string, after: string): Spans {
  const spans: Spans = { before: [], after: [] }
  let common = 0
  const push = (side: TextSpan[], { length }: string, isChanged: boolean) => {
    const from = side.at(-1)?.to ?? 0
    side.push({ from, to: from + length, isChanged })
  }
  for (const { value, added, removed } of diffWordsWithSpace(before, after, EDITS) ?? []) {
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
}

/** How many unchanged lines are shown around a change. */
export const LINES_AROUND = 2
/** Of a part with more lines, those that are not around a change are one: a page with each of them would not respond. */
const LINES_MAX = 5_000

/** The lines of a part of a diff; of a long one, this many at each end, and the rest as one. */
function linesIn(value: string, ends: number): string[] {
  const lines = value.split(/(?<=\r\n|\n|\r(?!\n))/)
  return lines.length <= LINES_MAX
    ? lines
    : [
        ...lines.slice(0, ends),
        lines.slice(ends, lines.length - ends).join(''),
        ...lines.slice(lines.length - ends),
      ]
}

/** Two texts line by line; a text without line breaks is one line. Of two very different texts, all lines have changed. */
export function lineDiff(before: string, after: string): DiffLine[] {
  const lines: DiffLine[] = []
  let removed: string[] = []
  const flush = (added: string[]) => {
    const pairs = removed.map((text, index) => {
      const other = added[index]
      return other === undefined ? undefined : wordSpans(text, other)
    })
    lines.push(
      ...removed.map((text, index) => line('removed', text, pairs[index]?.before)),
      ...added.map((text, index) => line('added', text, pairs[index]?.after)),
    )
    removed = []
  }
  const parts = diffLines(before, after, EDITS) ?? [
    { value: before, removed: true, added: false },
    { value: after, removed: false, added: true },
  ]
  for (const part of parts) {
    const texts = linesIn(part.value, part.removed || part.added ? 0 : LINES_AROUND)
    if (part.removed) {
      flush([])
      removed = texts
    } else if (part.added) flush(texts)
    else {
      flush([])
      lines.push(...texts.map((text) => line('same', text)))
    }
  }
  flush([])
  return lines
}

const line = (kind: DiffLine['kind'], text: string, spans?: TextSpan[]): DiffLine =>
  spans === undefined ? { kind, text } : { kind, text, spans }
