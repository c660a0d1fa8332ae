import type { RuntimeDeps } from '../../deps/runtime-deps.ts'
import { addReads } from '../../store/plugins/reads.ts'
import type { AnsweredReads } from '../../store/plugins/reads.ts'

/** Reads are written together after this time: one statement costs less than one for each. */
const WRITE_AFTER_MS = 2_000
/**
 * Rows of one plugin in a minute: reads of further places stand for all installations. So a plugin fills no table and takes no row from
 * another plugin, nor from a place that has one.
 */
const PLACES_MAX = 200

/**
 * Returns a function that counts an answered read of a plugin, for the list of its calls. It neither waits nor fails. What was
 * counted last is lost if the process ends, or the database is not available, before it is written.
 */
export function readCounter({
  db,
  clock,
  log,
}: Pick<RuntimeDeps, 'db' | 'clock' | 'log'>): (
  read: Pick<AnsweredReads, 'pluginId' | 'endpoint' | 'place'>,
) => void {
  const pending = new Map<string, AnsweredReads>()
  const places = new Map<string, { minute: string; known: Set<string> }>()

  function hasRow(pluginId: string, minute: string, place: string): boolean {
    const last = places.get(pluginId)
    const { known } = last?.minute === minute ? last : { known: new Set<string>() }
    places.set(pluginId, { minute, known })
    if (known.size < PLACES_MAX) known.add(place)
    return known.has(place)
  }

  async function write(): Promise<void> {
    const reads = [...pending.values()]
    pending.clear()
    try {
      await addReads(db, reads)
    } catch (error) {
      // a list that lacks them is no reason to refuse a plugin what it reads
      log.debug('reads of plugins could not be recorded', { error: String(error) })
    }
  }

  return ({ pluginId, endpoint, place }) => {
    const lastAt = clock.now().toISOString()
    const minute = lastAt.slice(0, 'YYYY-MM-DDTHH:MM'.length)
    const known = place !== null && hasRow(pluginId, minute, JSON.stringify([endpoint, place])) ? place : null
    const { bundleInstallId = null, resource = null, property = null } = known ?? {}
    const key = JSON.stringify([pluginId, endpoint, bundleInstallId, resource, property, minute])
    const calls = (pending.get(key)?.calls ?? 0) + 1
    // the timer must not keep the process alive
    if (pending.size === 0) setTimeout(() => void write(), WRITE_AFTER_MS).unref()
    pending.set(key, { pluginId, endpoint, place: known, calls, lastAt })
  }
}
