import { useState, type ReactNode, useEffect, useMemo } from 'react'
import type { PropertyView } from '#contract/console-api/shapes.ts'
import { useText } from '../../i18n/use-text.ts'
import { useFirstItems } from '../FirstItems.tsx'
import { Icon } from '../Icon.tsx'
import { cx } from '../class-names.ts'
import { useIsPrinting } from '../printing.ts'
import { Changed, MarkedText } from './MarkedText.tsx'
import { looksLike } from '../values/unseen-characters.ts'
import { loadWithRetry } from '../../base/load-with-retry.ts'
import type { Spans, TextSpan } from './text-diff.ts'

/** Any JSON value. */
export type JsonValue = unknown

/** A property as people see it: the wrapped value of the APIs, or null for "not set". */
export type PropertyValue = PropertyView | { '@type': 'Data'; value: JsonValue } | null

const LONG = 160
/** Whether a text is shown in part, or line by line in a change. */
export const isLongText = (text: string): boolean => text.length > LONG || /[\r\n]/.test(text)

/**
 * A property's value, in words where possible: not set, hidden, a service, a list of services. `other` is the value on the
 * other side of a change: the part that differs from it is marked.
 */
export function PropertyValueView({ value, other }: { value: PropertyValue; other?: PropertyValue }) {
  const t = useText()
  if (value === null) return <Word>{t('common.value.notSet')}</Word>
  if (value['@type'] === 'ServiceReference') return <Service id={value.serviceId} />
  if (value['@type'] === 'ServiceReferenceMap') {
    return (
      <References list="ul" references={Object.entries(value.valueMap)}>
        {(key) => (
          <>
            <span className="mono text-muted">
              <MarkedText text={key} />
            </span>
            <Icon name="arrowRight" size={12} className="text-faint" />
          </>
        )}
      </References>
    )
  }
  if (value['@type'] === 'ServiceReferenceList') {
    return (
      <References list="ol" references={Object.entries(value.valueList)}>
        {(position) => (
          <span className="w-4 text-right text-xs text-faint tabular-nums">{Number(position) + 1}</span>
        )}
      </References>
    )
  }
  if ('isSensitive' in value) {
    return (
      <span className="inline-flex items-center gap-1.5 text-muted">
        <Icon name="lock" size={12} />
        {t(value.isSet ? 'common.value.sensitiveSet' : 'common.value.sensitiveNotSet')}
      </span>
    )
  }
  const isShown = other?.['@type'] === 'Data' && !('isSensitive' in other)
  return <ValueView value={value.value} other={isShown ? other.value : undefined} />
}

/**
 * A compact JSON value: a scalar as it is, anything else as JSON, truncated when long. A text beside a value of another
 * type is JSON too. The words of a text that differ from `other` are marked if the two have something in common. What cannot
 * be seen has signs, and what looks like the other value is spelled out, so that different values never look the same.
 */
export function ValueView({ value, other }: { value: JsonValue; other?: JsonValue }) {
  const t = useText()
  if (value === undefined) return <Word>{t('common.value.notSet')}</Word>
  if (value === '') return <Word>{t('common.value.emptyText')}</Word>
  // beside another value, both are JSON
  if (other === undefined && typeof value === 'object' && value !== null && Object.keys(value).length === 0)
    return <Word>{t('common.value.empty')}</Word>
  return <ShownValue value={value} other={other} />
}

function ShownValue({ value, other }: { value: JsonValue; other: JsonValue }) {
  const t = useText()
  const [isOpen, setIsOpen] = useState(false)
  const isPrinting = useIsPrinting()
  const whole = isOpen || isPrinting
  const isJson = [value, other === undefined ? value : other].some((one) => typeof one !== 'string')
  const textOf = (of: JsonValue) =>
    typeof of === 'string' && !isJson ? of : whole ? JSON.stringify(of, null, 2) : inLine(of)
  const text = textOf(value)
  const otherText = other === undefined ? text : textOf(other)
  const tooLong = isLongText(text)
  const isCut = tooLong && !whole
  const to = isCut ? LONG : text.length
  const isAlike = looksLike(text, otherText)
  // of different kinds of values nothing is marked
  const spans = useWordSpans(text, isJson ? text : otherText)
  const isMarked = spans.some(({ isChanged }) => isChanged)
  return (
    <span className="min-w-0">
      <span className="mono wrap-anywhere whitespace-pre-wrap">
        {spans
          .filter(({ from }) => from < to)
          .map(({ from, to: end, isChanged }) => {
            const part = (
              <MarkedText
                key={from}
                text={text}
                from={from}
                to={Math.min(end, to)}
                isJson={isJson}
                isSpelledOut={isAlike && (isChanged || !isMarked)}
                inLine={isCut}
              />
            )
            return isChanged ? <Changed key={from}>{part}</Changed> : part
          })}
        {isCut && to < text.length && '…'}
      </span>
      {tooLong && (
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => setIsOpen(!isOpen)}
          className="ml-2 print:hidden h-6 rounded-sm text-xs font-medium text-accent hover:underline"
        >
          {t(isOpen ? 'common.value.less' : 'common.value.more')}
        </button>
      )}
    </span>
  )
}

/** JSON on one line, with spaces where it may wrap. Line breaks inside strings are escaped, so this does not change them. */
function inLine(value: JsonValue): string {
  return JSON.stringify(value, null, 1).replaceAll(/\n\s*/g, ' ')
}

const REFERENCES_SHOWN = 20

/** Services, each after its key or position. */
function References({
  list: List,
  references,
  children,
}: {
  list: 'ul' | 'ol'
  references: readonly (readonly [string, { serviceId: string }])[]
  children: (key: string) => ReactNode
}) {
  const t = useText()
  const { shown, more } = useFirstItems(references, REFERENCES_SHOWN)
  if (references.length === 0) return <Word>{t('common.value.empty')}</Word>
  return (
    <>
      <List className="space-y-0.5">
        {shown.map(([key, { serviceId }]) => (
          <li key={key} className={cx('flex items-center gap-1.5', List === 'ul' && 'flex-wrap')}>
            {children(key)}
            <Service id={serviceId} />
          </li>
        ))}
      </List>
      {more}
    </>
  )
}

function Service({ id }: { id: string }) {
  return (
    <span className="inline-flex min-w-0 items-center gap-1.5">
      <Icon name="services" size={12} className="text-faint" />
      <span className="mono wrap-anywhere">{id}</span>
    </span>
  )
}

/** A word of the console in place of a value, styled so that it cannot be mistaken for a value. */
function Word({ children }: { children: ReactNode }) {
  return <span className="text-faint italic">{children}</span>
}

type WordSpans = (before: string, after: string) => Spans

// the library of the text diff is not part of the first paint
let loaded: { wordSpans: WordSpans } | undefined
const load = async (): Promise<void> => {
  loaded = await import('./text-diff.ts')
}

/** The spans of a text beside the other side of its change. Until the diff has loaded, the text is one. */
function useWordSpans(text: string, other: string): readonly TextSpan[] {
  const isChange = text !== other
  const [diff, setDiff] = useState(loaded)
  useEffect(() => {
    if (!isChange || diff !== undefined) return undefined
    let isWanted = true
    // without it nothing is marked
    loadWithRetry(load).then(
      () => isWanted && setDiff(loaded),
      () => undefined,
    )
    return () => {
      isWanted = false
    }
  }, [isChange, diff])
  return useMemo(
    () =>
      isChange && diff !== undefined
        ? diff.wordSpans(other, text).after
        : [{ from: 0, to: text.length, isChanged: false }],
    [isChange, diff, text, other],
  )
}
