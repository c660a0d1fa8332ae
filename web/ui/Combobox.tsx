import { Combobox as Base } from '@base-ui/react/combobox'
import { CSPProvider } from '@base-ui/react/csp-provider'
import { useEffect, useEffectEvent, useState } from 'react'
import { useText } from '../i18n/use-text.ts'
import type { FieldWiring } from './Field.tsx'
import { Icon } from './icons/Icon.tsx'

export type ComboboxOption = { value: string; label: string; detail?: string | undefined }

const DELAY_MS = 200

/**
 * One of many, found by typing: `search` asks the server while the person types. It brings Base UI with it, so import it
 * only where it is used, and lazily from what opens on demand.
 */
export function Combobox({
  wiring,
  value,
  onChange,
  search,
  placeholder,
  readOnly = false,
}: {
  wiring: FieldWiring
  value: ComboboxOption | null
  onChange: (value: ComboboxOption | null) => void
  search: (text: string, signal: AbortSignal) => Promise<readonly ComboboxOption[]>
  placeholder?: string
  readOnly?: boolean
}) {
  const t = useText()
  const [open, setOpen] = useState(false)
  const [text, setText] = useState('')
  const found = useFound(open, text, search)
  const items = [...found.options]
  return (
    <CSPProvider disableStyleElements>
      <Base.Root
        items={items}
        value={value}
        onValueChange={(next: ComboboxOption | null) => onChange(next)}
        itemToStringLabel={(option: ComboboxOption) => option.label}
        isItemEqualToValue={(item: ComboboxOption, chosen: ComboboxOption) => item.value === chosen.value}
        filter={null}
        open={open}
        onOpenChange={setOpen}
        onInputValueChange={(next, { reason }) => setText(reason === 'item-press' ? '' : next)}
        readOnly={readOnly}
      >
        <Base.InputGroup className="relative flex">
          <Base.Input {...wiring} placeholder={placeholder ?? t('common.search')} className="control pr-14" />
          <span className="absolute inset-y-0 right-1 flex items-center text-muted">
            <Base.Clear
              aria-label={t('common.clear')}
              className="flex size-6 items-center justify-center rounded-sm hover:bg-selected"
            >
              <Icon name="close" size={12} />
            </Base.Clear>
            <Base.Trigger
              aria-label={t('common.search')}
              className="flex size-6 items-center justify-center rounded-sm hover:bg-selected"
            >
              <Icon name="chevronDown" size={14} />
            </Base.Trigger>
          </span>
        </Base.InputGroup>
        <Base.Portal>
          <Base.Positioner sideOffset={4} className="z-50 outline-none">
            <Base.Popup className="max-h-72 w-(--anchor-width) min-w-56 overflow-y-auto rounded-lg bg-raised p-1 shadow-2">
              <Base.Status className="px-2 text-muted empty:hidden [&:not(:empty)]:py-1.5">
                {found.state === 'searching' && items.length === 0 ? t('common.loading') : null}
                {found.state === 'failed' ? t('common.combobox.failed') : null}
                {found.state === 'found' && items.length === 0 ? t('common.combobox.nothing') : null}
              </Base.Status>
              <Base.List>
                {(option: ComboboxOption) => (
                  <Base.Item
                    key={option.value}
                    value={option}
                    className="flex min-h-8 cursor-pointer items-center gap-2 rounded-md px-2 py-1 data-highlighted:bg-selected"
                  >
                    <span className="min-w-0 flex-1">
                      <span className="block truncate">{option.label}</span>
                      {option.detail && (
                        <span className="mono block truncate text-xs text-faint">{option.detail}</span>
                      )}
                    </span>
                    <Base.ItemIndicator>
                      <Icon name="check" size={14} />
                    </Base.ItemIndicator>
                  </Base.Item>
                )}
              </Base.List>
            </Base.Popup>
          </Base.Positioner>
        </Base.Portal>
      </Base.Root>
    </CSPProvider>
  )
}

type Found = { state: 'searching' | 'found' | 'failed'; options: readonly ComboboxOption[] }

function useFound(
  open: boolean,
  text: string,
  search: (text: string, signal: AbortSignal) => Promise<readonly ComboboxOption[]>,
): Found {
  const [found, setFound] = useState<Found>({ state: 'searching', options: [] })
  const ask = useEffectEvent((signal: AbortSignal) => search(text.trim(), signal))
  useEffect(() => {
    if (!open) return
    const control = new AbortController()
    const timer = setTimeout(() => {
      ask(control.signal).then(
        (options) => !control.signal.aborted && setFound({ state: 'found', options }),
        () => !control.signal.aborted && setFound({ state: 'failed', options: [] }),
      )
    }, DELAY_MS)
    return () => {
      control.abort()
      clearTimeout(timer)
    }
  }, [open, text])
  return found
}
