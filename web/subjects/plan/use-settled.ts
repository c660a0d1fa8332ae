import { useEffect, useState } from 'react'

/** How long typing must pause before a plan is fetched. */
export const PAUSE_MS = 400

/** A value once it has not changed for a moment, so that not every key fetches a plan. */
export function useSettled<Value>(value: Value): Value {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}
