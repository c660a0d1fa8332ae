const MINUTE = 60_000

/** How far a local time is ahead of UTC at a moment, in minutes. */
type Offset = (at: number) => number

/** How far the person's local time is ahead of UTC at a moment, in minutes. */
export const zoneOffset: Offset = (at) => -new Date(at).getTimezoneOffset()

/** A date whose UTC fields are the fields of the person's local time at a moment. */
export const localDate = (at: number): Date => new Date(at + zoneOffset(at) * MINUTE)

const offsets = new Map<string, Offset>()

/** How far the local time of a zone that the engine knows is ahead of UTC, in minutes. */
export function offsetIn(name: string): Offset {
  const known = offsets.get(name)
  if (known !== undefined) return known
  // the fields of `sv` are written like ISO 8601
  const format = new Intl.DateTimeFormat('sv', { timeZone: name, dateStyle: 'short', timeStyle: 'medium' })
  const made: Offset = (at) => {
    const second = Math.floor(at / 1000) * 1000
    return (Date.parse(`${format.format(second).replace(' ', 'T')}Z`) - second) / MINUTE
  }
  offsets.set(name, made)
  return made
}
