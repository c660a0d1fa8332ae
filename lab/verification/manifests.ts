import type { AuthorManifest, ManifestPlugin, ManifestResource } from '#contract/protocol/manifest.ts'

// Builders of author manifests, for the bundles that the suites publish.

type Properties = ManifestResource['properties']

export const TEXT = { kind: 'DATA', schema: { type: 'string', maxLength: 60 } } as const
export const INTEGER = { kind: 'DATA', schema: { type: 'integer' } } as const

export function resource(
  kind: ManifestResource['kind'],
  name: string,
  properties: Properties,
): ManifestResource {
  return { kind, name, title: name, properties }
}

/** A MODULE whose `moduleId` is `BUNDLE-NAME`. */
export function module(bundleId: string, name: string, properties: Properties): ManifestResource {
  return { ...resource('MODULE', name, properties), moduleId: `${bundleId}-${name}` }
}

/** A plugin with access to the Module `core` of the bundle. */
export function plugin(
  bundleId: string,
  pluginId: string,
  order: number,
  access: { reads: string[]; writes?: string[]; credentials?: string[] },
): ManifestPlugin {
  return {
    pluginId,
    order,
    failurePolicy: 'FAIL_FAST',
    configuration: { schemaVersion: '1', values: {} },
    resources: [
      {
        object: { type: 'MODULE', moduleId: `${bundleId}-core` },
        readProperties: access.reads,
        writeProperties: access.writes ?? [],
        credentialProperties: access.credentials ?? [],
      },
    ],
  }
}

export function manifest(
  bundle: AuthorManifest['bundle'],
  version: string,
  parts: { title?: string; resources: ManifestResource[]; plugins?: ManifestPlugin[] },
): AuthorManifest {
  const { title = bundle.bundleId, resources, plugins = [] } = parts
  return { bundle, version, title, resources, plugins }
}
