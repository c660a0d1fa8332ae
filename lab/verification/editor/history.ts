import type { Scope } from '#contract/protocol/scope.ts'
import type { PropertyView } from '#contract/console-api/shapes.ts'
import { mira } from '../../../demo/people.ts'
import type { System } from '../../../e2e/harness/system.ts'
import { FIELDS } from './bundle.ts'
import type { Value } from './values.ts'

const CONFIGURATION = '/scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration' as const

/** A property in a snapshot. Of a sensitive one, only whether it is set is known: its `value` has no meaning. */
export interface SavedValue {
  version: number
  value: Value
}

export interface SavedSnapshot {
  version: number
  savedBy: string
  cause: string
  /** The properties that it changed. */
  properties: string[]
}

/** The saved values, read from the history of the configuration through the API. */
export class History {
  version = 0
  /** Called with each snapshot once, in order. */
  onSnapshot: (snapshot: SavedSnapshot) => void = () => undefined
  private readonly values = new Map<string, SavedValue[]>()
  private readonly system: System
  private readonly scope: Scope

  constructor(system: System, scope: Scope) {
    this.system = system
    this.scope = scope
    for (const { property } of FIELDS) this.values.set(property, [{ version: 0, value: null }])
  }

  /** Reads the snapshots since the last call. */
  async sync(): Promise<void> {
    const { items } = await this.system.call(mira, `GET ${CONFIGURATION}/history`, {
      params: this.scope,
      query: { limit: 50 },
    })
    const fresh = items
      .filter(({ snapshotVersion }) => snapshotVersion > this.version)
      .toSorted((one, other) => one.snapshotVersion - other.snapshotVersion)
    for (const { snapshotVersion: version, savedBy, cause, changes } of fresh) {
      // a concurrent call may have added it
      if (version <= this.version) continue
      for (const { property, after } of changes)
        this.values.get(property)?.push({ version, value: shownValue(after) })
      this.version = version
      const properties = changes.map(({ property }) => property)
      this.onSnapshot({ version, savedBy: savedBy.name, cause, properties })
    }
  }

  now(property: string): SavedValue {
    const known = this.values.get(property)?.at(-1)
    if (known === undefined) throw new RangeError(`there is no property ${property}`)
    return known
  }

  /** The value before a snapshot. */
  before(property: string, version: number): SavedValue | undefined {
    return this.values.get(property)?.findLast((one) => one.version < version)
  }

  /** Every value since a snapshot, oldest first, beginning with the value in that snapshot. */
  since(property: string, version: number): SavedValue[] {
    const all = this.values.get(property) ?? []
    const from = all.findLastIndex((one) => one.version <= version)
    return all.slice(Math.max(0, from))
  }
}

function shownValue(view: PropertyView | null): Value {
  if (view === null) return null
  if (view['@type'] === 'Data' && 'isSensitive' in view)
    return view.isSet ? { '@type': 'Data', value: 'hidden', isSensitive: true } : null
  // a record of `Json` is JSON by its schema
  return view['@type'] === 'Data' ? { '@type': 'Data', value: view.value } : view
}
