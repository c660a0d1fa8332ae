import { useMemo, useState } from 'react'
import { useText } from '../../i18n/use-text.ts'
import { cx } from '../class-names.ts'
import { useIsPrinting } from '../printing.ts'
import { looksLike } from '../values/unseen-characters.ts'
import { Changed, MarkedText } from './MarkedText.tsx'
import { lineDiff, type DiffLine, type TextSpan } from './text-diff.ts'

/** How many unchanged lines are shown around a change, and how many characters around a changed word. */
const LINES_AROUND = 2
const CHARACTERS_AROUND = 60

const LOOK = {
  same: { sign: '', row: 'text-muted', word: '' },
  removed: { sign: '−', row: 'bg-fail-tint', word: 'common.diff.line.removed' },
  added: { sign: '+', row: 'bg-ok-tint', word: 'common.diff.line.added' },
} as const

/** A change of a long text: line by line, with the words that differ. Text far from any change is shown on demand. */
export function TextChange({
  before,
  after,
  isNeutral,
}: {
  before: string
  after: string
  /** Neither side is older. */
  isNeutral: boolean
}) {
  const t = useText()
  const [isOpen, setIsOpen] = useState(false)
  const isPrinting = useIsPrinting()
  const isWhole = isOpen || isPrinting
  const lines = useMemo(() => lineDiff(before, after), [before, after])
  const isNear = lines.map(
    ({ isRest }, index) =>
      !isRest &&
      lines
        .slice(Math.max(0, index - LINES_AROUND), index + LINES_AROUND + 1)
        .some(({ kind }) => kind !== 'same'),
  )
  const isAlike = looksLike(before, after)
  return (
    <div className="min-w-0 flex-1">
      <div className="mono overflow-hidden rounded-sm border border-line wrap-anywhere whitespace-pre-wrap">
        {lines.map((line, index) => {
          if (!isWhole && isNear[index] !== true)
            // one sign for a row of hidden lines
            return index > 0 && isNear[index - 1] === true ? (
              // oxlint-disable-next-line react/no-array-index-key -- the lines of a text have no identity
              <div key={index} aria-hidden="true" className="px-2 text-faint">
                …
              </div>
            ) : null
          const { sign, row, word } = LOOK[line.kind]
          return (
            <div
              // oxlint-disable-next-line react/no-array-index-key -- as above
              key={index}
              data-line={line.kind}
              className={cx('flex gap-2 px-2', isNeutral ? word && 'bg-sunken' : row)}
            >
              <span aria-hidden="true" className="w-2 shrink-0 font-semibold select-none">
                {sign}
              </span>
              {word !== '' && (
                <span className="sr-only">
                  {t(word)}
                  {t('common.punctuation.colon')}
                </span>
              )}
              <span className="min-w-0">
                {line.isRest ? (
                  // as of JSON, the line breaks have no signs: there may be very many
                  <MarkedText text={line.text} isJson />
                ) : (
                  <LineText line={line} isWhole={isWhole} isAlike={isAlike} />
                )}
              </span>
            </div>
          )
        })}
      </div>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
        className="h-6 rounded-sm text-xs font-medium text-accent hover:underline print:hidden"
      >
        {t(isOpen ? 'common.value.less' : 'common.value.more')}
      </button>
    </div>
  )
}

function LineText({ line, isWhole, isAlike }: { line: DiffLine; isWhole: boolean; isAlike: boolean }) {
  const { text, spans = [{ from: 0, to: text.length, isChanged: false }] } = line
  return spans.map((span, index) => {
    const cut = isWhole ? null : cutOf(span, index === 0, index === spans.length - 1)
    const shown = (from: number, to: number) => (
      <MarkedText text={text} from={from} to={to} isSpelledOut={isAlike && span.isChanged} inLine />
    )
    const inside = cut ? (
      <>
        {shown(span.from, cut.until)}…{shown(cut.again, span.to)}
      </>
    ) : (
      shown(span.from, span.to)
    )
    return (
      // oxlint-disable-next-line react/no-array-index-key -- the parts of a line have no identity
      <span key={index}>{span.isChanged ? <Changed>{inside}</Changed> : inside}</span>
    )
  })
}

/** Where an unchanged span between two changes is cut, or beside one at an end of its line. */
function cutOf({ from, to, isChanged }: TextSpan, isFirst: boolean, isLast: boolean) {
  const until = isFirst ? from : from + CHARACTERS_AROUND
  const again = isLast && !isFirst ? to : to - CHARACTERS_AROUND
  return isChanged || again - until < CHARACTERS_AROUND || (isFirst && isLast) ? null : { until, again }
}
