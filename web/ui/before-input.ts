import { useEffect, useEffectEvent, type RefObject } from 'react'

type TextElement = HTMLInputElement | HTMLTextAreaElement

/** What an input or a text area is about to take, with its own line ends; null where the browser inserts no text. */
export const insertedText = ({ data, dataTransfer }: InputEvent): string | null =>
  data ?? dataTransfer?.getData('text/plain') ?? null

/** Calls a listener before each change that the browser makes. React's own event of this name is another one. */
export function useBeforeInput(
  element: RefObject<TextElement | null>,
  onBeforeInput: (event: InputEvent, element: TextElement) => void,
): void {
  const listen = useEffectEvent(onBeforeInput)
  useEffect(() => {
    const { current } = element
    if (current === null) return
    // the types of the DOM name no class for this event, which is always this one
    const before = (event: Event) => listen(event as InputEvent, current)
    current.addEventListener('beforeinput', before)
    return () => current.removeEventListener('beforeinput', before)
  }, [element])
}
