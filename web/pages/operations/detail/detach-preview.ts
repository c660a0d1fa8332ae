import type { Row, Timeline } from './timeline.ts'
import type { Verdict } from './verdict.ts'

export type PreviewedCall = {
  pluginId: string
  order: number
  /** The result of its last call in the operation that is taken over, in either stage. */
  last: { result: 'NOT_CALLED' | Verdict }
}

/** The plugins that a DETACH will call, in its order: descending, and by name within an order. */
export function detachPreview({ before, after }: Timeline): PreviewedCall[] {
  const calls = new Map<string, PreviewedCall>()
  for (const row of [...before.rows, ...after.rows]) {
    const known = calls.get(row.pluginId)
    if (!known || row.bars.length > 0) calls.set(row.pluginId, toCall(row))
  }
  return [...calls.values()].sort(
    (a, b) => b.order - a.order || (a.pluginId < b.pluginId ? -1 : a.pluginId > b.pluginId ? 1 : 0),
  )
}

const toCall = ({ pluginId, order, result }: Row): PreviewedCall => ({ pluginId, order, last: { result } })
