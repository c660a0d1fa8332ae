import type { AuthorAuthorization, CompiledAuthorization } from '#contract/protocol/authorization.ts'
import { INSTANCE_REF_PROPERTY, LIFECYCLE_VERSION } from '#contract/protocol/limits.ts'
import { formatLocator } from '#contract/protocol/locator.ts'
import type { AuthorManifest, ManifestPlugin } from '#contract/protocol/manifest.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import { isReferenceKind } from '#contract/protocol/property-kinds.ts'
import { getOwn } from '#contract/json-schema/json.ts'
import { DomainError } from '../refusals.ts'

/** A Module that an installation owns: taken from the manifest before it is installed, from the ledger afterwards. */
export interface OwnedModule {
  moduleId: string
  locator: string
  definitions: Readonly<Record<string, PropertyDefinition>>
}

/** Locator → property name → the plugin that may write the property. */
export type Writers = Record<string, Record<string, string>>

/** The Modules that an installation of this version owns. */
export function modulesOf(manifest: AuthorManifest): OwnedModule[] {
  return manifest.resources.flatMap(({ kind, name, moduleId, properties }) =>
    moduleId === undefined
      ? []
      : [{ moduleId, locator: formatLocator({ ...manifest.bundle, kind, name }), definitions: properties }],
  )
}

/**
 * The authorization of each plugin for the exact Modules of one installation, in ascending `order`. Refuses, naming the
 * plugin, with RESOURCE_OWNERSHIP_MISSING if it refers to a Module that the installation does not own, and with
 * MANIFEST_INVALID if its declaration is inconsistent in another way.
 */
export function compileAuthorizations(
  plugins: readonly ManifestPlugin[],
  modules: readonly OwnedModule[],
): CompiledAuthorization[] {
  const byModuleId = new Map(modules.map((module) => [module.moduleId, module]))
  return plugins
    .map((plugin): CompiledAuthorization => ({
      pluginId: plugin.pluginId,
      protocolVersion: LIFECYCLE_VERSION,
      order: plugin.order,
      failurePolicy: plugin.failurePolicy,
      configuration: plugin.configuration,
      resources: plugin.resources.map((entry) =>
        compileEntry(plugin.pluginId, entry, byModuleId.get(entry.object.moduleId)),
      ),
    }))
    .toSorted((a, b) => a.order - b.order)
}

/** The writer of each property. Refuses with MANIFEST_INVALID if two plugins may write the same property. */
export function writersOf(authorizations: readonly CompiledAuthorization[]): Writers {
  const writers: Writers = {}
  for (const { pluginId, resources } of authorizations) {
    for (const { resource, writeProperties } of resources) {
      const ofResource = (writers[resource] ??= {})
      for (const property of writeProperties) {
        const other = getOwn(ofResource, property)
        if (other !== undefined && other !== pluginId) {
          throw broken(pluginId, `may write ${property} of ${resource}, which plugin ${other} may write too`)
        }
        ofResource[property] = pluginId
      }
    }
  }
  return writers
}

function compileEntry(
  pluginId: string,
  { object, readProperties, writeProperties, credentialProperties }: AuthorAuthorization,
  module: OwnedModule | undefined,
): CompiledAuthorization['resources'][number] {
  if (module === undefined) {
    throw new DomainError(
      'RESOURCE_OWNERSHIP_MISSING',
      `Plugin ${pluginId} asks for the Module ${object.moduleId}, which this installation does not own. ` +
        'Publish a version whose manifest names a Module of the bundle for it.',
    )
  }
  for (const property of [...readProperties, ...writeProperties, ...credentialProperties]) {
    if (getOwn(module.definitions, property) === undefined)
      throw broken(pluginId, `names ${property}, which ${module.locator} does not have`)
  }
  const isReference = (property: string): boolean => {
    const kind = getOwn(module.definitions, property)?.kind
    return kind !== undefined && isReferenceKind(kind)
  }
  for (const property of writeProperties) {
    if (property === INSTANCE_REF_PROPERTY) throw broken(pluginId, 'may not write a protected property')
    if (isReference(property)) throw broken(pluginId, `may not write ${property}, which is a reference`)
  }
  for (const property of credentialProperties) {
    if (!isReference(property)) throw broken(pluginId, `cannot resolve ${property}, which is not a reference`)
  }
  return { resource: module.locator, readProperties, writeProperties, credentialProperties }
}

function broken(pluginId: string, what: string): DomainError {
  return new DomainError(
    'MANIFEST_INVALID',
    `The declaration of plugin ${pluginId} is broken: it ${what}. The bundle must be published again.`,
  )
}
