import { useEffect } from 'react'
import { isReloadingForAnotherPerson } from '../../api/session.ts'

/** Makes the browser ask before a tab with unsaved input is closed or reloaded. */
export function useUnloadGuard(isDirty: boolean): void {
  useEffect(() => {
    if (!isDirty) return
    const confirmUnload = (event: BeforeUnloadEvent) => {
      if (!isReloadingForAnotherPerson()) event.preventDefault()
    }
    addEventListener('beforeunload', confirmUnload)
    return () => removeEventListener('beforeunload', confirmUnload)
  }, [isDirty])
}
