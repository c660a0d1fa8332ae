import { useEffect, useEffectEvent } from 'react'
import { isDialogOpen } from '../../../ui/use-modal.ts'

/** Ctrl/Cmd+S opens the review, whatever has the focus, instead of the browser's dialog. */
export function useSaveKey(onSave: () => void): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (
      event.key.toLowerCase() !== 's' ||
      !(event.ctrlKey || event.metaKey) ||
      event.altKey ||
      event.shiftKey
    )
      return
    event.preventDefault()
    if (!isDialogOpen()) onSave()
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => press(event)
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [])
}
