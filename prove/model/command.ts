import fc from 'fast-check'
import { BUNDLES, CORE, GATEWAY, PLUGINS } from './bundles.ts'
import type { PluginName, Value } from './bundles.ts'
import { detach, install, PROTECTED, retry, save, SERVICE, takeOver, upgrade } from './rules.ts'
import type { InstallCommand, Ruled, SaveCommand, UpgradeCommand } from './rules.ts'
import { demand, MODES } from './state.ts'
import type { Mode, Model } from './state.ts'

/** What is drawn by lot: it names things by numbers, and becomes a command where the model has them. */
export interface Draft {
  kind: Command['kind']
  which: number
  bundle: 'crm' | 'plain'
  version: '1' | '2' | '3'
  given: readonly (readonly [string, Value | null])[]
  /** Mostly right: the current snapshot, the run that was seen. */
  isCurrent: boolean
  /** Mostly something that the command can be done to. */
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
const givens = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(fc.constant(key(CORE, 'name')), text) },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.constant(key(CORE, 'seats')), fc.constantFrom<Value | null>(1, 2, 3, 0, null)),
  },
  { weight: 2, arbitrary: fc.tuple(fc.constant(key(CORE, 'secret')), text) },
  { weight: 2, arbitrary: fc.tuple(fc.constant(key(GATEWAY, 'domain')), text) },
  { weight: 4, arbitrary: fc.tuple(fc.constant(key(CORE, 'label', 'plain')), text) },
  { weight: 1, arbitrary: fc.tuple(fc.constant(key(CORE, 'region')), text) },
  { weight: 1, arbitrary: fc.tuple(fc.constant(key(CORE, 'owner')), text) },
  { weight: 1, arbitrary: fc.tuple(fc.constant(key(CORE, 'tenant')), text) },
  {
    weight: 3,
    arbitrary: fc.tuple(
      fc.constant(key(CORE, 'publisher')),
      fc.constantFrom<Value | null>({ service: SERVICE }, { service: SERVICE }, { service: 'foreign' }, null),
    ),
  },
  { weight: 1, arbitrary: fc.tuple(fc.constantFrom(key(CORE, 'nothing'), key('AGENT/gone', 'x')), text) },
  { weight: 1, arbitrary: fc.tuple(fc.constant(key(CORE, PROTECTED)), fc.constant<Value>('mine')) },
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
    given: fc.array(givens, { minLength: 1, maxLength: 3 }),
    isCurrent: mostly,
    isAimed: mostly,
    mode: fc.oneof(
      { weight: 5, arbitrary: fc.constant('ok' as const) },
      { weight: 5, arbitrary: fc.constantFrom(...MODES) },
    ),
    plugin: fc.constantFrom(...PLUGINS),
  })
}

/** The command of a draft, or null where the model has nothing that it could be about. */
export function commandOf(model: Model, draft: Draft): Command | null {
  const { kind, which, bundle, plugin, isCurrent, isAimed } = draft
  const base = (model.snapshot ?? 1) + (isCurrent ? 0 : which % 2 === 0 ? 1 : -1)
  const version = bundle === 'plain' && draft.version === '3' ? '2' : draft.version
  const installation = choose(
    model.installations.map((_, index) => index),
    (index) => model.installations[index]?.state === 'ACTIVE',
    draft,
  )
  const operation = choose(
    model.operations.map((_, index) => index),
    (index) => model.operations[index]?.state === 'FAILED',
    draft,
  )
  const credential = choose(
    model.credentials.map((_, index) => index),
    (index) => model.credentials[index]?.isRevoked === false,
    draft,
  )
  switch (kind) {
    case 'publish':
      return { kind, bundle, version, variant: isAimed ? 0 : 1 }
    case 'install': {
      const given = new Map(draft.given.filter(([key]) => !isAimed || key.startsWith(`${bundle}/`)))
      if (isAimed && bundle === 'crm' && given.size === 0) given.set(key(CORE, 'name'), 'a')
      if (isAimed && version === '3') given.set(key(CORE, 'owner'), 'o')
      const detached = model.installations.findLastIndex((one) => one.state === 'DETACHED')
      return { kind, bundle, version, given, copyFrom: which % 3 === 0 && detached >= 0 ? detached : null }
    }
    case 'save':
      return { kind, base: Math.max(1, base), given: new Map(draft.given) }
    case 'upgrade': {
      if (installation === null) return null
      const ofBundle = demand(model.installations[installation]).bundle
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
      return { kind, operation, run: demand(model.operations[operation]).run + (isCurrent ? 0 : 1) }
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
      return { kind, version: Math.max(0, model.local + (isCurrent ? 0 : which % 2 === 0 ? 1 : -1)) }
  }
}

function choose(
  all: readonly number[],
  isFit: (index: number) => boolean,
  { which, isAimed }: Draft,
): number | null {
  const fitting = isAimed ? all.filter(isFit) : all
  const among = fitting.length > 0 ? fitting : all
  return among[which % among.length] ?? null
}

/** What the rules say to a command. */
export function ruleOf(model: Model, command: Command): Ruled {
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
        effect: () => void (demand(model.credentials[command.credential]).isRevoked = true),
      }
    case 'resolve':
      return { codes: [resolving(model, command)] }
    case 'local-service':
      if (command.version !== model.local) return { codes: ['LOCAL_SERVICE_STALE'] }
      return {
        codes: ['0'],
        effect: () => {
          model.local++
          model.snapshot ??= 1
        },
      }
  }
}

/** References resolve to what RESOURCES applied last, for as long as the installation is active; all credentials are of `one`. */
function resolving(model: Model, { installation, credential }: Command & { kind: 'resolve' }): string {
  if (demand(model.credentials[credential]).isRevoked) return 'CREDENTIAL_REVOKED'
  if (!model.plugins.one.isEnabled) return 'PLUGIN_NOT_REGISTERED'
  const { state, claim, applied } = demand(model.installations[installation])
  const operation = claim === null ? undefined : model.operations[claim]
  const isActive =
    state === 'ACTIVE' ||
    (state === 'NOT_INSTALLED' &&
      (operation?.type === 'DETACH' ||
        (operation?.type === 'INSTALL' && operation.phase === 'AFTER_RESOURCES')))
  if (!isActive) return 'INSTALLATION_NOT_ACTIVE'
  return applied.has('crm/MODULE/core publisher') ? '0' : 'REFERENCE_NOT_AUTHORIZED'
}
