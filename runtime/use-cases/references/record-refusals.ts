import { isUnavailable } from '#database/unreachable.ts'
import { createTokenBuckets } from '#http-kit/token-bucket.ts'
import type { RuntimeDeps } from '../../deps/runtime-deps.ts'
import { REFUSALS_OF_SERVICES, addRefusals } from '../../store/plugins/refusals.ts'
import type { RefusedRead } from '../../store/plugins/refusals.ts'

/** A refusal that repeats within this time is counted, and written with the next one. */
const QUIET_MS = 500
/** Remembered kinds of refusals of one plugin, which can invent more. */
const RECENT_MAX = 200
/** Writes of one plugin, so that it silences no other one. */
const WRITES = { perSecond: 10, burst: 100 }

interface Recent {
  at: number
  /** How many since. */
  more: number
  written: Promise<void>
}

/**
 * Returns a function that records a refused call of a plugin. It resolves when the record is committed, so that a worker finds it
 * when the plugin passes the refusal on. It never fails, and a plugin that repeats a refused call costs few writes. If a service
 * fails more installations than can have rows of their own, one row stands for all.
 */
export function refusalRecorder({
  db,
  clock,
  log,
}: Pick<RuntimeDeps, 'db' | 'clock' | 'log'>): (refused: RefusedRead) => Promise<void> {
  const recentOf = new Map<string, Map<string, Recent>>()
  const budget = createTokenBuckets(WRITES, () => clock.monotonic())

  async function record(refused: RefusedRead): Promise<void> {
    const key = kindOf(refused)
    const recent = recentOf.get(refused.pluginId) ?? new Map<string, Recent>()
    recentOf.set(refused.pluginId, recent)
    const now = clock.monotonic()
    const last = recent.get(key)
    if (last !== undefined && now - last.at < QUIET_MS) {
      last.more++
      return last.written
    }
    const { pluginId, rule, place } = refused
    // what names no place cannot be invented: it does not wait for what can be
    if (!budget.take(JSON.stringify([pluginId, place === null]))) {
      if (place !== null && REFUSALS_OF_SERVICES.includes(rule)) await record({ ...refused, place: null })
      return
    }
    recent.delete(key)
    if (recent.size >= RECENT_MAX) recent.delete(recent.keys().next().value ?? '')
    const written = write(refused, 1 + (last?.more ?? 0))
    recent.set(key, { at: now, more: 0, written })
    await written
  }

  async function write(refused: RefusedRead, refusals: number): Promise<void> {
    try {
      await addRefusals(db, refused, refusals)
    } catch (error) {
      // the next one is written at once
      recentOf.get(refused.pluginId)?.delete(kindOf(refused))
      // the caller gets its refusal, whether or not the database can be written to
      if (!isUnavailable(error))
        log.warn('a refused call could not be recorded', { pluginId: refused.pluginId }, error)
    }
  }
  return record
}

/** Without the resource and the property, which a plugin can invent, and which do not decide what a failure says. */
const kindOf = ({ pluginId, endpoint, rule, serviceId, place }: RefusedRead): string =>
  JSON.stringify([pluginId, endpoint, rule, serviceId, place?.bundleInstallId ?? null])
