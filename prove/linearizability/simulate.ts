import type { SeededRandom } from '../seeded-random.ts'
import type { Call, Entry, History, Register, Result } from './history.ts'

/**
 * What is wrong with the simulated register: `lost-cas` takes a save whose base somebody saved on meanwhile, `forgotten`
 * answers a save that it does not keep, `old-read` shows what was there before a save that was answered already,
 * `false-stale` refuses a save that was on top.
 */
export const FAULTS = ['lost-cas', 'forgotten', 'old-read', 'false-stale'] as const
export type Fault = (typeof FAULTS)[number]

const CLIENTS = 5
const CALLS = 7
const UNKNOWN = 0.08
const START: Register = { version: 1, values: {} }

interface Running {
  client: number
  call: Call
  called: number
  happens: number
  returned: number
}

/**
 * A history of clients at a register that takes each call at one moment between call and answer. With a fault exactly one
 * call goes wrong, in a way that no order can explain; answers null where chance gave no occasion for it.
 */
export function simulate(random: SeededRandom, fault: Fault | null): History | null {
  const entries: Entry[] = []
  const known = Array.from({ length: CLIENTS }, () => START.version)
  const calls = Array.from({ length: CLIENTS }, () => CALLS)
  const running: Running[] = []
  let register = START
  let before = START
  let beforeAnswered = 0
  let isPlanted = fault === null
  const planted: Entry[] = []
  const unknown = fault === 'forgotten' ? 0 : UNKNOWN
  let saves = 0

  const begin = (client: number, now: number): void => {
    calls[client] = (calls[client] ?? 0) - 1
    const called = now + random.fraction()
    const happens = called + random.fraction()
    const call: Call = random.chance(0.4)
      ? { kind: 'read' }
      : { kind: 'save', base: known[client] ?? 1, sets: { [random.pick(['a', 'b'])]: `v${++saves}` } }
    running.push({ client, call, called, happens, returned: happens + random.fraction() })
  }
  const happen = ({ client, call, called, returned }: Running): void => {
    let result: Result
    const wrong = !isPlanted
    if (call.kind === 'read') {
      const isOld = wrong && fault === 'old-read' && register !== before && beforeAnswered < called
      isPlanted ||= isOld
      result = { kind: 'read', seen: isOld ? before : register }
    } else {
      const { version } = register
      const isCurrent = call.base === version
      if (wrong && fault === 'lost-cas' && call.base === version - 1 && beforeAnswered < Infinity) {
        isPlanted = true
        register = { version, values: { ...register.values, ...call.sets } }
        result = { kind: 'saved', version }
      } else if (wrong && fault === 'false-stale' && isCurrent) {
        isPlanted = true
        result = { kind: 'stale' }
      } else if (wrong && fault === 'forgotten' && isCurrent) {
        isPlanted = true
        result = { kind: 'saved', version: version + 1 }
      } else if (isCurrent) {
        before = register
        register = { version: version + 1, values: { ...register.values, ...call.sets } }
        beforeAnswered = returned
        result = { kind: 'saved', version: version + 1 }
      } else result = { kind: 'stale' }
    }
    const isFaulty = wrong && isPlanted
    const isLost = !isFaulty && call.kind === 'save' && random.chance(unknown)
    if (isLost) {
      beforeAnswered = Infinity
      entries.push({ client, call, called, result: { kind: 'unknown' }, returned: Infinity })
    } else {
      // what a client is told it goes on from; others it must guess
      if (result.kind === 'saved') known[client] = result.version
      else if (result.kind === 'read') known[client] = result.seen.version
      else if (random.chance(0.7)) known[client] = register.version
      const entry = { client, call, called, result, returned }
      if (isFaulty) planted.push(entry)
      entries.push(entry)
    }
    if ((calls[client] ?? 0) > 0) begin(client, returned)
  }

  for (let client = 0; client < CLIENTS; client++) begin(client, 0)
  for (;;) {
    const next = running.toSorted((a, b) => a.happens - b.happens)[0]
    if (next === undefined) break
    running.splice(running.indexOf(next), 1)
    happen(next)
  }
  // whoever looks at the end sees all that was kept
  const end = Math.max(...entries.map(({ returned }) => (returned === Infinity ? 0 : returned))) + 100
  entries.push({
    client: 0,
    call: { kind: 'read' },
    called: end,
    result: { kind: 'read', seen: register },
    returned: end + 1,
  })
  const isClean = fault === null
  const [wrong] = planted
  return isClean || (wrong !== undefined && isSure(wrong, entries, fault)) ? { start: START, entries } : null
}

/** Whether no unknown or simultaneous save can be what explains the planted entry. */
function isSure(planted: Entry, entries: readonly Entry[], fault: Fault): boolean {
  const { call } = planted
  if (call.kind === 'read' || fault === 'lost-cas') return true
  const others = entries.filter((entry) => entry !== planted && entry.call.kind === 'save')
  const unknown = others.filter(({ result }) => result.kind === 'unknown')
  if (fault === 'forgotten') return unknown.length === 0
  const makers = others.filter(({ result }) => result.kind === 'saved' && result.version === call.base)
  const rivals = others.filter(
    (other) =>
      other.call.kind === 'save' &&
      other.call.base === call.base &&
      other.result.kind !== 'stale' &&
      other.called < planted.returned,
  )
  return rivals.length === 0 && makers.every(({ returned }) => returned < planted.called)
}
