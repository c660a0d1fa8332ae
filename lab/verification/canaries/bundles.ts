import type { AuthorManifest } from '#contract/protocol/manifest.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import type { Changes } from '#contract/runtime-api/common.ts'
import { manifest, module, plugin, TEXT } from '../manifests.ts'

export const SCOPE: Scope = { environmentKey: 'prod', applicationRuntimeId: 'canaries', workspaceId: 1 }

/** The event that both Modules declare. */
export const METHOD = 'changed'
/** The property that the plugins write. */
export const WRITTEN = 'note'
/** The sensitive property, which the plugins read. */
export const SECRET = 'password'
/** The references through which a plugin publishes events: to the service of the plugin's Module, and of the other's. */
export const PUBLISHERS = ['own', 'other'] as const

/** A plugin, its bundle and its service. */
export interface Side {
  pluginId: string
  serviceId: string
  manifest: AuthorManifest
  core: string
  store: 'SQLite' | 'PostgreSQL'
}

const sideOf = (name: string, store: Side['store']): Side => ({
  pluginId: name,
  serviceId: `${name}-events`,
  manifest: bundle(name),
  core: `dev/${name}/MODULE/core`,
  store,
})

function bundle(name: string): AuthorManifest {
  const core = module(name, 'core', {
    name: { ...TEXT, default: 'unnamed' },
    [WRITTEN]: TEXT,
    [SECRET]: { ...TEXT, isSensitive: true },
    own: { kind: 'SERVICE_REFERENCE' },
    other: { kind: 'SERVICE_REFERENCE' },
    byCountry: { kind: 'SERVICE_REFERENCE_MAP' },
    inOrder: { kind: 'SERVICE_REFERENCE_LIST' },
  })
  const schema = { type: 'object', required: ['id'], properties: { id: { type: 'string' } } }
  const credentials = [...PUBLISHERS, 'byCountry', 'inOrder']
  return manifest({ environmentKey: 'dev', bundleId: name }, '1.0.0', {
    resources: [{ ...core, events: [{ method: METHOD, schema }] }],
    plugins: [plugin(name, name, 1, { reads: ['name', WRITTEN, SECRET], writes: [WRITTEN], credentials })],
  })
}

export const SIDES = [sideOf('alpha', 'SQLite'), sideOf('beta', 'PostgreSQL')] as const

/** Every reference of both Modules: one service, a map and a list. */
export function references(): Changes {
  const [alpha, beta] = SIDES
  const to = ({ serviceId }: Side) => ({ '@type': 'ServiceReference' as const, serviceId })
  const of = (own: Side, other: Side): Changes[string] => ({
    own: to(own),
    other: to(other),
    byCountry: { '@type': 'ServiceReferenceMap', valueMap: { de: to(own), at: to(other), ch: to(own) } },
    inOrder: { '@type': 'ServiceReferenceList', valueList: [to(other), to(own), to(other)] },
  })
  return { [alpha.core]: of(alpha, beta), [beta.core]: of(beta, alpha) }
}
