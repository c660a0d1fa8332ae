import { useId, useRef, type KeyboardEvent, type ReactNode } from 'react'
import { cx } from './class-names.ts'
import { Keys } from './Keys.tsx'

interface View<Value extends string> {
  value: Value
  label: string
  /** The key that chooses it on this page while no field has the focus; `layouts/Shortcuts.tsx` handles it. */
  shortcut: string
}

/** Views of the same data, of which one is shown: a tab list and its panel. Arrow keys move between the tabs. */
export function TabList<Value extends string>({
  label,
  views,
  current,
  onChange,
  children,
}: {
  label: string
  views: readonly View<Value>[]
  current: Value
  onChange: (value: Value) => void
  /** The content of the current view. */
  children: ReactNode
}) {
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const press = (event: KeyboardEvent) => {
    const at = views.findIndex(({ value }) => value === current)
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: -1 }[event.key]
    const next = to === undefined ? undefined : (views.at(to) ?? views[0])
    if (next === undefined) return
    event.preventDefault()
    onChange(next.value)
    list.current?.querySelector<HTMLElement>(`[data-view="${next.value}"]`)?.focus()
  }
  return (
    <>
      {/* oxlint-disable-next-line jsx-a11y/interactive-supports-focus -- its tabs take the focus */}
      <div
        ref={list}
        role="tablist"
        aria-label={label}
        onKeyDown={press}
        className="mb-2 flex flex-wrap gap-1"
      >
        {views.map(({ value, label: name, shortcut }) => {
          const isCurrent = value === current
          return (
            <button
              key={value}
              type="button"
              role="tab"
              id={`${id}-${value}`}
              data-view={value}
              aria-selected={isCurrent}
              aria-controls={`${id}-panel`}
              aria-keyshortcuts={shortcut}
              tabIndex={isCurrent ? 0 : -1}
              onClick={() => onChange(value)}
              className={cx(
                'flex h-7 items-center gap-2 rounded-md border px-2.5 text-sm font-medium',
                isCurrent
                  ? 'border-line-strong bg-surface text-ink'
                  : 'border-transparent text-muted hover:text-ink',
              )}
            >
              {name}
              <span className="pointer-coarse:hidden">
                <Keys keys={[shortcut]} />
              </span>
            </button>
          )
        })}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${current}`}>
        {children}
      </div>
    </>
  )
}
