import { isDeepStrictEqual } from 'node:util'

// Concurrent clients read and save one register, whose saves are compare-and-sets on its version. Versions give the order
// of the accepted saves, so nothing has to be searched: the responses only have to fit that order, and the time in which
// each request was in flight.

export type Values = Readonly<Record<string, string>>

export interface Register {
  version: number
  values: Values
}

export interface Entry {
  client: number
  /** The version that a save was based on; null for a read. */
  base: number | null
  /** The values that a save sets. Every save sets a unique value, which identifies it; a read sets nothing. */
  sets: Values
  result: Result
  calledAt: number
  /** Infinity if no response arrived: the request may be executed at any time, or never. */
  answeredAt: number
}

export type Result =
  | { kind: 'read'; register: Register }
  | { kind: 'saved'; version: number }
  /** Rejected: another save was made on the same base. */
  | { kind: 'stale' }
  /** Rejected: an operation of an earlier save holds the claim of an owner. */
  | { kind: 'claimed' }
  | { kind: 'unknown' }

export interface History {
  start: Register
  /** What each save after `start` set, in the order of the versions. */
  saves: readonly Values[]
  entries: readonly Entry[]
}

/** All contradictions between the responses and every order of the requests. */
export function findViolations({ start, saves, entries }: History): string[] {
  const breaches: string[] = []
  const made = new Map<Entry, number>()
  const contents: Values[] = [start.values]
  for (const [index, sets] of saves.entries()) {
    const version = start.version + index + 1
    contents.push({ ...contents[index], ...sets })
    const save = entries.find(({ base, sets: own }) => base !== null && tokenOf(own) === tokenOf(sets))
    if (save === undefined) breaches.push(`no client saved version ${version}`)
    else if (made.has(save)) breaches.push(`${describe(save)} also created version ${version}`)
    else if (save.base !== version - 1) breaches.push(`${describe(save)} created version ${version}`)
    else made.set(save, version)
  }
  for (const entry of entries) {
    const problem = problemOf(entry, made.get(entry), (version) => contents[version - start.version])
    if (problem !== null) breaches.push(`${describe(entry)}: ${problem}`)
  }
  const placed = entries.map((entry) => ({ entry, ...positionOf(entry, made.get(entry)) }))
  for (const later of placed)
    for (const earlier of placed)
      if (earlier.entry.answeredAt < later.entry.calledAt && earlier.min > later.max)
        breaches.push(`${describe(later.entry)} came after ${describe(earlier.entry)}`)
  return breaches
}

function problemOf(
  { base, sets, result }: Entry,
  made: number | undefined,
  contentOf: (version: number) => Values | undefined,
): string | null {
  switch (result.kind) {
    case 'read':
      return isDeepStrictEqual(contentOf(result.register.version), result.register.values)
        ? null
        : `the version contains ${JSON.stringify(contentOf(result.register.version))}`
    case 'saved':
      return made === result.version ? null : `the save created version ${made}`
    case 'stale':
      if (made !== undefined) return `the refused save created version ${made}`
      return contentOf((base ?? 0) + 1) === undefined ? 'no save followed on its base' : null
    case 'claimed': {
      if (made !== undefined) return `the refused save created version ${made}`
      // a claim is that of an earlier save of the owner, so one of the values was set before
      const content = contentOf(base ?? 0) ?? {}
      return Object.keys(sets).some((key) => key in content) ? null : 'no save holds a claim'
    }
    case 'unknown':
      return null
  }
}

/** The version range in which a request was executed: a save of version 5 at 4.5, a read of it at 5. */
function positionOf({ base, result }: Entry, made: number | undefined): { min: number; max: number } {
  const at = (position: number) => ({ min: position, max: position })
  if (made !== undefined) return at(made - 0.5)
  switch (result.kind) {
    case 'read':
      return at(result.register.version)
    case 'claimed':
      return at(base ?? 0)
    case 'stale':
      // after the next save
      return { min: (base ?? 0) + 0.75, max: Infinity }
    case 'saved':
    case 'unknown':
      return { min: -Infinity, max: Infinity }
  }
}

const tokenOf = (sets: Values): string | undefined => Object.values(sets)[0]

export function describe({ client, base, result }: Entry): string {
  const request = base === null ? 'read' : `save on ${base}`
  const version =
    result.kind === 'read' ? result.register.version : result.kind === 'saved' ? result.version : null
  return `${request} of client ${client} (${version === null ? result.kind : `version ${version}`})`
}
