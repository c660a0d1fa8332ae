import fc from 'fast-check'
import { BUNDLES, CORE, GATEWAY, PLUGINS } from './bundles.ts'
import type { PluginName, Value } from './bundles.ts'
import { detach, install, PROTECTED, retry, save, SERVICE, takeOver, upgrade } from './rules.ts'
import type { InstallCommand, Ruling, SaveCommand, UpgradeCommand } from './rules.ts'
import { MODES, required } from './state.ts'
import type { Mode, Model } from './state.ts'

/** A random draft: it refers to things by number, and becomes a command if the model has them. */
export interface Draft {
  kind: Command['kind']
  which: number
  bundle: 'crm' | 'plain'
  version: '1' | '2' | '3'
  given: readonly (readonly [string, Value | null])[]
  /** Mostly true: the command names the current snapshot, or the current run. */
  isCurrent: boolean
  /** Mostly true: the command refers to something that it can be applied to. */
  isAimed: boolean
  mode: Mode
  plugin: PluginName
}

export type Command =
  | { kind: 'publish'; bundle: string; version: string; variant: number }
  | ({ kind: 'install' } & InstallCommand)
  | ({ kind: 'save' } & SaveCommand)
  | ({ kind: 'upgrade' } & UpgradeCommand)
  | { kind: 'detach'; installation: number }
  | { kind: 'retry' | 'takeover'; operation: number; run: number }
  | { kind: 'register'; plugin: PluginName; isEnabled: boolean }
  | { kind: 'mode'; plugin: PluginName; mode: Mode }
  | { kind: 'make-credential' }
  | { kind: 'revoke-credential'; credential: number }
  | { kind: 'resolve'; installation: number; credential: number }
  | { kind: 'local-service'; version: number }

const key = (resource: string, property: string, bundle = 'crm'): string =>
  `${bundle}/${resource} ${property}`
const text = fc.constantFrom<Value | null>('a', 'b', 'c', 'd', 'much too long for it', 7, null)
const count = fc.constantFrom<Value | null>(1, 2, 3, 0, null)
const service = fc.constantFrom<Value | null>(
  { service: SERVICE },
  { service: SERVICE },
  { service: 'foreign' },
  null,
)
const change = (weight: number, changed: string, value: fc.Arbitrary<Value | null>) => ({
  weight,
  arbitrary: fc.tuple(fc.constant(changed), value),
})
const changes = fc.oneof(
  change(4, key(CORE, 'name'), text),
  change(2, key(CORE, 'seats'), count),
  change(2, key(CORE, 'secret'), text),
  change(2, key(GATEWAY, 'domain'), text),
  change(4, key(CORE, 'label', 'plain'), text),
  change(1, key(CORE, 'region'), text),
  change(1, key(CORE, 'owner'), text),
  change(1, key(CORE, 'tenant'), text),
  change(3, key(CORE, 'publisher'), service),
  change(1, key(CORE, 'nothing'), text),
  change(1, key('AGENT/gone', 'x'), text),
  change(1, key(CORE, PROTECTED), fc.constant<Value>('mine')),
)

const KINDS: readonly { weight: number; kind: Command['kind'] }[] = [
  { weight: 2, kind: 'publish' },
  { weight: 6, kind: 'install' },
  { weight: 12, kind: 'save' },
  { weight: 6, kind: 'upgrade' },
  { weight: 4, kind: 'detach' },
  { weight: 5, kind: 'retry' },
  { weight: 5, kind: 'takeover' },
  { weight: 3, kind: 'register' },
  { weight: 8, kind: 'mode' },
  { weight: 1, kind: 'make-credential' },
  { weight: 1, kind: 'revoke-credential' },
  { weight: 4, kind: 'resolve' },
  { weight: 2, kind: 'local-service' },
]
const mostly = fc.integer({ min: 0, max: 9 }).map((number) => number > 1)

export function drafts(
  kinds: readonly Command['kind'][] = KINDS.map(({ kind }) => kind),
): fc.Arbitrary<Draft> {
  const weighed = KINDS.filter(({ kind }) => kinds.includes(kind))
  return fc.record({
    kind: fc.oneof(...weighed.map(({ weight, kind }) => ({ weight, arbitrary: fc.constant(kind) }))),
    which: fc.nat(20),
    bundle: fc.constantFrom('crm' as const, 'crm' as const, 'plain' as const),
    version: fc.constantFrom('1' as const, '1' as const, '2' as const, '3' as const),
    given: fc.array(changes, { minLength: 1, maxLength: 3 }),
    isCurrent: mostly,
    isAimed: mostly,
    mode: fc.oneof(
      { weight: 5, arbitrary: fc.constant('ok' as const) },
      { weight: 5, arbitrary: fc.constantFrom(...MODES) },
    ),
    plugin: fc.constantFrom(...PLUGINS),
  })
}

/** Drafts of commands that can be applied. */
export const aimedDrafts = (kinds: readonly Command['kind'][]): fc.Arbitrary<Draft> =>
  drafts(kinds).map((draft) => ({ ...draft, isAimed: true }))

/** The first drafts of a trial: something is installed, and a plugin often fails. */
export const firstDrafts: fc.Arbitrary<Draft[]> = fc.tuple(aimedDrafts(['install']), aimedDrafts(['mode']))

/** The command of a draft, or null if the model has nothing that it could refer to. */
export function commandOf(model: Model, draft: Draft): Command | null {
  const { kind, which, bundle, plugin, isCurrent, isAimed } = draft
  const base = (model.snapshot ?? 1) + (isCurrent ? 0 : which % 2 === 0 ? 1 : -1)
  const version = bundle === 'plain' && draft.version === '3' ? '2' : draft.version
  const installation = choose(model.installations, ({ state }) => state === 'ACTIVE', draft)
  const operation = choose(model.operations, ({ state }) => state === 'FAILED', draft)
  const credential = choose(model.credentials, ({ isRevoked }) => !isRevoked, draft)
  switch (kind) {
    case 'publish':
      return { kind, bundle, version, variant: isAimed ? 0 : 1 }
    case 'install': {
      const given = new Map(draft.given.filter(([key]) => !isAimed || key.startsWith(`${bundle}/`)))
      const name = key(CORE, 'name')
      if (isAimed && bundle === 'crm' && !given.has(name)) given.set(name, 'a')
      if (isAimed && version === '3') given.set(key(CORE, 'owner'), 'o')
      const detached = model.installations.findLastIndex((one) => one.state === 'DETACHED')
      return { kind, bundle, version, given, copyFrom: which % 3 === 0 && detached >= 0 ? detached : null }
    }
    case 'save':
      return { kind, base: Math.max(1, base), given: new Map(draft.given) }
    case 'upgrade': {
      if (installation === null) return null
      const ofBundle = required(model.installations[installation]).bundle
      const target = BUNDLES[ofBundle]?.[draft.version] === undefined ? '2' : draft.version
      const given = new Map(
        which % 2 === 0 ? draft.given.filter(([key]) => !isAimed || key.startsWith(`${ofBundle}/`)) : [],
      )
      return { kind, installation, version: target, given, base: given.size > 0 ? Math.max(1, base) : null }
    }
    case 'detach':
      return installation === null ? null : { kind, installation }
    case 'retry':
    case 'takeover': {
      if (operation === null) return null
      return { kind, operation, run: required(model.operations[operation]).run + (isCurrent ? 0 : 1) }
    }
    case 'register':
      return { kind, plugin, isEnabled: which % 3 !== 0 }
    case 'mode':
      return { kind, plugin, mode: draft.mode }
    case 'make-credential':
      return { kind }
    case 'revoke-credential':
      return credential === null ? null : { kind, credential }
    case 'resolve':
      return installation === null || credential === null ? null : { kind, installation, credential }
    case 'local-service':
      return { kind, version: Math.max(0, model.localService + (isCurrent ? 0 : which % 2 === 0 ? 1 : -1)) }
  }
}

/** The index of one of the items; an aimed draft prefers one that matches. */
function choose<Item>(
  items: readonly Item[],
  isFit: (item: Item) => boolean,
  { which, isAimed }: Draft,
): number | null {
  const all = [...items.keys()]
  const fitting = isAimed ? all.filter((index) => isFit(required(items[index]))) : all
  const among = fitting.length > 0 ? fitting : all
  return among[which % among.length] ?? null
}

/** What the rules say about a command. */
export function ruleOf(model: Model, command: Command): Ruling {
  switch (command.kind) {
    case 'publish': {
      const { bundle, version, variant } = command
      const name = `${bundle} ${version}`
      const before = model.published.get(name)
      if (before !== undefined && before !== variant) return { codes: ['VERSION_EXISTS'] }
      return { codes: ['0'], effect: () => model.published.set(name, variant) }
    }
    case 'install':
      return install(model, command)
    case 'save':
      return save(model, command)
    case 'upgrade':
      return upgrade(model, command)
    case 'detach':
      return detach(model, command.installation)
    case 'retry':
      return retry(model, command.operation, command.run)
    case 'takeover':
      return takeOver(model, command.operation, command.run)
    case 'register':
      return {
        codes: ['0'],
        effect: () => void (model.plugins[command.plugin].isEnabled = command.isEnabled),
      }
    case 'mode':
      return { codes: ['0'], effect: () => void (model.plugins[command.plugin].mode = command.mode) }
    case 'make-credential':
      return model.credentials.filter(({ isRevoked }) => !isRevoked).length >= 2
        ? { codes: ['REQUEST_INVALID'] }
        : {
            codes: ['0'],
            effect: ({ operations: [id = '', secret = ''] }) =>
              model.credentials.push({ id, secret, isRevoked: false }),
          }
    case 'revoke-credential':
      return {
        codes: ['0'],
        effect: () => void (required(model.credentials[command.credential]).isRevoked = true),
      }
    case 'resolve':
      return { codes: [resolveCode(model, command)] }
    case 'local-service':
      if (command.version !== model.localService) return { codes: ['LOCAL_SERVICE_STALE'] }
      return {
        codes: ['0'],
        effect: () => {
          model.localService++
          model.snapshot ??= 1
        },
      }
  }
}

/**
 * A reference resolves to what RESOURCES applied last, while the installation is active; all credentials belong to
 * plugin `one`.
 */
function resolveCode(model: Model, { installation, credential }: Command & { kind: 'resolve' }): string {
  if (required(model.credentials[credential]).isRevoked) return 'CREDENTIAL_REVOKED'
  if (!model.plugins.one.isEnabled) return 'PLUGIN_NOT_REGISTERED'
  const { state, claim, applied } = required(model.installations[installation])
  const operation = claim === null ? undefined : model.operations[claim]
  const isActive =
    state === 'ACTIVE' ||
    (state === 'NOT_INSTALLED' &&
      (operation?.type === 'DETACH' ||
        (operation?.type === 'INSTALL' && operation.phase === 'AFTER_RESOURCES')))
  if (!isActive) return 'INSTALLATION_NOT_ACTIVE'
  return applied.has('crm/MODULE/core publisher') ? '0' : 'REFERENCE_NOT_AUTHORIZED'
}
