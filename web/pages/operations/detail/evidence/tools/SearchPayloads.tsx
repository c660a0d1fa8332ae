import { useMemo, useState, type KeyboardEvent } from 'react'
import type { PluginCall } from '#contract/console-api/shapes.ts'
import { formatNumber } from '../../../../../i18n/format.ts'
import { useText } from '../../../../../i18n/use-text.ts'
import { Button } from '../../../../../ui/Button.tsx'
import { cx } from '../../../../../ui/class-names.ts'
import { TextInput } from '../../../../../ui/TextInput.tsx'
import { findText, MAX_MATCHES } from './find-text.ts'

interface Document {
  title: string
  text: string
  places: readonly { start: number; end: number }[]
  /** The position of its first match among all matches. */
  first: number
}

/** Searches the request of a call and the responses of all its attempts that are loaded. */
export function SearchPayloads({ call }: { call: PluginCall }) {
  const t = useText()
  const [query, setQuery] = useState('')
  const [at, setAt] = useState(0)
  const texts = useMemo(
    () => [
      { title: t('operations.attempt.request'), text: textOf(call.request) },
      ...call.attempts.map(({ attempt, run, response }) => ({
        title: t('attemptTools.response', { attempt, run }),
        text: textOf(response),
      })),
    ],
    [call, t],
  )
  const { documents, count } = useMemo(() => search(texts, query), [texts, query])
  const go = (step: 1 | -1) => count > 0 && setAt((at + step + count) % count)
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return
    event.preventDefault()
    go(event.shiftKey ? -1 : 1)
  }
  const current = count === 0 ? 0 : at + 1
  return (
    <div>
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <TextInput
          type="search"
          aria-label={t('attemptTools.search')}
          placeholder={t('attemptTools.search')}
          value={query}
          onChange={(event) => {
            setQuery(event.target.value)
            setAt(0)
          }}
          onKeyDown={press}
          className="max-w-80"
        />
        <span role="status" className="text-xs text-muted tabular-nums">
          {query !== '' &&
            t(count === MAX_MATCHES ? 'attemptTools.matches.many' : 'attemptTools.matches', {
              position: formatNumber(current),
              count: formatNumber(count),
            })}
        </span>
        <Button
          size="sm"
          icon="chevronLeft"
          label={t('attemptTools.previous')}
          disabledReason={count === 0 ? t('attemptTools.none') : null}
          onClick={() => go(-1)}
        />
        <Button
          size="sm"
          icon="chevronRight"
          label={t('attemptTools.next')}
          disabledReason={count === 0 ? t('attemptTools.none') : null}
          onClick={() => go(1)}
        />
      </div>
      <div className="space-y-3">
        {documents.map(({ title, text, places, first }) => (
          <section key={title} aria-label={title}>
            <h3 className="mb-1 font-semibold">{title}</h3>
            <pre
              // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrollable element must be reachable by keyboard
              tabIndex={0}
              className="max-h-72 overflow-auto rounded-md border border-line bg-sunken px-3 py-2 text-xs/5 wrap-anywhere whitespace-pre-wrap"
            >
              {places.map(({ start, end }, index) => (
                <span key={start}>
                  {text.slice(places[index - 1]?.end ?? 0, start)}
                  <mark
                    ref={first + index === at ? show : undefined}
                    className={cx(
                      'rounded-sm text-ink forced-colors:bg-[Mark] forced-colors:text-[MarkText]',
                      first + index === at ? 'bg-accent-tint outline-2 outline-accent' : 'bg-doubt-tint',
                    )}
                  >
                    {text.slice(start, end)}
                  </mark>
                </span>
              ))}
              {text.slice(places.at(-1)?.end ?? 0)}
            </pre>
          </section>
        ))}
      </div>
    </div>
  )
}

const show = (mark: HTMLElement | null) => mark?.scrollIntoView({ block: 'nearest' })

const textOf = (value: unknown): string =>
  value === null || value === undefined ? '' : JSON.stringify(value, null, 2)

/** The texts with a match. The matches of all of them together are limited. */
function search(texts: readonly { title: string; text: string }[], query: string) {
  const documents: Document[] = []
  let count = 0
  for (const { title, text } of texts) {
    const places = findText(text, query, MAX_MATCHES - count)
    if (places.length === 0) continue
    documents.push({ title, text, places, first: count })
    count += places.length
  }
  return { documents, count }
}
