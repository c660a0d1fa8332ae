import type { Entry, History, Register } from './history.ts'

/**
 * Whether there is an order of the entries, each between its call and its answer, in which a single register would have
 * answered just so (Wing and Gong, with Lowe's memory of what was tried). Unknown ones may be anywhere after their call, or
 * nowhere. Answers null, or the entries that stood where no order went any further.
 */
export function findBreach({ start, entries }: History): Entry[] | null {
  const relevant = entries
    .filter(({ call, result }) => result.kind !== 'unknown' || call.kind === 'save')
    .toSorted((a, b) => a.called - b.called)
  const tried = new Set<string>()
  let furthest = { done: -1, stuck: [] as Entry[] }

  const search = (register: Register, done: ReadonlySet<Entry>): boolean => {
    // what leaves the register as it is can only be better off the sooner it is placed
    const { placed, candidates } = placeUnchanging(register, done)
    if (relevant.every((entry) => placed.has(entry) || entry.result.kind === 'unknown')) return true
    const state = `${keyOf(relevant, placed)} ${register.version} ${JSON.stringify(register.values)}`
    if (tried.has(state)) return false
    tried.add(state)
    if (placed.size > furthest.done) furthest = { done: placed.size, stuck: candidates }
    return candidates.some((entry) => {
      const next = change(register, entry)
      return next !== null && search(next, new Set([...placed, entry]))
    })
  }

  const placeUnchanging = (register: Register, done: ReadonlySet<Entry>) => {
    const placed = new Set(done)
    for (;;) {
      const candidates = candidatesAmong(relevant, placed)
      const fitting = candidates.filter((entry) => leavesAsIs(register, entry))
      if (fitting.length === 0) return { placed, candidates }
      for (const entry of fitting) placed.add(entry)
    }
  }

  return search(start, new Set()) ? null : furthest.stuck
}

/** Those that may come next: nothing that is left was answered before they were called. */
function candidatesAmong(entries: readonly Entry[], placed: ReadonlySet<Entry>): Entry[] {
  const left = entries.filter((entry) => !placed.has(entry))
  const firstAnswer = Math.min(...left.map(({ returned }) => returned))
  return left.filter(({ called }) => called <= firstAnswer)
}

/** Whether the entry could have its answer now, and changes nothing. */
function leavesAsIs({ version, values }: Register, { call, result }: Entry): boolean {
  if (call.kind === 'read')
    return (
      result.kind === 'read' && result.seen.version === version && isSameValues(result.seen.values, values)
    )
  if (result.kind === 'stale') return call.base !== version
  // an owner is held by a save before, so one of the values is no longer the first
  if (result.kind === 'claimed')
    return call.base === version && Object.keys(call.sets).some((key) => values[key] !== undefined)
  return false
}

/** The register after the entry, where it could have its answer now and changes something. */
function change({ version, values }: Register, { call, result }: Entry): Register | null {
  if (call.kind === 'read' || call.base !== version) return null
  const isTaken = result.kind === 'saved' ? result.version === version + 1 : result.kind === 'unknown'
  return isTaken ? { version: version + 1, values: { ...values, ...call.sets } } : null
}

function isSameValues(a: Register['values'], b: Register['values']): boolean {
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key])
}

function keyOf(entries: readonly Entry[], placed: ReadonlySet<Entry>): string {
  return entries.map((entry) => (placed.has(entry) ? '1' : '0')).join('')
}
