import { useEffect, useId, useRef } from 'react'
import { useText } from '../i18n/use-text.ts'
import { cx } from './class-names.ts'
import type { FieldWiring } from './Field.tsx'
import { Icon } from './Icon.tsx'
import { placeNear } from './place-near.ts'
import { useCombobox, type ComboboxOption, type ComboboxState, type Found } from './use-combobox.ts'

export type { ComboboxOption } from './use-combobox.ts'

type ComboboxProps = Omit<ComboboxState, 'readOnly'> & {
  wiring: FieldWiring
  placeholder?: string
  readOnly?: boolean
}

/**
 * Selects one of many options by typing: `search` queries the server as the person types. The list is a native popover,
 * so it is above dialogs too. Typed text alone is not a value: on blur, the text selects the option that it names
 * exactly; otherwise the field shows the selected option again, and says below that the text names none. Enter waits for
 * the result of the text typed last; before any is typed, it keeps the selected option.
 */
export function Combobox({ wiring, value, onChange, search, placeholder, readOnly = false }: ComboboxProps) {
  const t = useText()
  const id = useId()
  const box = useRef<HTMLSpanElement>(null)
  const input = useRef<HTMLInputElement>(null)
  const { open, text, awaited, dropped, found, chosen, show, take, type, press, leave } = useCombobox({
    value,
    onChange,
    search,
    readOnly,
  })

  const described = [dropped !== null && `${id}-dropped`, wiring['aria-describedby']]
    .filter(Boolean)
    .join(' ')
  const field = (
    <span
      ref={box}
      className="relative flex"
      onBlur={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) leave()
      }}
    >
      <input
        {...wiring}
        aria-describedby={described || undefined}
        ref={input}
        role="combobox"
        aria-expanded={open}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={open && chosen ? `${id}-${chosen.value}` : undefined}
        autoComplete="off"
        spellCheck={false}
        readOnly={readOnly}
        placeholder={placeholder ?? t('common.search')}
        value={open ? text : (awaited?.text ?? value?.label ?? '')}
        onClick={show}
        onChange={(event) => type(event.target.value)}
        onKeyDown={press}
        className="control pr-14"
      />
      <span className="absolute inset-y-0 right-1 flex items-center text-muted">
        {value && !readOnly && (
          <button
            type="button"
            aria-label={t('common.clear')}
            onClick={() => {
              take(null)
              // the button disappears, and the focus would be lost with it
              input.current?.focus()
            }}
            className="flex size-6 items-center justify-center rounded-sm hover:bg-selected hover:text-ink"
          >
            <Icon name="close" size={12} />
          </button>
        )}
        <Icon name="chevronDown" size={14} className="pointer-events-none mx-1" />
      </span>
      {open && (
        <List
          id={id}
          anchor={box}
          found={found}
          chosen={chosen}
          selected={value?.value}
          onTake={take}
          key={found.state + String(found.options.length)}
        />
      )}
    </span>
  )
  return (
    <>
      {field}
      <span id={`${id}-dropped`} aria-live="polite" className="block text-xs text-doubt wrap-anywhere">
        {dropped !== null && <span className="mt-1.5 block">{dropped}</span>}
      </span>
    </>
  )
}

function List({
  id,
  anchor,
  found,
  chosen,
  selected,
  onTake,
}: {
  id: string
  anchor: React.RefObject<HTMLElement | null>
  found: Found
  chosen: ComboboxOption | undefined
  selected: string | undefined
  onTake: (option: ComboboxOption) => void
}) {
  const t = useText()
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const shown = list.current
    if (!shown || !anchor.current) return
    shown.style.width = `${anchor.current.offsetWidth}px`
    shown.showPopover()
    placeNear(anchor.current, shown, 'bottom-start')
  }, [anchor])
  useEffect(() => {
    if (chosen) document.getElementById(`${id}-${chosen.value}`)?.scrollIntoView({ block: 'nearest' })
  }, [id, chosen])
  const nothing = found.state === 'found' && found.options.length === 0
  return (
    <div
      ref={list}
      popover="manual"
      className="fixed max-h-72 overflow-y-auto rounded-lg bg-raised p-1 shadow-2"
    >
      <p aria-live="polite" className={cx('px-2 py-1.5 text-muted', found.options.length > 0 && 'sr-only')}>
        {found.state === 'searching' && t('common.loading')}
        {found.state === 'failed' && t('common.combobox.failed')}
        {nothing && t('common.combobox.nothing')}
      </p>
      {/* oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a select cannot search on the server */}
      <div id={`${id}-list`} role="listbox" aria-label={t('common.search')}>
        {found.options.map((option) => (
          // the input handles the keyboard and names the active option
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
          <div
            key={option.value}
            id={`${id}-${option.value}`}
            // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role
            role="option"
            tabIndex={-1}
            aria-selected={option.value === selected}
            // a press must not move the focus from the input, because blur closes the list
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => onTake(option)}
            className={cx(
              'flex min-h-8 cursor-pointer items-center gap-2 rounded-md px-2 py-1 hover:bg-hover',
              option === chosen && 'bg-selected',
            )}
          >
            <span className="min-w-0 flex-1">
              <span className="block truncate">{option.label}</span>
              {option.detail && (
                <span className="mono block truncate text-xs text-faint">{option.detail}</span>
              )}
            </span>
            {option.value === selected && <Icon name="check" size={14} />}
          </div>
        ))}
      </div>
    </div>
  )
}
