import type { AuthorManifest } from '#contract/protocol/manifest.ts'
import { formatLocator } from '#contract/protocol/locator.ts'

export type Manifest = AuthorManifest
export type Resource = Manifest['resources'][number]

export const locatorIn = (manifest: Manifest, { kind, name }: Resource): string =>
  formatLocator({ ...manifest.bundle, kind, name })

/** By locator and property: the plugin that writes it instead of a person. */
export function writersIn(manifest: Manifest): Map<string, Map<string, string>> {
  const modules = new Map(
    manifest.resources
      .filter(({ moduleId }) => moduleId !== undefined)
      .map((resource) => [resource.moduleId, locatorIn(manifest, resource)]),
  )
  const writers = new Map<string, Map<string, string>>()
  for (const { pluginId, resources } of manifest.plugins)
    for (const { object, writeProperties } of resources) {
      const locator = modules.get(object.moduleId)
      if (locator === undefined) continue
      const of = writers.get(locator) ?? new Map<string, string>()
      for (const property of writeProperties) of.set(property, pluginId)
      writers.set(locator, of)
    }
  return writers
}
