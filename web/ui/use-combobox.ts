import { useEffect, useEffectEvent, useState, type KeyboardEvent } from 'react'
import { useText } from '../i18n/use-text.ts'
import { afterMousePress } from './after-press.ts'

export type ComboboxOption = {
  value: string
  label: string
  detail?: string | undefined
  /** Made of the typed text, which may be half of another name: only the person selects it. */
  isTyped?: boolean
}

type Search = (text: string, signal: AbortSignal) => Promise<readonly ComboboxOption[]>

export interface ComboboxState {
  value: ComboboxOption | null
  onChange: (value: ComboboxOption | null) => void
  search: Search
  readOnly: boolean
}

const DELAY_MS = 200

/** What is typed, found and selected, and what the keys do. */
export function useCombobox({ value, onChange, search, readOnly }: ComboboxState) {
  const t = useText()
  const [open, setOpen] = useState(false)
  const [text, setText] = useState('')
  /** Null until the person moves through the list. */
  const [moved, setMoved] = useState<number | null>(null)
  const found = useFound(open, text, search)
  // results of an earlier text stay visible, but Enter must not select from them
  const options = found.text === text ? found.options : []
  const first =
    value !== null && text === '' ? options.findIndex((option) => option.value === value.value) : 0
  const at = Math.min(moved ?? first, options.length - 1)
  const chosen = options[at]

  const show = () => {
    if (readOnly) return
    setOpen(true)
    setDropped(null)
  }
  const close = () => {
    setOpen(false)
    setText('')
    setMoved(null)
  }
  const take = (option: ComboboxOption | null) => {
    setDropped(null)
    onChange(option)
    close()
  }
  const [awaited, setAwaited] = useState<Awaited | null>(null)
  const [dropped, setDropped] = useState<string | null>(null)
  useAwaited(awaited, search, (option) => {
    setAwaited(null)
    if (option) take(option)
    else if (awaited?.isExact === true) {
      const { text: named } = awaited
      // the press that took the focus away would miss what the message moves down
      afterMousePress(() =>
        setDropped(
          option === null
            ? t('common.combobox.failed')
            : t('common.combobox.unknown', { text: named.trim() }),
        ),
      )
    }
  })
  const type = (typed: string) => {
    setText(typed)
    setAwaited(null)
    setMoved(null)
    show()
  }
  /** The focus goes elsewhere: the typed text selects what it names. */
  const leave = () => {
    if (open && text.trim() !== '' && !awaited) setAwaited({ text, isExact: true })
    close()
  }
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step) {
      event.preventDefault()
      if (!open) show()
      else if (options.length > 0)
        setMoved(at < 0 && step < 0 ? options.length - 1 : (at + step + options.length) % options.length)
    }
    if (event.key === 'Enter' && open && !event.nativeEvent.isComposing) {
      event.preventDefault()
      if (chosen) take(chosen)
      else if (text.trim() !== '') setAwaited({ text, isExact: false })
    }
    if (event.key === 'Escape' && open) {
      // closes the list, not the dialog around it
      event.stopPropagation()
      event.preventDefault()
      close()
    }
  }

  return {
    open,
    text,
    awaited,
    dropped,
    found,
    chosen,
    show,
    take,
    type,
    press,
    leave,
  }
}

/** A typed text whose option is selected as soon as its search has a result: the first one, or the one it names. */
type Awaited = { text: string; isExact: boolean }

function useAwaited(
  awaited: Awaited | null,
  search: Search,
  /** Receives the option; undefined if no option is named so, null if the search failed. */
  onSettled: (option: ComboboxOption | null | undefined) => void,
) {
  const runSearch = useEffectEvent((text: string, signal: AbortSignal) => search(text, signal))
  const settle = useEffectEvent(onSettled)
  useEffect(() => {
    if (!awaited) return
    const control = new AbortController()
    const text = awaited.text.trim()
    runSearch(text, control.signal).then(
      (options) => {
        if (control.signal.aborted) return
        const named = options.find(
          ({ value, label, isTyped }) => isTyped !== true && (value === text || label === text),
        )
        settle(awaited.isExact ? named : (named ?? options[0]))
      },
      () => !control.signal.aborted && settle(null),
    )
    return () => control.abort()
  }, [awaited])
}

/** `text` is the text that the options were found for. */
export type Found = {
  state: 'searching' | 'found' | 'failed'
  text: string
  options: readonly ComboboxOption[]
}

function useFound(open: boolean, text: string, search: Search): Found {
  const [found, setFound] = useState<Found>({ state: 'searching', text: '', options: [] })
  const runSearch = useEffectEvent((signal: AbortSignal) => search(text.trim(), signal))
  useEffect(() => {
    if (!open) return
    const control = new AbortController()
    const timer = setTimeout(
      () => {
        runSearch(control.signal).then(
          (options) => !control.signal.aborted && setFound({ state: 'found', text, options }),
          () => !control.signal.aborted && setFound({ state: 'failed', text, options: [] }),
        )
      },
      text === '' ? 0 : DELAY_MS,
    )
    return () => {
      control.abort()
      clearTimeout(timer)
    }
  }, [open, text])
  return found
}
