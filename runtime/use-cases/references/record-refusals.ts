import { isUnavailable } from '#database/unreachable.ts'
import { createTokenBuckets } from '#http-kit/token-bucket.ts'
import type { RuntimeDeps } from '../../deps/runtime-deps.ts'
import { addRefusals } from '../../store/plugins/refusals.ts'
import type { RefusedRead } from '../../store/plugins/refusals.ts'

/** A refusal that repeats within this time is counted, and written with the next one. */
const QUIET_MS = 500
/** Remembered kinds of refusals; a plugin can invent more. */
const RECENT_MAX = 1_000
/** Writes of all plugins together: beyond, refusals are not recorded. */
const WRITES = { perSecond: 20, burst: 100 }

/**
 * Returns a function that records a refused call of a plugin. It resolves when the record is committed, so that a worker finds it
 * when the plugin passes the refusal on. It never fails, and a plugin that repeats a refused call costs few writes.
 */
export function refusalRecorder({
  db,
  clock,
  log,
}: Pick<RuntimeDeps, 'db' | 'clock' | 'log'>): (refused: RefusedRead) => Promise<void> {
  const recent = new Map<string, { at: number; more: number }>()
  const budget = createTokenBuckets(WRITES, () => clock.monotonic())
  return async (refused) => {
    const key = JSON.stringify(refused)
    const now = clock.monotonic()
    const last = recent.get(key)
    if (last !== undefined && now - last.at < QUIET_MS) {
      last.more++
      return
    }
    if (!budget.take('all')) return
    recent.delete(key)
    if (recent.size >= RECENT_MAX) recent.delete(recent.keys().next().value ?? '')
    recent.set(key, { at: now, more: 0 })
    try {
      await addRefusals(db, refused, 1 + (last?.more ?? 0))
    } catch (error) {
      // the caller gets its refusal, whether or not the database can be written to
      if (!isUnavailable(error))
        log.warn('a refused call could not be recorded', { pluginId: refused.pluginId }, error)
    }
  }
}
