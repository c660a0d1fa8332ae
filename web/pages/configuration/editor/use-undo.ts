import { useCallback, useEffect, useEffectEvent } from 'react'
import { useText } from '../../../i18n/use-text.ts'
import { dismissTopic, showToast } from '../../../ui/toast.ts'
import { isDialogOpen } from '../../../ui/use-modal.ts'
import type { DraftStore } from '../draft/draft-store.ts'
import type { EditorValue } from './editor-context.ts'
import type { PropertyPlace } from '../../../forms/property/property-place.ts'

const TEXT = 'input:not([type=checkbox], [type=radio], [type=file]), textarea, [contenteditable="true"]'
const TOPIC = 'undo'

/** The text control that has the focus; null if another element has it. */
export function focusedText(): Element | null {
  const focused = document.activeElement
  return focused !== null && (focused.matches(TEXT) || focused.shadowRoot !== null) ? focused : null
}

/**
 * Undo and redo of everything that the person does to the draft, by key and by a toast. While something typed in the
 * focused control can be undone, its own undo does that.
 */
export function useUndo(store: DraftStore, goTo: EditorValue['goTo'], isOff: boolean) {
  const t = useText()
  const press = useEffectEvent((event: KeyboardEvent) => {
    const way = wayOf(event)
    if (way === null || event.defaultPrevented || isOff || isDialogOpen()) return
    store.flush()
    const text = focusedText()
    const isTyped = text !== null && store.lastChange()?.typedIn === text
    if (isTyped && !(way === 'redo' && store.canRedo())) return
    // a text control of something else: the search of the page
    if (text !== null && text.closest('[data-property]') === null) return
    if (way === 'undo' ? store.lastChange() === undefined : !store.canRedo()) return
    event.preventDefault()
    show(way === 'undo' ? store.undo() : store.redo(), goTo)
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => press(event)
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [])

  /** Does something that loses an edit, and offers to undo it while it is the last change. */
  const loseChange = useCallback(
    (act: () => void, text?: string) => {
      const before = store.lastChange()
      act()
      const change = store.lastChange()
      if (change === undefined || change === before) return
      dismissTopic(TOPIC)
      showToast({
        tone: 'info',
        text: text ?? t('configuration.undo.reset'),
        topic: TOPIC,
        action: { label: t('configuration.undo.action'), onPress: () => show(store.undo(), goTo) },
      })
      const stop = store.subscribe(() => {
        if (store.lastChange() === change) return
        dismissTopic(TOPIC)
        stop()
      })
    },
    [store, goTo, t],
  )
  useEffect(() => () => dismissTopic(TOPIC), [])
  return loseChange
}

/** Leads to the first place that changed, unless the focus is there. */
function show([first]: readonly PropertyPlace[], goTo: EditorValue['goTo']): void {
  if (first === undefined) return
  const row = document.activeElement?.closest(`[data-property="${CSS.escape(first.property)}"]`)
  if (!row) goTo(first.locator, first.property)
}

function wayOf({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): 'undo' | 'redo' | null {
  if (!(ctrlKey || metaKey) || altKey) return null
  const letter = key.toLowerCase()
  if (letter === 'z') return shiftKey ? 'redo' : 'undo'
  return letter === 'y' && ctrlKey && !shiftKey ? 'redo' : null
}
