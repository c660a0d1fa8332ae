import { useNavigate } from '@tanstack/react-router'
import { useEffect, useMemo, useRef, useState, type KeyboardEvent, type RefObject } from 'react'
import type { OperationDetail } from '#contract/console-api/shapes.ts'
import { useWidth } from '../../../../ui/use-width.ts'
import { joinList } from '../../../../i18n/punctuation.ts'
import { useText } from '../../../../i18n/use-text.ts'
import { paths } from '../../../../addresses/paths.ts'
import { Card } from '../../../../ui/Card.tsx'
import { useNow } from '../../../../ui/use-now.ts'
import { BandHead, ResourcesRow, Axis } from './TimelineAxis.tsx'
import { barKey, TimelineRow } from './TimelineRow.tsx'
import { axisOf, type Drawing } from './drawing.ts'
import { TIME_PARTS, partsOfCall } from '../calls/time-spent.ts'
import { PartLegend } from './PartStrip.tsx'
import { ZoomBar } from './ZoomBar.tsx'
import { canZoomIn, moved, sharesOf, showing, zoomed, type TimeWindow, timeScale } from './time-scale.ts'
import { useZoomGestures } from './use-zoom-gestures.ts'
import {
  isReached,
  momentOf,
  rowsOf,
  runsOf,
  type Bar,
  type StageBand,
  type CallTimeline as Model,
} from '../calls/timeline.ts'
import { nextAttempt } from './keyboard-navigation.ts'

/** Space at the end of the track, so that the last glyph is not clipped. */
const END_PX = 22

/** The three bands on one time axis. It is a single tab stop; arrow keys move between attempts. */
export function Timeline({
  operation,
  timeline,
  chosen,
}: {
  operation: OperationDetail
  timeline: Model
  chosen: Bar | null
}) {
  const t = useText()
  const now = useNow(1000)
  const isLive =
    operation.state === 'RUNNING' || operation.state === 'WAITING' || operation.state === 'PENDING'
  const [track, width] = useWidth<HTMLDivElement>()
  const scale = useMemo(
    () =>
      timeScale(
        spansOf(operation, timeline, isLive ? now : null),
        runsOf(operation).map(({ from }) => from),
      ),
    [operation, timeline, isLive, now],
  )
  const [window, setWindow] = useState<TimeWindow>(null)
  const drawing = useMemo(() => {
    const shares = sharesOf(scale, window)
    const inner = Math.max(0, width - END_PX)
    const x = (moment: number) => ((scale.at(moment) - shares.from) / (shares.to - shares.from)) * inner
    return { x, width, now, isLive, axis: axisOf(scale, { x, width: inner }) }
  }, [scale, window, width, now, isLive])

  const body = useRef<HTMLDivElement>(null)
  const zoom = (factor: number, anchor?: number) =>
    setWindow((current) => zoomed(scale, current, factor, anchor))
  const move = (by: number) => setWindow((current) => moved(scale, current, by))
  useZoomGestures({ body, track, isZoomed: window !== null, onZoom: zoom, onMove: move })

  const bars = rowsOf(timeline).flatMap(({ row }) => row.bars)
  const isVisible = (bar: Bar) => window === null || ((bar.to ?? now) >= window.from && bar.from <= window.to)
  const tabStop = chosen !== null && isVisible(chosen) ? chosen : (bars.find(isVisible) ?? null)
  // buttons and keys zoom around the chosen attempt
  const anchor =
    chosen !== null && isVisible(chosen) && width > END_PX
      ? Math.min(1, Math.max(0, drawing.x(chosen.from) / (width - END_PX)))
      : undefined
  const occurring = useMemo(() => {
    const found = new Set(
      rowsOf(timeline).flatMap(({ row }) => partsOfCall(row.bars).map(({ part }) => part)),
    )
    return TIME_PARTS.filter((part) => found.has(part))
  }, [timeline])

  const chosenKey = chosen && barKey(chosen)
  const [shownKey, setShownKey] = useState(chosenKey)
  if (chosen !== null && chosenKey !== shownKey) {
    // an attempt that is chosen elsewhere, or by a key, comes into view
    setShownKey(chosenKey)
    if (!isVisible(chosen)) setWindow(showing(scale, window, chosen.from))
  }
  const press = useAttemptKeys({ operationId: operation.operationId, timeline, chosen, body })
  const stage = (band: StageBand) => (
    <Stage operation={operation} band={band} chosen={chosen} tabStop={tabStop} drawing={drawing} />
  )

  return (
    <>
      <ZoomBar
        shown={window ?? { from: scale.momentAt(0), to: scale.momentAt(1) }}
        isWhole={window === null}
        canZoomIn={canZoomIn(scale, window)}
        onZoom={(factor) => zoom(factor, anchor)}
        onMove={move}
        onAll={() => setWindow(null)}
      >
        {operation.operationType === 'DETACH' &&
          `${t('operations.detail.descending')}${t('common.punctuation.sentence')}`}
        {bars.length > 1 && (
          <span className="pointer-coarse:hidden">{t('operations.detail.timeline.hint')}</span>
        )}
      </ZoomBar>
      <Card padded={false} className="@container overflow-hidden">
        {/* the links inside are interactive; this only moves the focus between them */}
        {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions */}
        <div ref={body} onKeyDown={press}>
          <Axis ref={track} runs={runsOf(operation)} drawing={drawing} />
          {stage(timeline.before)}
          <BandHead phase="RESOURCES" state={timeline.resources.state} />
          <ResourcesRow band={timeline.resources} drawing={drawing} />
          {stage(timeline.after)}
        </div>
      </Card>
      <PartLegend parts={occurring} />
    </>
  )
}

/** Keys that choose another attempt, which then has the focus. */
function useAttemptKeys({
  operationId,
  timeline,
  chosen,
  body,
}: {
  operationId: string
  timeline: Model
  chosen: Bar | null
  body: RefObject<HTMLElement | null>
}): (event: KeyboardEvent) => void {
  const navigate = useNavigate()
  const movedByKey = useRef(false)
  const chosenKey = chosen && barKey(chosen)
  useEffect(() => {
    if (!movedByKey.current || !chosenKey) return
    movedByKey.current = false
    const links = body.current?.querySelectorAll<HTMLElement>('[data-bars]') ?? []
    const link = [...links].find((candidate) => candidate.dataset['bars']?.split(' ').includes(chosenKey))
    link?.focus()
  }, [body, chosenKey])
  return (event) => {
    const next = nextAttempt(
      rowsOf(timeline).map(({ row }) => row.bars),
      chosen,
      event.key,
    )
    if (!next || event.altKey || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    movedByKey.current = true
    void navigate({ ...paths.operation(operationId, next), replace: true, resetScroll: false })
  }
}

/** The calls of one stage. Once an operation has ended, those that it never reached are folded. */
function Stage({
  operation: { operationId, state },
  band,
  chosen,
  tabStop,
  drawing,
}: {
  operation: OperationDetail
  band: StageBand
  chosen: Bar | null
  tabStop: Bar | null
  drawing: Drawing
}) {
  const t = useText()
  const hasEnded = state === 'FAILED' || state === 'TAKEN_OVER'
  const shown = band.rows.filter((row) => !hasEnded || isReached(row))
  const folded = band.rows.filter((row) => !shown.includes(row))
  return (
    <>
      <BandHead phase={band.phase} state={band.state} />
      {band.rows.length === 0 && <p className="px-4 py-2 text-muted">{t('operations.detail.noCalls')}</p>}
      <ul>
        {/* without a width there is nothing to draw yet */}
        {drawing.width > 0 &&
          shown.map((row) => (
            <TimelineRow
              key={row.pluginId}
              operationId={operationId}
              row={row}
              chosen={chosen}
              tabStop={tabStop}
              drawing={drawing}
            />
          ))}
      </ul>
      {folded.length > 0 && (
        <details className="border-t border-line px-4 py-2 text-muted">
          <summary className="flex min-h-6 cursor-pointer items-center rounded-sm">
            {t('operations.detail.notReached', { n: folded.length })}
          </summary>
          <p className="mono mt-1 wrap-anywhere">
            {joinList(
              t,
              folded.map(({ pluginId }) => pluginId),
            )}
          </p>
        </details>
      )}
    </>
  )
}

function spansOf(operation: OperationDetail, { before, after }: Model, now: number | null) {
  const rows = [...before.rows, ...after.rows]
  const points = [operation.createdAt, operation.startedAt, operation.finishedAt]
    .concat(operation.state === 'WAITING' ? operation.nextAttemptAt : null)
    .flatMap((at) => momentOf(at) ?? [])
  const moments = now === null ? points : [...points, now]
  return [
    ...rows.flatMap(({ bars }) => bars.map((bar) => [bar.from, bar.to ?? now ?? bar.from] as const)),
    ...rows.flatMap(({ gaps }) => gaps.map(({ from, to }) => [from, to] as const)),
    ...moments.map((moment) => [moment, moment] as const),
  ]
}
