import type { Bar } from './timeline.ts'

/**
 * What the time of an attempt, and of the wait before it, was spent on; `restart` is the time after an attempt that a stop of the
 * runtime interrupted, `noWrites` the time after one whose result the database did not accept, and `unknown` what the runtime did not measure.
 */
export const TIME_PARTS = [
  'backOff',
  'worker',
  'network',
  'plugin',
  'recording',
  'restart',
  'noWrites',
  'unknown',
] as const
export type TimePart = (typeof TIME_PARTS)[number]

/** A part of the time, in milliseconds since the epoch. */
export type PartSpan = { part: TimePart; from: number; to: number }

/**
 * How the time of an attempt was spent, with the wait before it, in the order of time. `before` is the attempt before it
 * in the same call, if it is loaded. An attempt in flight has only its wait.
 */
export function timePartsOf(bar: Bar, before: Bar | undefined): PartSpan[] {
  return [...waitOf(bar, before), ...durationOf(bar)].filter(({ from, to }) => to > from)
}

/** What the time until the next attempt was spent on, if the end of this one is not known. */
const PART_AFTER: Readonly<Record<string, TimePart>> = { INTERRUPTED: 'restart', UNRECORDED: 'noWrites' }

function waitOf({ attempt, from }: Bar, before: Bar | undefined): PartSpan[] {
  const isNext = before?.attempt.attempt === attempt.attempt - 1 && before.attempt.run === attempt.run
  const ended = isNext && !before.attempt.late ? before.to : null
  const due = attempt.dueAt ? Math.min(Date.parse(attempt.dueAt), from) : null
  if (due === null) {
    const part = PART_AFTER[before?.verdict ?? ''] ?? 'unknown'
    return ended === null ? [] : [{ part, from: ended, to: from }]
  }
  const worker = { part: 'worker', from: Math.max(due, ended ?? due), to: from } as const
  return ended === null ? [worker] : [{ part: 'backOff', from: ended, to: due }, worker]
}

function durationOf({ attempt: { timing }, from, to }: Bar): PartSpan[] {
  if (to === null) return []
  const { sentMs, connectedMs, answeredMs, endedMs } = timing ?? {}
  const isKnown = sentMs !== undefined && endedMs !== undefined
  // a response without a connection was not measured
  if (!isKnown || (connectedMs === null && answeredMs !== null)) return [{ part: 'unknown', from, to }]
  const ends: [TimePart, number][] = [
    ['worker', sentMs],
    ['network', connectedMs ?? endedMs],
    ['plugin', endedMs],
    ['recording', to - from],
  ]
  let start = from
  return ends.map(([part, end]) => {
    const span = { part, from: start, to: Math.min(to, Math.max(start, from + (end ?? 0))) }
    start = span.to
    return span
  })
}

/** The milliseconds of each part, in the order of {@link TIME_PARTS}; parts that round to zero are left out. */
export function partTotals(spans: readonly PartSpan[]): { part: TimePart; ms: number }[] {
  return TIME_PARTS.flatMap((part) => {
    const ms = spans.reduce((sum, span) => (span.part === part ? sum + span.to - span.from : sum), 0)
    return ms >= 0.5 ? [{ part, ms }] : []
  })
}

/** The totals of one attempt among those of its call, with the wait before it. */
export function partTotalsOf(bars: readonly Bar[], number: number): { part: TimePart; ms: number }[] {
  const find = (attempt: number) => bars.find((bar) => bar.attempt.attempt === attempt)
  const bar = find(number)
  return bar === undefined ? [] : partTotals(timePartsOf(bar, find(number - 1)))
}

/** The parts of all attempts of a call. */
export const partsOfCall = (bars: readonly Bar[]): PartSpan[] =>
  bars.flatMap((bar, index) => timePartsOf(bar, bars[index - 1]))
