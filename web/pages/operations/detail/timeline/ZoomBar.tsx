import type { ReactNode } from 'react'
import { formatDay, formatDuration, formatExactTime } from '../../../../i18n/format.ts'
import { useText } from '../../../../i18n/use-text.ts'
import { Button } from '../../../../ui/Button.tsx'
import { tickText } from './drawing.ts'

/** The buttons that zoom and move the timeline, and what it shows. `layouts/Shortcuts.tsx` presses them by key. */
export function ZoomBar({
  shown,
  isWhole,
  canZoomIn,
  onZoom,
  onMove,
  onAll,
  children,
}: {
  /** The visible times, in milliseconds since the epoch. */
  shown: { from: number; to: number }
  isWhole: boolean
  canZoomIn: boolean
  onZoom: (factor: number) => void
  onMove: (by: number) => void
  onAll: () => void
  /** Beside the buttons: how to read the timeline, and how to move in it. */
  children: ReactNode
}) {
  const t = useText()
  const atEnd = isWhole && t('operationTimeline.isWhole')
  const words = {
    from: formatExactTime(shown.from),
    to: formatDay(shown.from) === formatDay(shown.to) ? tickText(shown.to, 1) : formatExactTime(shown.to),
    duration: formatDuration(shown.to - shown.from, t),
  }
  return (
    <div className="mb-2 flex flex-wrap items-center gap-x-3 gap-y-1.5">
      <div role="group" aria-label={t('operationTimeline.zoom.label')} className="flex items-center gap-1">
        <Button
          size="sm"
          icon="minus"
          label={t('operationTimeline.zoomOut')}
          aria-keyshortcuts="-"
          disabledReason={atEnd}
          onClick={() => onZoom(1 / 2)}
        />
        <Button
          size="sm"
          icon="plus"
          label={t('operationTimeline.zoomIn')}
          aria-keyshortcuts="+"
          disabledReason={!canZoomIn && t('operationTimeline.isClosest')}
          onClick={() => onZoom(2)}
        />
        <Button size="sm" aria-keyshortcuts="0" disabledReason={atEnd} onClick={onAll}>
          {t('operationTimeline.all')}
        </Button>
        <Button
          size="sm"
          icon="chevronLeft"
          label={t('operationTimeline.earlier')}
          disabledReason={atEnd}
          onClick={() => onMove(-1 / 2)}
        />
        <Button
          size="sm"
          icon="chevronRight"
          label={t('operationTimeline.later')}
          disabledReason={atEnd}
          onClick={() => onMove(1 / 2)}
        />
      </div>
      {!isWhole && (
        <p role="status" className="text-xs text-muted tabular-nums">
          {t('operationTimeline.shown', words)}
        </p>
      )}
      <p className="ml-auto text-xs text-muted empty:hidden">{children}</p>
    </div>
  )
}
