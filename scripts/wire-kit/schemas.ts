import * as z from 'zod'
import { AccessResolutionRequest, AccessResolutionResponse } from '#contract/protocol/access-resolution.ts'
import { CompiledAuthorization, PluginConfiguration } from '#contract/protocol/authorization.ts'
import { Envelope, FailureData } from '#contract/protocol/envelope.ts'
import { MapKey, ServiceId } from '#contract/protocol/keys.ts'
import {
  LifecycleRequest,
  LifecycleResponse,
  ResourceEntry,
  OperationIdentity,
} from '#contract/protocol/lifecycle.ts'
import { EventDeclaration } from '#contract/protocol/event-declaration.ts'
import {
  AuthorizationReadRequest,
  EventDeclarationsRequest,
  EventDeclarationsResponse,
} from '#contract/protocol/plugin-reads.ts'
import { RESERVED_NAMES } from '#contract/json-schema/json.ts'
import { BundleRef, InstallationIdentity } from '#contract/protocol/scope.ts'
import {
  Data,
  Reference,
  ServiceReference,
  ServiceReferenceList,
  ServiceReferenceMap,
} from '#contract/protocol/typed-value.ts'

/** A JSON Schema 2020-12 as published: a JSON object. */
export type PublishedSchema = Record<string, unknown>

/** The published types by name. A type that another one contains is referenced by its name. */
const TYPES: Readonly<Record<string, { schema: z.ZodType; title: string }>> = {
  'lifecycle-request': { schema: LifecycleRequest, title: 'Body of a lifecycle call' },
  'lifecycle-response': { schema: LifecycleResponse, title: 'Data of the response to a lifecycle call' },
  'resource-entry': { schema: ResourceEntry, title: 'One resource of a lifecycle call' },
  'plugin-configuration': { schema: PluginConfiguration, title: 'Business configuration of a plugin' },
  installation: { schema: InstallationIdentity, title: 'Identity of an installation' },
  'bundle-reference': { schema: BundleRef, title: 'A bundle at its source' },
  operation: { schema: OperationIdentity, title: 'Identity of an operation' },
  data: { schema: Data, title: 'A wrapped business value' },
  reference: { schema: Reference, title: 'A logical reference to one or more services' },
  'service-reference': { schema: ServiceReference, title: 'A reference to one service' },
  'service-reference-map': { schema: ServiceReferenceMap, title: 'References by business key' },
  'service-reference-list': { schema: ServiceReferenceList, title: 'References in order' },
  envelope: { schema: Envelope, title: 'Envelope of every response' },
  'failure-data': { schema: FailureData, title: 'Data of a failure' },
  'access-resolution-request': { schema: AccessResolutionRequest, title: 'Body of a resolve call' },
  'access-resolution-response': { schema: AccessResolutionResponse, title: 'Data of a resolve response' },
  'authorization-read-request': { schema: AuthorizationReadRequest, title: 'Body of an authorization read' },
  'event-declarations-request': {
    schema: EventDeclarationsRequest,
    title: 'Body of a read of event declarations',
  },
  'event-declarations-response': {
    schema: EventDeclarationsResponse,
    title: 'Data of the response with event declarations',
  },
  'event-declaration': { schema: EventDeclaration, title: 'An event method that a Module accepts' },
  'compiled-authorization': {
    schema: CompiledAuthorization,
    title: 'What a plugin may read, write and resolve in one installation',
  },
}

/** Rules of the zod schemas that are refinements, which have no JSON Schema. */
const REFINEMENTS = new Map<unknown, PublishedSchema>([
  [ServiceId, { not: { enum: [...RESERVED_NAMES] } }],
  [MapKey, { not: { enum: [...RESERVED_NAMES] } }],
  [
    OperationIdentity,
    {
      if: { properties: { operationType: { const: 'INSTALL' } } },
      // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
      then: { properties: { currentVersion: { type: 'null' } } },
    },
  ],
])

/**
 * The published schemas by name, generated from the schemas that validate requests and responses. `refTo` turns the name
 * of a type into the `$ref` at which readers find it.
 */
export function publishedSchemas(refTo: (name: string) => string): Record<string, PublishedSchema> {
  const registry = z.registry<{ id: string }>()
  for (const [id, { schema }] of Object.entries(TYPES)) registry.add(schema, { id })
  const { schemas } = z.toJSONSchema(registry, {
    io: 'output',
    unrepresentable: 'any',
    target: 'draft-2020-12',
    uri: refTo,
    override: ({ zodSchema, jsonSchema }) => relax(zodSchema, jsonSchema),
  })
  return Object.fromEntries(
    Object.entries(singleTypes(schemas)).map(
      ([name, { $schema: _schema, $id: _id, id: _name, ...schema }]) => [
        name,
        { title: TYPES[name]?.title, ...schema },
      ],
    ),
  )
}

/** A schema without several types in one `type`, which strict validators refuse: each is an alternative. */
export function singleTypes<Schema>(schema: Schema): Schema {
  // a generated schema is plain JSON
  return JSON.parse(
    JSON.stringify(schema, (_key, part: unknown) => {
      if (typeof part !== 'object' || part === null || !('type' in part) || !Array.isArray(part.type))
        return part
      const { type, ...rest } = part
      return { anyOf: type.map((one: unknown) => ({ type: one })), ...rest }
    }),
  ) as Schema
}

function relax(zodSchema: z.core.$ZodTypes, jsonSchema: PublishedSchema): void {
  Object.assign(jsonSchema, REFINEMENTS.get(zodSchema))
  if (jsonSchema['format'] === 'date-time') delete jsonSchema['pattern']
  const { def } = zodSchema._zod
  if (def.type !== 'object') return
  // Readers ignore unknown fields, except of schemas that are strict.
  if (def.catchall === undefined) delete jsonSchema['additionalProperties']
  const required = jsonSchema['required']
  if (Array.isArray(required)) {
    const mandatory = required.map(String).filter((name) => !isOptional(def.shape[name]))
    if (mandatory.length > 0) jsonSchema['required'] = mandatory
    else delete jsonSchema['required']
  }
}

/** Whether a field of an object may be absent on the wire. */
function isOptional(field: unknown): boolean {
  if (field instanceof z.ZodPipe) return isOptional(field.def.in)
  return field instanceof z.ZodOptional || field instanceof z.ZodDefault || field instanceof z.ZodCatch
}
