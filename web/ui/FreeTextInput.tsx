import { useLayoutEffect, useRef, useState, type ComponentProps } from 'react'
import { joinList } from '../i18n/punctuation.ts'
import { useText } from '../i18n/use-text.ts'
import { insertedText, useBeforeInput } from './before-input.ts'
import { cx } from './class-names.ts'
import { useKeptSelection } from './keep-selection.ts'
import { afterEdit, lineEndsOf, withLineFeeds } from './line-ends.ts'

const MAX_ROWS = 12
/** As many texts as a person may want to undo. */
const KNOWN = 50

/**
 * A text that may have any characters. It has one line until it gets a line break, by a paste, a drop, or Shift and Enter;
 * until then, Enter submits its form. It is always a text area, so the focus, the caret and the undo history stay. A text
 * area knows only line feeds, so the line ends of the value are kept beside it, and shown if they are others.
 */
export function FreeTextInput({
  value,
  onText,
  isLong = false,
  code = false,
  className,
  ...rest
}: Omit<ComponentProps<'textarea'>, 'value' | 'onChange' | 'rows'> & {
  value: string
  onText: (text: string) => void
  /** Whether several lines are expected. */
  isLong?: boolean
  code?: boolean
}) {
  const t = useText()
  const area = useRef<HTMLTextAreaElement>(null)
  const input = useRef<{ inserted: string | null; isUndo: boolean }>({ inserted: null, isUndo: false })
  const known = useRef(new Map<string, string>())
  const [hasHadLines, setHasHadLines] = useState(isLong)
  const lines = withLineFeeds(value)
  // a text of several lines that is joined to one keeps its lines, where Enter does what it did
  if (lines.includes('\n') && !hasHadLines) setHasHadLines(true)
  const isLines = hasHadLines || lines.includes('\n')

  useLayoutEffect(() => {
    if (value === lines && !known.current.has(lines)) return
    known.current.delete(lines)
    known.current.set(lines, value)
    const [oldest] = known.current.keys()
    if (known.current.size > KNOWN && oldest !== undefined) known.current.delete(oldest)
  }, [value, lines])
  useBeforeInput(area, (event) => {
    input.current = { inserted: insertedText(event), isUndo: event.inputType.startsWith('history') }
  })
  const selection = useKeptSelection<HTMLTextAreaElement>(({ target }) => {
    const { inserted, isUndo } = input.current
    input.current = { inserted: null, isUndo: false }
    const before = isUndo ? known.current.get(target.value) : undefined
    onText(before ?? afterEdit(value, { text: target.value, caret: target.selectionEnd, inserted }))
  })

  const ends = lineEndsOf(value)
  const hasOtherEnds = ends.some((end) => end !== 'LF')
  const note = `${rest.id}-line-ends`
  return (
    <span className="block min-w-0 flex-1">
      <textarea
        autoComplete="off"
        {...rest}
        {...selection}
        ref={area}
        aria-describedby={
          [rest['aria-describedby'], hasOtherEnds && note].filter(Boolean).join(' ') || undefined
        }
        value={lines}
        rows={isLines ? Math.min(Math.max(lines.split('\n').length, isLong ? 3 : 2), MAX_ROWS) : 1}
        wrap={isLines ? 'soft' : 'off'}
        spellCheck={!code}
        onKeyDown={(event) => {
          rest.onKeyDown?.(event)
          const { key, shiftKey, ctrlKey, metaKey, nativeEvent } = event
          if (key !== 'Enter' || isLines || shiftKey || ctrlKey || metaKey || nativeEvent.isComposing) return
          event.preventDefault()
          event.currentTarget.form?.requestSubmit()
        }}
        className={cx(
          'control block',
          isLines
            ? 'h-auto min-h-16 resize-y py-1.5'
            : // its size is fixed, so a key press lays out nothing else
              'resize-none overflow-hidden py-[0.3125rem] whitespace-pre contain-strict',
          code && 'mono',
          className,
        )}
      />
      {hasOtherEnds && (
        <span id={note} className="mt-1 flex flex-wrap items-center gap-x-2 text-xs text-doubt">
          <span>{t('common.lineEnds', { ends: joinList(t, ends) })}</span>
          {rest.readOnly !== true && (
            <button
              type="button"
              onClick={() => {
                onText(lines)
                area.current?.focus()
              }}
              className="h-6 rounded-sm font-medium text-accent hover:underline"
            >
              {t('common.lineEnds.toLf')}
            </button>
          )}
        </span>
      )}
    </span>
  )
}
