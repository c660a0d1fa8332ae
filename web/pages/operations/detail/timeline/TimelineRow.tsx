import { Link } from '@tanstack/react-router'
import { PluginLink } from '../../../../subjects/plugins/PluginLink.tsx'
import { formatClockTime, formatDuration } from '../../../../i18n/format.ts'
import { joinClauses, labelled } from '../../../../i18n/punctuation.ts'
import { useRichText, useText, type Translate } from '../../../../i18n/use-text.ts'
import { paths } from '../../../../addresses/paths.ts'
import { cx } from '../../../../ui/class-names.ts'
import { Icon } from '../../../../ui/Icon.tsx'
import { Countdown } from '../../../../ui/Time.tsx'
import { toneLine, toneText, toneTint } from '../../../../ui/tone.ts'
import { rowGrid, trackCell, type Drawing } from './drawing.ts'
import { timePartsOf, partTotals } from '../calls/time-spent.ts'
import { PartStrip } from './PartStrip.tsx'
import { isSameResult, layoutRow, type BarMark, type GapMark, type Mark } from './row-layout.ts'
import { choiceOf, type Bar, type Row } from '../calls/timeline.ts'
import { TrackLines } from './TimelineAxis.tsx'
import { resultLook, verdictLook } from '../calls/verdict.ts'
import { isSameBar } from './keyboard-navigation.ts'

export const barKey = ({ stage, pluginId, attempt }: Bar) => `${stage}/${pluginId}/${attempt.attempt}`

/** One plugin in one stage: its name and order, and a bar for each attempt. */
export function TimelineRow({
  operationId,
  row,
  chosen,
  tabStop,
  drawing,
}: {
  operationId: string
  row: Row
  chosen: Bar | null
  /** The bar that the Tab key reaches. */
  tabStop: Bar | null
  drawing: Drawing
}) {
  const t = useText()
  const look = resultLook(row.result)
  const { x, width } = drawing
  const hasRetry = row.retryAt !== null && width > 0 && x(row.retryAt) >= 0 && x(row.retryAt) <= width
  const room = { ...drawing, width: width - (hasRetry ? RETRY_PX : 0) }
  const marks = width === 0 ? [] : layoutRow(row, room)
  // also of what is outside of the window, so that zooming moves no row
  const isEmpty = row.bars.length === 0 && row.gaps.length === 0 && row.retryAt === null
  const about = (
    <p className="text-xs text-faint">
      {t(look.word)} · {t('operations.detail.order', { order: row.order })}
      {row.isParallel && (
        <span title={t('operations.detail.parallel.hint')}>
          {'\u00a0· '}
          {t('operations.detail.parallel')}
        </span>
      )}
    </p>
  )
  return (
    <li className={cx(rowGrid, 'border-t border-line first:border-t-0')}>
      <div className="flex min-w-0 items-start gap-2 px-4 pt-2 @lg:py-2">
        <Icon name={look.icon} size={14} className={cx('mt-[3px]', toneText[look.tone])} />
        <div className="min-w-0">
          <PluginLink pluginId={row.pluginId} className="block font-medium" isClamped />
          {!isEmpty && about}
        </div>
      </div>
      <div
        data-track=""
        className={cx(
          trackCell,
          // an empty track has room for what is said about its row; below the label, it needs no height
          isEmpty ? 'max-@lg:pb-2 max-@lg:pl-[22px] @lg:pt-2.5' : 'min-h-13',
        )}
      >
        <TrackLines drawing={drawing} />
        {isEmpty && <div className="relative w-fit max-w-full bg-surface pr-1 @lg:pl-2">{about}</div>}
        <PartStrip bars={row.bars} drawing={drawing} />
        <ul aria-label={t('operations.detail.attempts', { n: row.count })}>
          {marks.map((mark) =>
            'gap' in mark ? (
              <GapLink key={mark.gap.first} operationId={operationId} mark={mark} />
            ) : (
              <MarkLink
                key={barKey(mark.bars[0])}
                operationId={operationId}
                row={row}
                mark={mark}
                chosen={chosen}
                tabStop={tabStop}
              />
            ),
          )}
        </ul>
        {row.retryAt !== null && hasRetry && (
          <NextRetry at={row.retryAt} drawing={drawing} after={marks.at(-1)} />
        )}
      </div>
    </li>
  )
}

/** Attempts that are not loaded: a link to the first of them, which loads it. */
function GapLink({ operationId, mark }: { operationId: string; mark: GapMark }) {
  const t = useText()
  const { stage, pluginId, first, last } = mark.gap
  const label = t('operations.detail.notLoaded', { first, last })
  const count = t('operations.detail.times', { n: last - first + 1 })
  return (
    <li className="absolute top-2.5" style={{ left: mark.x, width: mark.width }}>
      <Link
        {...paths.operation(operationId, { stage, plugin: pluginId, attempt: first })}
        replace
        resetScroll={false}
        preload={false}
        // contains what is visible, so that people who speak to the browser can name it
        aria-label={joinClauses(t, [label, count])}
        title={label}
        tabIndex={-1}
        className="flex h-6 items-center justify-center overflow-hidden rounded-sm border border-dashed border-line-strong text-xs font-semibold whitespace-nowrap text-muted hover:border-current"
      >
        {count}
      </Link>
    </li>
  )
}

function MarkLink({
  operationId,
  row,
  mark,
  chosen,
  tabStop,
}: {
  operationId: string
  row: Row
  mark: BarMark
  chosen: Bar | null
  tabStop: Bar | null
}) {
  const t = useText()
  const [first] = mark.bars
  const selected = mark.bars.find((bar) => isSameBar(bar, chosen))
  // a folded bar links to its last attempt, unless one of its attempts is selected
  const bar = selected ?? mark.bars.at(-1) ?? first
  const { tone, icon } = verdictLook[bar.verdict]
  const label = markText(mark, barText(bar, row.bars[row.bars.indexOf(bar) - 1], t), t)
  return (
    <li className="absolute top-2.5" style={{ left: mark.x, width: mark.width }}>
      <Link
        {...paths.operation(operationId, choiceOf(bar))}
        replace
        resetScroll={false}
        preload={false}
        data-bars={mark.bars.map(barKey).join(' ')}
        aria-label={label}
        title={label}
        aria-current={selected ? 'true' : undefined}
        tabIndex={mark.bars.some((one) => isSameBar(one, tabStop)) ? 0 : -1}
        draggable={false}
        className={cx(
          'flex h-6 items-center justify-end gap-0.5 overflow-hidden rounded-sm border px-[3px] text-xs font-semibold whitespace-nowrap',
          toneText[tone],
          toneTint[tone],
          toneLine[tone],
          // stripes show many calls with gaps, not one long call
          mark.bars.length > 1 &&
            'bg-[repeating-linear-gradient(90deg,transparent_0_8px,var(--surface)_8px_10px)]',
          bar.attempt.late && 'border-dashed',
          bar.verdict === 'IN_FLIGHT' && 'animate-breathe',
          selected ? 'outline-2 outline-offset-1 outline-ink' : 'hover:border-current',
        )}
      >
        {mark.bars.length > 1 && mark.width >= 34 && (
          <span>{t('operations.detail.times', { n: mark.bars.length })}</span>
        )}
        <Icon name={icon} size={12} />
      </Link>
    </li>
  )
}

function markText({ bars: [first, ...others] }: BarMark, attempt: string, t: Translate): string {
  const n = others.length + 1
  if (n === 1) return attempt
  return others.every((bar) => isSameResult(bar, first))
    ? `${t('operations.detail.times', { n })} ${attempt}`
    : t('operations.detail.mixed', { n, attempt })
}

/** The text of a bar, for screen readers and the tooltip. */
function barText(bar: Bar, before: Bar | undefined, t: Translate): string {
  const { attempt, verdict, from, to } = bar
  const name = t('operations.attempt.name', { attempt: attempt.attempt, run: attempt.run })
  return joinClauses(t, [
    labelled(t, name, t(verdictLook[verdict].word)),
    attempt.failure?.errorCode,
    attempt.late && t('operations.attempt.late'),
    formatClockTime(from),
    to !== null && formatDuration(to - from, t),
    ...partTotals(timePartsOf(bar, before)).map(({ part, ms }) =>
      labelled(t, t(`operationTimeline.part.${part}`), formatDuration(ms, t)),
    ),
  ])
}

const WORDS_PX = 104
/** The width of the retry glyph at the end of its row. */
const RETRY_PX = 26

/** Marks the time of the next automatic retry. */
function NextRetry({ at, drawing, after }: { at: number; drawing: Drawing; after: Mark | undefined }) {
  const t = useText()
  const rich = useRichText()
  const taken = after ? after.x + after.width + 4 : 0
  const x = Math.min(Math.max(drawing.x(at), taken), drawing.width - 20)
  const isRoomAfter = drawing.width - x - 20 > WORDS_PX
  const isRoomBefore = x - taken > WORDS_PX
  return (
    <span
      title={t('operations.detail.next')}
      className={cx(
        'absolute top-2.5 flex h-6 items-center gap-1.5 text-xs whitespace-nowrap text-doubt tabular-nums',
        !isRoomAfter && '-translate-x-full flex-row-reverse',
      )}
      style={{ left: isRoomAfter ? x : x + 20 }}
    >
      <span className="flex size-5 shrink-0 items-center justify-center rounded-sm border border-dashed border-doubt">
        <Icon name="waiting" size={12} />
      </span>
      {(isRoomAfter || isRoomBefore) && (
        // covers the line of the present, which would cross it out
        <span className="bg-surface px-0.5">
          {at <= drawing.now
            ? t('operations.detail.next.now')
            : rich('operations.detail.next.in', { time: <Countdown to={at} /> })}
        </span>
      )}
    </span>
  )
}
