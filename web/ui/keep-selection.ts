import { useLayoutEffect, useRef, type ChangeEventHandler, type SyntheticEvent } from 'react'

type TextElement = HTMLInputElement | HTMLTextAreaElement

/**
 * Keeps a text selected that is replaced while its field has the focus, as by a save of somebody else. The browser
 * would move the caret to the end, and what is typed next would be added to a text that was to be replaced.
 */
export function useKeptSelection<Element extends TextElement>(
  onChange: ChangeEventHandler<Element> | undefined,
) {
  const selected = useRef<TextElement | null>(null)
  useLayoutEffect(() => {
    if (selected.current !== null && selected.current === document.activeElement) selected.current.select()
  })
  return {
    onSelect: ({ currentTarget }: SyntheticEvent<Element>) => {
      const { selectionStart, selectionEnd, value: text } = currentTarget
      selected.current =
        text !== '' && selectionStart === 0 && selectionEnd === text.length ? currentTarget : null
    },
    onChange: (event: Parameters<ChangeEventHandler<Element>>[0]) => {
      selected.current = null
      onChange?.(event)
    },
  }
}
