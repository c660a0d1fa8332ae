import { readServiceAddresses } from '../store/services/services.ts'
import type { Call } from '../model/call.ts'
import type { KnownRegistrations } from './known-registrations.ts'
import type { FrozenPlan } from '../model/plan.ts'
import { needsAddresses } from '../engine/steps/prepare-call.ts'
import type { RegistrationRow } from '../model/registration.ts'
import type { Db } from '../model/db.ts'

/** What deciding needs besides the operations, read once for all that are advanced together. */
export interface SharedInput {
  /** The database's time. */
  now: string
  /** Of the plugins that may be called next. */
  registrations: ReadonlyMap<string, RegistrationRow>
  serviceAddresses: readonly string[]
}

/** Cached registrations may be used only if the write verifies what was decided from them. */
export interface RecallOptions {
  registrations: KnownRegistrations
  mayRecall: boolean
}

/** If no call is left to make, nothing depends on the time or on a plugin. */
const EMPTY_INPUT: SharedInput = {
  now: '1970-01-01T00:00:00.000Z',
  registrations: new Map(),
  serviceAddresses: [],
}

export async function readSharedInput(
  db: Db,
  about: readonly { plan: FrozenPlan; calls: readonly Call[] }[],
  { registrations, mayRecall }: RecallOptions,
): Promise<SharedInput> {
  const open = about.flatMap(({ plan, calls }) =>
    plan.plugins.filter((plugin) =>
      calls.some(({ pluginId, endedWell }) => pluginId === plugin.pluginId && !endedWell),
    ),
  )
  if (open.length === 0) return EMPTY_INPUT
  const needsAnyAddresses = open.some(needsAddresses)
  const pluginIds = [...new Set(open.map(({ pluginId }) => pluginId))]
  const recalled = mayRecall && !needsAnyAddresses ? registrations.recall(pluginIds) : null
  if (recalled !== null) return { now: recalled.now, registrations: recalled.byPlugin, serviceAddresses: [] }
  const [{ now, byPlugin }, serviceAddresses] = await Promise.all([
    registrations.read(db, pluginIds),
    needsAnyAddresses ? readServiceAddresses(db) : [],
  ])
  return { now, registrations: byPlugin, serviceAddresses }
}
