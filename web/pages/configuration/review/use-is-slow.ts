import { useEffect, useState } from 'react'

const SLOW_MS = 4_000

/** Whether something has been going on for longer than a person waits without a word. */
export function useIsSlow(isBusy: boolean): boolean {
  const [isSlow, setIsSlow] = useState(false)
  if (!isBusy && isSlow) setIsSlow(false)
  useEffect(() => {
    if (!isBusy) return
    const timer = setTimeout(() => setIsSlow(true), SLOW_MS)
    return () => clearTimeout(timer)
  }, [isBusy])
  return isSlow
}
