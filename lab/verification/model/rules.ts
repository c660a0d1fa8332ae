import { PLUGINS, TEXT_MAX, versionOf } from './bundles.ts'
import type { Property, Value } from './bundles.ts'
import { isSame, required, splitKey, valuesOf } from './state.ts'
import type { Model, ModelInstallation, ModelOperation, Values } from './state.ts'

// The order of the checks and the effect of each command, written from the rules and not from the runtime. Each
// function returns the correct codes: one, or several if problems of one kind may be reported in any order.

/** `place property` → value; null removes it. */
export type Given = ReadonlyMap<string, Value | null>
export type Codes = readonly string[]
const DONE: Codes = ['0']

export const PROTECTED = 'instanceRefProperty'
/** The service that the scope may use; it may use no other. */
export const SERVICE = 'events'

export interface InstallCommand {
  bundle: string
  version: string
  given: Given
  copyFrom: number | null
}

/** The ids that the runtime assigned to what an accepted command created. */
export type CreatedIds = { installation?: string; operations: readonly string[] }
export interface Ruling {
  codes: Codes
  /** Applies the command to the model; called once the runtime is known to have accepted it. */
  effect?: (ids: CreatedIds) => void
}
const refuse = (...codes: string[]): Ruling => ({ codes })

export function install(model: Model, { bundle, version, given, copyFrom }: InstallCommand): Ruling {
  if (namesProtected(given)) return refuse('PROPERTY_PROTECTED')
  if (!model.published.has(`${bundle} ${version}`)) return refuse('NOT_FOUND')
  const seed = copyFrom === null ? null : required(model.installations[copyFrom])
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
      const empty = { resources: new Map(), applied: new Map(), claim: null }
      const created = { ...empty, id, bundle, state: 'NOT_INSTALLED', version: null, sequence: 0 } as const
      model.installations.push({ ...created, last: new Map(planned) })
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

/** A value that was sensitive is not copied to a property that is not. */
function seedOf(seed: ModelInstallation | null, key: string, property: Property): Value | undefined {
  if (seed === null) return undefined
  return splitKey(key).property === 'secret' && property.isSensitive !== true ? undefined : seed.last.get(key)
}

export interface SaveCommand {
  base: number
  given: Given
}

export function save(model: Model, { base, given }: SaveCommand): Ruling {
  if (model.snapshot === null) return refuse('NOT_FOUND')
  if (namesProtected(given)) return refuse('PROPERTY_PROTECTED')
  if (base !== model.snapshot) return refuse('CONFIGURATION_SNAPSHOT_STALE')
  const changed = [...given].filter(([key, value]) => !isSame(value, model.configuration.get(key)))
  if (changed.length === 0) return { codes: DONE, effect: () => {} }

  const owners = new Set<ModelInstallation>()
  const problems: string[] = []
  for (const [key, value] of changed) {
    const { place } = splitKey(key)
    const owner = model.installations.find(
      ({ state, resources }) => state === 'ACTIVE' && resources.has(place),
    )
    if (owner === undefined) return refuse('RESOURCE_OWNERSHIP_MISSING')
    owners.add(owner)
    problems.push(...check(key, value, owner.bundle, required(owner.resources.get(place))))
  }
  if (problems.length > 0) return refuse(...problems)
  const claims = [...owners].flatMap(({ claim }) => (claim === null ? [] : [claimCode(model, claim)]))
  if (claims.length > 0) return refuse(...claims)
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
        const version = required(owner.version ?? undefined)
        start(model, model.installations.indexOf(owner), {
          id: operations[index] ?? '',
          type: 'CONFIGURE',
          target: version,
          plugins: [...versionOf(owner.bundle, version).plugins],
          planned: valuesOf(model.configuration, owner.bundle),
          resources: new Map(owner.resources),
        })
      }
    },
  }
}

export interface UpgradeCommand {
  installation: number
  version: string
  given: Given
  /** Null where no values are given. */
  base: number | null
}

export function upgrade(model: Model, { installation: index, version, given, base }: UpgradeCommand): Ruling {
  const installation = required(model.installations[index])
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
    [...installation.resources].flatMap(([place, at]) =>
      [...definitions(bundle, at)].filter(([key]) => splitKey(key).place === place),
    ),
  )
  const planned: Values = new Map()
  const problems: string[] = []
  for (const [key, property] of definitions(bundle, version)) {
    const before = earlier.get(key)
    const current = model.configuration.get(key)
    const isForeign = property.writer !== undefined
    const mayKeep = before !== undefined && (before.isSensitive !== true || property.isSensitive === true)
    const isNew = before === undefined || property.isRequired === true
    const previous = mayKeep && current !== undefined ? current : undefined
    const fallback = !isForeign && isNew ? property.fallback : undefined
    const value = given.has(key) ? given.get(key) : (previous ?? fallback)
    if (value !== undefined && value !== null) planned.set(key, value)
    else if (property.isRequired && !isForeign) problems.push('PROPERTY_INVALID')
    if (isForeign && given.get(key) === null) problems.push('PROPERTY_INVALID')
  }
  for (const [key, value] of given) if (value !== null) problems.push(...check(key, value, bundle, version))
  if (problems.length > 0) return refuse(...problems)
  const both = new Set([
    ...plugins,
    ...versionOf(bundle, required(installation.version ?? undefined)).plugins,
  ])
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

export function detach(model: Model, index: number): Ruling {
  const installation = required(model.installations[index])
  const unready = notReady(model, installation)
  if (unready !== null) return unready
  const version = required(installation.version ?? undefined)
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

export function retry(model: Model, index: number, run: number): Ruling {
  const operation = required(model.operations[index])
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

export function takeOver(model: Model, index: number, run: number): Ruling {
  const operation = required(model.operations[index])
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

type NewOperation = Pick<ModelOperation, 'id' | 'type' | 'target' | 'plugins' | 'planned' | 'resources'>

function start(model: Model, index: number, operation: NewOperation & { takesOver?: number }): void {
  const installation = required(model.installations[index])
  model.operations.push({
    takesOver: null,
    ...operation,
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

/** The claim is checked before the state: a client that has to wait for an operation learns which one. */
function notReady(model: Model, { claim, state }: ModelInstallation): Ruling | null {
  if (claim !== null) return refuse(claimCode(model, claim))
  return state === 'ACTIVE' ? null : refuse('INSTALLATION_NOT_ACTIVE')
}

function claimCode(model: Model, claim: number): string {
  return required(model.operations[claim]).state === 'FAILED'
    ? 'OPERATION_CLAIM_HELD'
    : 'OPERATION_IN_PROGRESS'
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
