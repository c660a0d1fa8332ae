import { deleteReplacedKeys, listDataKeys } from '../store/data-keys.ts'
import { advancePass, findPasses, startPass } from '../store/sealing-passes.ts'
import type { PassRow } from '../store/sealing-passes.ts'
import type { RuntimeDeps } from '../deps/runtime-deps.ts'
import { SEALED_TABLES } from './sealed-tables.ts'
import type { SealedTable } from './sealed-tables.ts'

export interface ResealOptions {
  /**
   * How long a data key may be in use after it was replaced: by a disconnected replica, and for the digests of
   * requests, which are kept for a day.
   */
  graceMs: number
  /** Rows per page. */
  pageRows: number
  /** Milliseconds between two pages, so that other work gets its share of the database. */
  restMs: number
}

const HOURS = 60 * 60_000
const DEFAULTS: ResealOptions = { graceMs: 26 * HOURS, pageRows: 100, restMs: 20 }

/**
 * Reseals everything in the database that is not sealed with the current data key: after a rotation, and data from
 * before sealing existed. When no replica uses an earlier key anymore, a second pass finds what was written in
 * between; then the earlier keys are deleted. Any replica continues where another one stopped.
 */
export async function resealAll(
  deps: Pick<RuntimeDeps, 'db' | 'vault' | 'log' | 'clock'>,
  stopped: AbortSignal,
  options: Partial<ResealOptions> = {},
): Promise<void> {
  const { db, vault, log } = deps
  const { graceMs, ...pace } = { ...DEFAULTS, ...options }
  const keys = await listDataKeys(db)
  const current = keys.find(({ replacedAt }) => replacedAt === null)
  if (current === undefined || current.id !== vault.currentKeyId()) return vault.learn(db)
  const key = { dataKeyId: current.id, keyMadeAt: current.createdAt, graceMs }
  for (const table of SEALED_TABLES) {
    await startPass(db, { table: table.name, ...key })
    await walk(deps, table, key, stopped, pace)
    if (stopped.aborted) return
  }
  const passes = await findPasses(db, key)
  const isClean = SEALED_TABLES.every(({ name }) => isLastPass(passes.get(name), current.id))
  const forgotten = isClean && keys.length > 1 ? await deleteReplacedKeys(db, current.id) : []
  if (forgotten.length > 0) log.info('replaced data keys were deleted', { keys: forgotten.join(' ') })
}

function isLastPass(pass: PassRow | undefined, dataKeyId: number): boolean {
  return (
    pass !== undefined &&
    pass.data_key_id === dataKeyId &&
    pass.finished_at !== null &&
    pass.began_after_grace &&
    pass.unopened === 0
  )
}

async function walk(
  deps: Pick<RuntimeDeps, 'db' | 'vault' | 'log' | 'clock'>,
  table: SealedTable,
  key: { dataKeyId: number; keyMadeAt: string; graceMs: number },
  stopped: AbortSignal,
  { pageRows, restMs }: Omit<ResealOptions, 'graceMs'>,
): Promise<void> {
  while (!stopped.aborted) {
    const pass = (await findPasses(deps.db, key)).get(table.name)
    // a pass with a later key has started elsewhere: this one is obsolete
    if (pass === undefined || pass.data_key_id !== key.dataKeyId || pass.finished_at !== null) return
    const { last, unopened } = await table.resealPage(deps, pass.last_row, pageRows)
    await advancePass(
      deps.db,
      { table: table.name, dataKeyId: key.dataKeyId, from: pass.last_row },
      { to: last, unopened },
    )
    if (last !== null) await deps.clock.sleep(restMs, stopped).catch(() => undefined)
  }
}
