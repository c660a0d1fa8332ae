import type { OperationSearch } from '#contract/console-api/pages/operations.ts'
import { choiceOf, type Bar } from '../calls/timeline.ts'

/**
 * The attempt that an arrow key selects: the next one in the row, loaded or not, or the nearest in time in the next
 * row.
 */
export function nextAttempt(
  rows: readonly (readonly Bar[])[],
  chosen: Bar | null,
  key: string,
): OperationSearch | undefined {
  const next = nextBar(rows, chosen, key)
  if (!next || !chosen || (key !== 'ArrowLeft' && key !== 'ArrowRight')) return next && choiceOf(next)
  // attempts are numbered without gaps
  return { ...choiceOf(chosen), attempt: chosen.attempt.attempt + (key === 'ArrowLeft' ? -1 : 1) }
}

function nextBar(rows: readonly (readonly Bar[])[], chosen: Bar | null, key: string): Bar | undefined {
  const filled = rows.filter((bars) => bars.length > 0)
  const rowAt = filled.findIndex((bars) => bars.some((bar) => isSameBar(bar, chosen)))
  const bars = filled[rowAt]
  if (!bars || !chosen) return key.startsWith('Arrow') ? filled[0]?.[0] : undefined
  const at = bars.findIndex((bar) => isSameBar(bar, chosen))
  switch (key) {
    case 'ArrowLeft':
      return bars[at - 1]
    case 'ArrowRight':
      return bars[at + 1]
    case 'ArrowUp':
      return nearest(filled[rowAt - 1], chosen)
    case 'ArrowDown':
      return nearest(filled[rowAt + 1], chosen)
    case 'Home':
      return bars[0]
    case 'End':
      return bars.at(-1)
    default:
      return undefined
  }
}

export const isSameBar = (a: Bar, b: Bar | null): boolean =>
  b !== null && a.stage === b.stage && a.pluginId === b.pluginId && a.attempt.attempt === b.attempt.attempt

function nearest(bars: readonly Bar[] | undefined, to: Bar): Bar | undefined {
  return bars?.toSorted((a, b) => Math.abs(a.from - to.from) - Math.abs(b.from - to.from))[0]
}
