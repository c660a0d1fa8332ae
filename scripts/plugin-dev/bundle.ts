import { wrapData, referencedServices } from '#contract/protocol/data.ts'
import { parseLocator } from '#contract/protocol/locator.ts'
import type { AuthorManifest, ManifestResource } from '#contract/protocol/manifest.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import { kindOfReference } from '#contract/protocol/property-kinds.ts'
import type { Changes } from '#contract/runtime-api/common.ts'
import { SettingsError } from '#http-kit/settings.ts'
import type { Profile } from '../../packages/plugin-check/src/profile.ts'

type Resource = Profile['resources'][string]

/**
 * A version of a bundle in which the plugin has what its profile says.
 *
 * @throws SettingsError if the profile has resources of several bundles, or something else than Modules.
 */
export function bundleOf(profile: Profile, version: string): AuthorManifest {
  const modules = Object.entries(profile.resources).map(([locator, resource]) => {
    const parts = parseLocator(locator)
    if (parts === null || parts.kind !== 'MODULE')
      throw new SettingsError(`The profile has ${locator}: only Modules can be tried with plugin-dev`)
    return { ...parts, resource }
  })
  const [first] = modules
  const { environmentKey = '', bundleId = '' } = first ?? {}
  if (modules.some((other) => other.environmentKey !== environmentKey || other.bundleId !== bundleId))
    throw new SettingsError('The profile has resources of several bundles; keep those of one for plugin-dev')
  const moduleIdOf = (name: string): string => `module-${name}`
  return {
    bundle: { environmentKey, bundleId },
    version,
    title: `Bundle of ${profile.pluginId}`,
    resources: modules.map(({ name, resource }): ManifestResource => ({
      kind: 'MODULE',
      name,
      title: name,
      moduleId: moduleIdOf(name),
      properties: propertiesOf(resource),
    })),
    plugins: [
      {
        pluginId: profile.pluginId,
        order: 10,
        failurePolicy: 'FAIL_FAST',
        configuration: profile.configuration,
        resources: modules.map(({ name, resource }) => ({
          object: { type: 'MODULE', moduleId: moduleIdOf(name) },
          readProperties: Object.keys(propertiesOf(resource)),
          writeProperties: Object.keys(resource.writes),
          credentialProperties: Object.keys(resource.references),
        })),
      },
    ],
  }
}

function propertiesOf({ properties, changed, invalid, sensitive, references, writes }: Resource) {
  const values = new Set([properties, changed ?? {}, invalid ?? {}].flatMap(Object.keys))
  const definitions: Record<string, PropertyDefinition> = {}
  for (const name of values) definitions[name] = data(sensitive.includes(name))
  for (const [name, { isSensitive }] of Object.entries(writes)) definitions[name] = data(isSensitive)
  for (const [name, reference] of Object.entries(references))
    definitions[name] = { kind: kindOfReference(reference['@type']) }
  return definitions
}

const data = (isSensitive: boolean): PropertyDefinition => ({
  kind: 'DATA',
  schema: true,
  ...(isSensitive && { isSensitive }),
})

/** What INSTALL sets, or with `changed` what CONFIGURE changes; without what the plugin writes itself. */
export function valuesOf(profile: Profile, which: 'properties' | 'changed'): Changes {
  return Object.fromEntries(
    Object.entries(profile.resources).map(([locator, resource]) => {
      const values = Object.entries(resource[which] ?? {}).filter(([name]) => !(name in resource.writes))
      return [
        locator,
        {
          ...Object.fromEntries(values.map(([name, value]) => [name, wrapData(value)])),
          ...(which === 'properties' && resource.references),
        },
      ]
    }),
  )
}

/** The services to which the references of the profile refer. */
export const servicesOf = ({ resources }: Profile): string[] => [
  ...new Set(
    Object.values(resources).flatMap(({ references }) =>
      Object.values(references).flatMap(referencedServices),
    ),
  ),
]
