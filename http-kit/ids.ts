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
