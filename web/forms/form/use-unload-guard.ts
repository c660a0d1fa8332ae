import { useEffect } from 'react'
import { isReplacingPage } from '../../api/session.ts'

/** Makes the browser ask before a tab with unsaved input is closed or reloaded. */
export function useUnloadGuard(isDirty: boolean): void {
  useEffect(() => {
    if (!isDirty) return
    const confirmUnload = (event: BeforeUnloadEvent) => {
      if (!isReplacingPage()) event.preventDefault()
    }
    addEventListener('beforeunload', confirmUnload)
    return () => removeEventListener('beforeunload', confirmUnload)
  }, [isDirty])
}
