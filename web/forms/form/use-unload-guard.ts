import { useEffect } from 'react'
import { isReloadingForAnotherPerson } from '../../api/session.ts'

/** Makes the browser ask before a tab with unsaved input is closed or reloaded. */
export function useUnloadGuard(isDirty: boolean): void {
  useEffect(() => {
    if (!isDirty) return
    const ask = (event: BeforeUnloadEvent) => {
      if (!isReloadingForAnotherPerson()) event.preventDefault()
    }
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [isDirty])
}
