import type { Row, Timeline } from './timeline.ts'
import type { Verdict } from './verdict.ts'

export type RehearsedCall = {
  pluginId: string
  order: number
  /** How its last call of the operation that is given up ended, whichever stage that was. */
  last: { result: 'NOT_CALLED' | Verdict }
}

/** The plugins that a DETACH will call, in its order: descending, equal ones by name. */
export function rehearsal({ before, after }: Timeline): RehearsedCall[] {
  const calls = new Map<string, RehearsedCall>()
  for (const row of [...before.rows, ...after.rows]) {
    const known = calls.get(row.pluginId)
    if (!known || row.bars.length > 0) calls.set(row.pluginId, toCall(row))
  }
  return [...calls.values()].sort(
    (a, b) => b.order - a.order || (a.pluginId < b.pluginId ? -1 : a.pluginId > b.pluginId ? 1 : 0),
  )
}

const toCall = ({ pluginId, order, result }: Row): RehearsedCall => ({ pluginId, order, last: { result } })
