import { PLUGINS, TEXT_MAX, versionOf } from './bundles.ts'
import type { Property, Value } from './bundles.ts'
import { demand, isSame, splitKey, valuesOf } from './state.ts'
import type { Model, ModelInstallation, ModelOperation, Values } from './state.ts'

// The order of the checks and what each command does, written from the rules and not from the runtime. Each answers the
// codes that are right: one, or several where problems of one kind may stand in any order; `0` has changed the model.

/** `place property` → value; null takes it away. */
export type Given = ReadonlyMap<string, Value | null>
export type Codes = readonly string[]
const DONE: Codes = ['0']

export const PROTECTED = 'instanceRefProperty'
/** The service that the scope may use; any other may not be. */
export const SERVICE = 'events'

export interface InstallCommand {
  bundle: string
  version: string
  given: Given
  copyFrom: number | null
}

/** `names` are the ids that the runtime gave, where it took the command. */
export type Named = { installation?: string; operations: readonly string[] }
/** Called once it is known that the command was taken. */
export type Effect = (named: Named) => void
export interface Ruled {
  codes: Codes
  effect?: Effect
}
const refuse = (...codes: string[]): Ruled => ({ codes })

export function install(model: Model, { bundle, version, given, copyFrom }: InstallCommand): Ruled {
  if (namesProtected(given)) return refuse('PROPERTY_PROTECTED')
  if (!model.published.has(`${bundle} ${version}`)) return refuse('NOT_FOUND')
  const seed = copyFrom === null ? null : demand(model.installations[copyFrom])
  if (seed !== null && (seed.bundle !== bundle || seed.state !== 'DETACHED')) return refuse('REQUEST_INVALID')
  if (model.installations.some((other) => other.bundle === bundle && other.state !== 'DETACHED'))
    return refuse('INSTALLATION_EXISTS')
  const { resources, plugins } = versionOf(bundle, version)
  if (hasUnknown(given, bundle, Object.keys(resources))) return refuse('RESOURCE_OWNERSHIP_MISSING')

  const planned: Values = new Map()
  const problems: string[] = []
  for (const [key, property] of definitions(bundle, version)) {
    const isForeign = property.writer !== undefined
    const fallback = isForeign ? undefined : (seedOf(seed, key, property) ?? property.fallback)
    const value = given.has(key) ? given.get(key) : fallback
    if (value !== undefined && value !== null) planned.set(key, value)
    else if (property.isRequired && !isForeign) problems.push('PROPERTY_INVALID')
  }
  for (const [key, value] of given) if (value !== null) problems.push(...check(key, value, bundle, version))
  for (const [key, value] of planned)
    if (!given.has(key)) problems.push(...check(key, value, bundle, version))
  if (problems.length > 0) return refuse(...problems)
  return {
    codes: DONE,
    effect({ installation: id = '', operations: [operationId = ''] }) {
      model.snapshot ??= 1
      const empty = { ledger: new Map(), applied: new Map(), claim: null }
      const made = { ...empty, id, bundle, state: 'NOT_INSTALLED', version: null, sequence: 0 } as const
      model.installations.push({ ...made, last: new Map(planned) })
      start(model, model.installations.length - 1, {
        id: operationId,
        type: 'INSTALL',
        target: version,
        plugins: [...plugins],
        planned,
        resources: new Map(Object.keys(resources).map((name) => [`${bundle}/${name}`, version])),
      })
    },
  }
}

/** A value that was sensitive there does not become one that is shown. */
function seedOf(seed: ModelInstallation | null, key: string, property: Property): Value | undefined {
  if (seed === null) return undefined
  return splitKey(key).property === 'secret' && property.isSensitive !== true ? undefined : seed.last.get(key)
}

export interface SaveCommand {
  base: number
  given: Given
}

export function save(model: Model, { base, given }: SaveCommand): Ruled {
  if (model.snapshot === null) return refuse('NOT_FOUND')
  if (namesProtected(given)) return refuse('PROPERTY_PROTECTED')
  if (base !== model.snapshot) return refuse('CONFIGURATION_SNAPSHOT_STALE')
  const changed = [...given].filter(([key, value]) => !isSame(value, model.configuration.get(key)))
  if (changed.length === 0) return { codes: DONE, effect: () => {} }

  const owners = new Set<ModelInstallation>()
  const problems: string[] = []
  for (const [key, value] of changed) {
    const { place } = splitKey(key)
    const owner = model.installations.find(({ state, ledger }) => state === 'ACTIVE' && ledger.has(place))
    if (owner === undefined) return refuse('RESOURCE_OWNERSHIP_MISSING')
    owners.add(owner)
    problems.push(...check(key, value, owner.bundle, demand(owner.ledger.get(place))))
  }
  if (problems.length > 0) return refuse(...problems)
  const held = [...owners].flatMap(({ claim }) => (claim === null ? [] : [heldBy(model, claim)]))
  if (held.length > 0) return refuse(...held)
  return {
    codes: DONE,
    effect({ operations }) {
      for (const [key, value] of changed) {
        if (value === null) model.configuration.delete(key)
        else model.configuration.set(key, value)
      }
      model.snapshot = (model.snapshot ?? 0) + 1
      const inOrder = [...owners].toSorted((a, b) => (a.id < b.id ? -1 : 1))
      for (const [index, owner] of inOrder.entries()) {
        const version = demand(owner.version ?? undefined)
        start(model, model.installations.indexOf(owner), {
          id: operations[index] ?? '',
          type: 'CONFIGURE',
          target: version,
          plugins: [...versionOf(owner.bundle, version).plugins],
          planned: valuesOf(model.configuration, owner.bundle),
          resources: new Map(owner.ledger),
        })
      }
    },
  }
}

export interface UpgradeCommand {
  installation: number
  version: string
  given: Given
  /** Null where nothing is given. */
  base: number | null
}

export function upgrade(model: Model, { installation: index, version, given, base }: UpgradeCommand): Ruled {
  const installation = demand(model.installations[index])
  const { bundle } = installation
  if (namesProtected(given)) return refuse('PROPERTY_PROTECTED')
  const unready = notReady(model, installation)
  if (unready !== null) return unready
  if (base !== null && base !== model.snapshot) return refuse('CONFIGURATION_SNAPSHOT_STALE')
  if (version === installation.version) return refuse('REQUEST_INVALID')
  if (!model.published.has(`${bundle} ${version}`)) return refuse('NOT_FOUND')
  const { resources, plugins } = versionOf(bundle, version)
  if (hasUnknown(given, bundle, Object.keys(resources))) return refuse('RESOURCE_OWNERSHIP_MISSING')

  const earlier = new Map(
    [...installation.ledger].flatMap(([place, at]) =>
      [...definitions(bundle, at)].filter(([key]) => splitKey(key).place === place),
    ),
  )
  const planned: Values = new Map()
  const problems: string[] = []
  for (const [key, property] of definitions(bundle, version)) {
    const before = earlier.get(key)
    const standing = model.configuration.get(key)
    const isForeign = property.writer !== undefined
    const mayKeep = before !== undefined && (before.isSensitive !== true || property.isSensitive === true)
    const isNew = before === undefined || property.isRequired === true
    const kept = mayKeep && standing !== undefined ? standing : undefined
    const fallback = !isForeign && isNew ? property.fallback : undefined
    const value = given.has(key) ? given.get(key) : (kept ?? fallback)
    if (value !== undefined && value !== null) planned.set(key, value)
    else if (property.isRequired && !isForeign) problems.push('PROPERTY_INVALID')
    if (isForeign && given.get(key) === null) problems.push('PROPERTY_INVALID')
  }
  for (const [key, value] of given) if (value !== null) problems.push(...check(key, value, bundle, version))
  if (problems.length > 0) return refuse(...problems)
  const both = new Set([...plugins, ...versionOf(bundle, demand(installation.version ?? undefined)).plugins])
  return {
    codes: DONE,
    effect: ({ operations: [id = ''] }) =>
      start(model, index, {
        id,
        type: 'UPGRADE',
        target: version,
        plugins: PLUGINS.filter((name) => both.has(name)),
        planned,
        resources: new Map(Object.keys(resources).map((name) => [`${bundle}/${name}`, version])),
      }),
  }
}

export function detach(model: Model, index: number): Ruled {
  const installation = demand(model.installations[index])
  const unready = notReady(model, installation)
  if (unready !== null) return unready
  const version = demand(installation.version ?? undefined)
  return {
    codes: DONE,
    effect: ({ operations: [id = ''] }) =>
      start(model, index, {
        id,
        type: 'DETACH',
        target: version,
        plugins: [...versionOf(installation.bundle, version).plugins],
        planned: new Map(),
        resources: new Map(),
      }),
  }
}

export function retry(model: Model, index: number, run: number): Ruled {
  const operation = demand(model.operations[index])
  if (operation.state !== 'FAILED' || operation.run !== run) return refuse('OPERATION_NOT_RETRYABLE')
  return {
    codes: DONE,
    effect() {
      operation.run++
      operation.state = 'RUNNING'
      operation.errorCode = null
    },
  }
}

export function takeOver(model: Model, index: number, run: number): Ruled {
  const operation = demand(model.operations[index])
  if (operation.state !== 'FAILED' || operation.run !== run) return refuse('TAKEOVER_NOT_ALLOWED')
  return {
    codes: DONE,
    effect({ operations: [id = ''] }) {
      operation.state = 'TAKEN_OVER'
      start(model, operation.installation, {
        id,
        type: 'DETACH',
        target: operation.target,
        plugins: operation.plugins,
        planned: new Map(),
        resources: new Map(),
        takesOver: index,
      })
    },
  }
}

type Started = Pick<ModelOperation, 'id' | 'type' | 'target' | 'plugins' | 'planned' | 'resources'>

function start(model: Model, index: number, started: Started & { takesOver?: number }): void {
  const installation = demand(model.installations[index])
  model.operations.push({
    takesOver: null,
    ...started,
    installation: index,
    current: installation.version,
    sequence: ++installation.sequence,
    run: 1,
    state: 'RUNNING',
    phase: 'BEFORE_RESOURCES',
    errorCode: null,
    done: new Set(),
    waitsFor: null,
    written: null,
  })
  installation.claim = model.operations.length - 1
}

/** A claim is told before a state: whoever waits for an operation is better helped by its name. */
function notReady(model: Model, { claim, state }: ModelInstallation): Ruled | null {
  if (claim !== null) return refuse(heldBy(model, claim))
  return state === 'ACTIVE' ? null : refuse('INSTALLATION_NOT_ACTIVE')
}

function heldBy(model: Model, claim: number): string {
  return demand(model.operations[claim]).state === 'FAILED' ? 'OPERATION_CLAIM_HELD' : 'OPERATION_IN_PROGRESS'
}

const namesProtected = (given: Given): boolean =>
  [...given.keys()].some((key) => splitKey(key).property === PROTECTED)

function hasUnknown(given: Given, bundle: string, resources: readonly string[]): boolean {
  return [...given.keys()].some((key) =>
    resources.every((name) => splitKey(key).place !== `${bundle}/${name}`),
  )
}

function definitions(bundle: string, version: string): Map<string, Property> {
  return new Map(
    Object.entries(versionOf(bundle, version).resources).flatMap(([name, defined]) =>
      Object.entries(defined).map(([property, found]) => [`${bundle}/${name} ${property}`, found] as const),
    ),
  )
}

/** What is wrong with a value under the definitions of a version. */
function check(key: string, value: Value | null, bundle: string, version: string): string[] {
  const property = definitions(bundle, version).get(key)
  if (property?.writer !== undefined) return ['PROPERTY_INVALID']
  if (value === null) return property?.isRequired ? ['PROPERTY_INVALID'] : []
  if (property === undefined) return ['PROPERTY_INVALID']
  switch (property.type) {
    case 'text':
      return typeof value === 'string' && value.length <= TEXT_MAX ? [] : ['PROPERTY_INVALID']
    case 'count':
      return typeof value === 'number' && Number.isInteger(value) && value >= 1 ? [] : ['PROPERTY_INVALID']
    case 'service':
      if (typeof value !== 'object') return ['PROPERTY_INVALID']
      return value.service === SERVICE ? [] : ['REFERENCE_TARGET_UNAVAILABLE']
  }
}
