import { useEffect, useEffectEvent, useState } from 'react'
import { useText } from '../../i18n/use-text.ts'
import { cx } from '../class-names.ts'
import { Icon } from '../Icon.tsx'

/**
 * Keeps the typed text and reports it when typing pauses, so that the address never interferes with typing. Adopts a
 * value that changes elsewhere (Back, a cleared filter).
 */
export function SearchInput({
  value,
  onSearch,
  label,
  placeholder,
  delayMs = 300,
  className = 'sm:max-w-72 sm:min-w-52 sm:flex-1',
  onEnter,
}: {
  value: string
  onSearch: (value: string) => void
  label: string
  placeholder?: string
  delayMs?: number
  className?: string
  /** Enter in the field, with the text as typed. */
  onEnter?: (value: string) => void
}) {
  const t = useText()
  const [text, setText] = useState(value)
  const [reported, setReported] = useState(value)
  const [seen, setSeen] = useState(value)
  if (value !== seen) {
    setSeen(value)
    // the value was changed elsewhere
    if (value !== reported) {
      setReported(value)
      setText(value)
    }
  }
  const report = useEffectEvent((next: string) => {
    setReported(next)
    onSearch(next)
  })
  useEffect(() => {
    if (text.trim() === reported) return
    const timer = setTimeout(() => report(text.trim()), delayMs)
    return () => clearTimeout(timer)
  }, [text, reported, delayMs])

  return (
    <span className={cx('relative flex w-full', className)}>
      <Icon
        name="search"
        size={14}
        className="pointer-events-none absolute top-1/2 left-2.5 -translate-y-1/2 text-faint"
      />
      <input
        type="search"
        aria-label={label}
        placeholder={placeholder ?? label}
        value={text}
        maxLength={128}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') {
            // the focus may move to a text, which would get the line break
            event.preventDefault()
            report(text.trim())
            onEnter?.(text.trim())
          }
          if (event.key !== 'Escape') return
          // the second press gives the keyboard back to the list
          if (text === '') event.currentTarget.blur()
          else setText('')
        }}
        className={cx('control pl-8 [&::-webkit-search-cancel-button]:hidden', text === '' ? 'pr-2' : 'pr-8')}
      />
      {text !== '' && (
        <button
          type="button"
          aria-label={t('common.clearSearch')}
          onClick={() => setText('')}
          className="absolute top-1 right-1 flex size-6 items-center justify-center rounded-sm text-muted hover:bg-selected hover:text-ink"
        >
          <Icon name="close" size={12} />
        </button>
      )}
    </span>
  )
}
