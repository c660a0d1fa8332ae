import { Cron } from 'croner'
import { offsetIn } from '../../../i18n/zone.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/** A run of a schedule in its time zone. */
export interface Run {
  /** The local time, as the time in UTC with the same fields. */
  local: number
  /** How far that is ahead of UTC, in minutes, on a day on which it changes; else null. */
  offset: number | null
}

/** A time of the schedule that the clocks of its zone skip, or show twice. */
export type Irregularity =
  | {
      kind: 'missing'
      local: number
      /** When it runs instead; null if it does not. */
      instead: number | null
    }
  | {
      kind: 'twice'
      local: number
      /** Whether it runs both times. */
      isBoth: boolean
    }

const SHOWN = 3
/** How many times of the schedule are checked for irregularities: enough for those between the shown runs. */
const CHECKED = 40

/** The next runs of a schedule after a moment, and what is irregular until the last of them. */
export function nextRuns(
  text: string,
  zone: string,
  now: number,
): { runs: Run[]; irregular: Irregularity[] } {
  const offset = offsetIn(zone)
  const localOf = (at: number) => at + offset(at) * MINUTE
  const all = new Cron(text, { timezone: zone, paused: true }).nextRuns(2 * SHOWN, new Date(now))
  const locals = all.map((at) => localOf(at.getTime()))
  const runs = all.slice(0, SHOWN).map((at) => ({
    local: localOf(at.getTime()),
    offset: changesOn(localOf(at.getTime()), offset) ? offset(at.getTime()) : null,
  }))
  const until = runs.at(-1)?.local ?? localOf(now)
  const times = scheduledTimes(text, localOf(now), until)
  const irregular = times.flatMap((local): Irregularity[] => {
    const count = momentsOf(local, offset).length
    if (count === 2)
      return [{ kind: 'twice', local, isBoth: locals.filter((run) => run === local).length === 2 }]
    if (count === 1) return []
    const instead = locals.find((run) => run > local && run - local < DAY / 4)
    return [
      { kind: 'missing', local, instead: instead === undefined || times.includes(instead) ? null : instead },
    ]
  })
  return { runs, irregular: firstOfDays(irregular) }
}

/** The times that a schedule names, as if clocks never changed. */
function scheduledTimes(text: string, from: number, until: number): number[] {
  // a schedule for every hour means no certain one
  if (text.trim().split(/\s+/)[1]?.startsWith('*') === true) return []
  return new Cron(text, { timezone: 'UTC', paused: true })
    .nextRuns(CHECKED, new Date(from))
    .map((at) => at.getTime())
    .filter((local) => local <= until)
}

/** The moments at which clocks show a local time: usually one, none in a gap, two where an hour is repeated. */
function momentsOf(local: number, offset: (at: number) => number): number[] {
  const offsets = new Set([offset(local - DAY), offset(local + DAY)])
  return [...offsets]
    .map((ahead) => local - ahead * MINUTE)
    .filter((at) => at + offset(at) * MINUTE === local)
}

/** Whether the offset changes on the day of a local time. */
function changesOn(local: number, offset: (at: number) => number): boolean {
  const start = Math.floor(local / DAY) * DAY
  const at = (time: number) => offset(time - offset(time) * MINUTE)
  return at(start) !== at(start + DAY)
}

/** One of a kind for each day is enough. */
function firstOfDays(irregular: readonly Irregularity[]): Irregularity[] {
  const days = new Map(
    irregular.toReversed().map((one) => [`${one.kind} ${Math.floor(one.local / DAY)}`, one]),
  )
  return [...days.values()].toReversed()
}
