import * as z from 'zod'
import { AuthorManifest } from '#contract/protocol/manifest.ts'
import { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import { isReferenceKind, needsSchema, PROPERTY_KINDS } from '#contract/protocol/property-kinds.ts'
import { isJsonObject } from '#contract/json-schema/json.ts'
import type { JsonObject, JsonValue } from '#contract/json-schema/json.ts'
import { singleTypes } from './wire-kit/schemas.ts'

/** What an editor shows of a member, by its path in the manifest; `*` is any key or item. */
const DESCRIPTIONS: Readonly<Record<string, string>> = {
  $schema: 'Where an editor finds the schema of this file. It is not published.',
  bundle: 'The bundle of which this is one version.',
  'bundle.environmentKey': 'The environment of the bundle source: the first segment of its locators.',
  'bundle.bundleId': 'The second segment of its locators.',
  version: 'Opaque: two versions are either equal or not. A published version never changes.',
  title: 'What people read in the catalog.',
  description: 'What the bundle is for, in the catalog.',
  $defs: 'Schemas by name, to which the schemas of properties refer as #/$defs/name.',
  resources: 'What is installed and configured.',
  'resources.*.kind': 'The third segment of the locator. Only a MODULE has plugins, a moduleId and events.',
  'resources.*.name': 'The fourth segment of the locator.',
  'resources.*.title': 'What people read instead of the locator.',
  'resources.*.moduleId': 'Of a MODULE, and unique in the manifest: plugins name it.',
  'resources.*.events': 'What a MODULE accepts from plugins.',
  'resources.*.events.*.method': 'One path segment, after the address of the service.',
  'resources.*.events.*.schema': 'The JSON Schema (2020-12) of the payload.',
  'resources.*.properties': 'What is configured, by name.',
  'resources.*.properties.*.kind': 'DATA is a business value; the others refer to services.',
  'resources.*.properties.*.schema':
    'The JSON Schema (2020-12) of the business value. Its title and description are those of the form.',
  'resources.*.properties.*.isSensitive': 'The value can be set and is never shown. It has no default.',
  'resources.*.properties.*.required':
    'Without a default, it must be set at INSTALL and at the UPGRADE that adds it.',
  'resources.*.properties.*.default': 'The business value that INSTALL uses if none is given.',
  'resources.*.properties.*.group': 'The part of the form.',
  'resources.*.properties.*.order': 'The place in that part.',
  plugins: 'What is called in every operation, and what it may read, write and resolve.',
  'plugins.*.pluginId': 'The registered plugin: the audience of its tokens.',
  'plugins.*.order':
    'Plugins are called in ascending order, of a DETACH in descending order; equal ones in parallel.',
  'plugins.*.failurePolicy': 'After a definite failure no further plugin is called.',
  'plugins.*.configuration': 'Business configuration, passed to the plugin as it is written here.',
  'plugins.*.configuration.schemaVersion': 'A version of this configuration, which the plugin defines.',
  'plugins.*.resources.*.object.moduleId': 'A MODULE of this manifest.',
  'plugins.*.resources.*.readProperties': 'Values in the lifecycle calls.',
  'plugins.*.resources.*.writeProperties':
    'DATA properties that the plugin sets. Operators cannot, and no other plugin can.',
  'plugins.*.resources.*.credentialProperties': 'References that the plugin may resolve.',
}

/** Which fields each kind of property has: a refinement of the zod schema, which has no JSON Schema. */
const KINDS_OF_PROPERTIES: JsonObject = {
  allOf: [
    ifKind(
      PROPERTY_KINDS.filter(needsSchema),
      { properties: { schema: true }, required: ['schema'] },
      { properties: { schema: false } },
    ),
    ifKind(PROPERTY_KINDS.filter(isReferenceKind), {
      properties: { default: false, isSensitive: { const: false } },
    }),
  ],
}

function ifKind(kinds: readonly string[], holds: JsonObject, otherwise?: JsonObject): JsonObject {
  return {
    if: { properties: { kind: { enum: [...kinds] } } },
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    then: holds,
    ...(otherwise !== undefined && { else: otherwise }),
  }
}

/**
 * The JSON Schema of an author manifest, for editors and other tools: the form. Which names belong together, such as a
 * moduleId of a plugin and that of a Module, is checked by `plugin-sdk check` and at the publication.
 */
export function manifestSchema(): JsonObject {
  const generated = z.toJSONSchema(AuthorManifest, {
    io: 'input',
    unrepresentable: 'any',
    target: 'draft-2020-12',
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema === PropertyDefinition) Object.assign(jsonSchema, KINDS_OF_PROPERTIES)
    },
  })
  const schema = singleTypes(generated as JsonObject)
  for (const [path, description] of Object.entries(DESCRIPTIONS))
    describe(schema, path.split('.'), description)
  return { $id: 'author-manifest.json', title: 'Author manifest of one version of a bundle', ...schema }
}

/** Throws if the path leads nowhere: a member that was renamed would lose its description. */
function describe(schema: JsonObject, path: readonly string[], description: string): void {
  let found: JsonValue | undefined = schema
  for (const key of path) {
    const { items, additionalProperties, properties }: JsonObject = isJsonObject(found) ? found : {}
    found =
      key === '*' ? (items ?? additionalProperties) : isJsonObject(properties) ? properties[key] : undefined
  }
  if (!isJsonObject(found)) throw new Error(`The manifest has no ${path.join('.')}`)
  found['description'] = description
}
