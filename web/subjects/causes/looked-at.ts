import { useEffect, useMemo } from 'react'
import { storeChoice, storedChoice } from '../../base/stored-choice.ts'

const keyOf = (personId: string) => `causes-looked-at-${personId}`

/**
 * When the person last looked at the causes in this browser, in milliseconds since 1970; null the first time. It stays for as long
 * as the page is open, so that a mark does not disappear while it is read.
 */
export function useLookedAt(personId: string | undefined): number | null {
  const before = useMemo(() => {
    const stored = personId === undefined ? null : storedChoice(keyOf(personId))
    return stored === null ? null : Number(stored)
  }, [personId])
  useEffect(() => {
    if (personId === undefined) return
    const leave = () => storeChoice(keyOf(personId), String(Date.now()))
    addEventListener('pagehide', leave)
    return () => {
      removeEventListener('pagehide', leave)
      leave()
    }
  }, [personId])
  return before
}

/** Whether a cause began since the person last looked. */
export const isNewSince = ({ openedAt }: { openedAt: string }, lookedAt: number | null): boolean =>
  lookedAt !== null && Date.parse(openedAt) > lookedAt
