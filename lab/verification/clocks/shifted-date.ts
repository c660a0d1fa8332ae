import { readFileSync } from 'node:fs'

// Loaded before a program, whose wall clock is then wrong by the milliseconds in a file. Monotonic time and timers stay right, as they
// do when somebody sets the clock of a machine.

export const SHIFT_FILE_VARIABLE = 'CLOCK_SHIFT_FILE'

const file = process.env[SHIFT_FILE_VARIABLE] ?? ''
let shiftMs = 0
const read = (): void => {
  // the file may be replaced at this moment
  const next = Number(readFileSync(file, 'utf8'))
  if (Number.isFinite(next)) shiftMs = next
}
if (file !== '') {
  read()
  setInterval(read, 20).unref()
}

const RightDate = Date
const now = (): number => RightDate.now() + shiftMs

globalThis.Date = new Proxy(RightDate, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget) as Date,
  apply: () => new RightDate(now()).toString(),
  get: (target, key, receiver) => (key === 'now' ? now : (Reflect.get(target, key, receiver) as unknown)),
})
