import { v7 } from 'uuid'
import type { Clock } from './clock.ts'
import type { Random } from './random.ts'

/** A UUID version 7 (RFC 9562): sorts by its creation time in milliseconds. */
export function uuidv7({
  clock,
  random,
}: {
  clock: Pick<Clock, 'now'>
  random: Pick<Random, 'bytes'>
}): string {
  return v7({ msecs: clock.now().getTime(), random: random.bytes(16) })
}

/** When a UUID version 7 was created; null for any other text. */
export function uuidv7Time(id: string): Date | null {
  const time = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i.exec(id)
  return time === null ? null : new Date(Number.parseInt(`${time[1]}${time[2]}`, 16))
}
