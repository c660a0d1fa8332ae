const UNITS_MS = { M: 60_000, H: 3_600_000, D: 86_400_000 } as const

/** `PT30M`, `PT24H`, `P7D`: a duration of one unit, at most 9,999 of it. */
export const DURATION = /^P(?:T([1-9]\d{0,3})([MH])|([1-9]\d{0,3})(D))$/

/** The length of a duration in milliseconds; null for anything else. */
export function durationMs(text: string): number | null {
  const [, inDay, dayUnit, days, unit = dayUnit] = DURATION.exec(text) ?? []
  if (unit !== 'M' && unit !== 'H' && unit !== 'D') return null
  return Number(inDay ?? days) * UNITS_MS[unit]
}

/** A time as it is, and a duration as the time that long before `now` (in milliseconds since 1970). */
export function momentAt(text: string, now: number): string {
  const ms = durationMs(text)
  return ms === null ? text : new Date(now - ms).toISOString()
}
