/** A takeover that a person left to sign in again: what they had seen and typed. */
export interface InterruptedTakeover {
  run: number
  reason: string
}

/** A sign-in takes at most this long. */
const MAX_AGE_MS = 10 * 60_000

const keyOf = (operationId: string) => `takeover.${operationId}`

/** Keeps the takeover for this person in this tab; false if the browser stores nothing. */
export function keepTakeover(personId: string, operationId: string, takeover: InterruptedTakeover): boolean {
  try {
    const text = JSON.stringify({ ...takeover, personId, at: Date.now() })
    sessionStorage.setItem(keyOf(operationId), text)
    return true
  } catch {
    return false
  }
}

/** The takeover that this person left, once; null if there is none or it is too old. */
export function resumeTakeover(personId: string, operationId: string): InterruptedTakeover | null {
  try {
    const text = sessionStorage.getItem(keyOf(operationId))
    if (text === null) return null
    sessionStorage.removeItem(keyOf(operationId))
    const kept: unknown = JSON.parse(text)
    if (!isKept(kept) || kept.personId !== personId || Date.now() - kept.at > MAX_AGE_MS) return null
    return { run: kept.run, reason: kept.reason }
  } catch {
    return null
  }
}

function isKept(kept: unknown): kept is InterruptedTakeover & { personId: string; at: number } {
  if (typeof kept !== 'object' || kept === null) return false
  const { personId, run, reason, at } = kept as Record<string, unknown>
  return (
    typeof personId === 'string' &&
    typeof run === 'number' &&
    typeof reason === 'string' &&
    typeof at === 'number'
  )
}
