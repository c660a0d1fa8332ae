import * as z from 'zod'
import { isJsonObject } from '../json-schema/json.ts'
import type { JsonObject, JsonValue } from '../json-schema/json.ts'
import { FailureData } from '../protocol/envelope.ts'
import type { EndpointName, EndpointRow } from './endpoint.ts'

interface SchemasOfRow {
  params?: JsonObject
  query?: JsonObject
  body?: JsonValue
  answer: JsonValue
}

/** The JSON Schemas of a set of rows. Each type that has a name is a component, to which the others refer. */
export interface RowSchemas {
  components: JsonObject
  of(name: EndpointName): SchemasOfRow
  problem: JsonValue
  /** Failure data, or null; null if there are none. */
  failure: JsonValue
}

interface SchemaOptions {
  names: ReadonlyMap<z.ZodType, string>
  problem: z.ZodType
  /** Whether responses contain failure data. */
  hasFailures: boolean
}

const PARTS = ['params', 'query', 'body', 'answer'] as const
/** The id of a schema without a name, which is put in where it is needed. No name of a type contains it. */
const OWN = ' '

/**
 * Generates the schemas of all rows. A type that is read and written in different forms, for example with defaults, has a second
 * component for requests, with `Input` after its name. Requests are closed, as they are validated. Responses are open: a later
 * version may add a member, and a client that validates what it reads must not break.
 */
export function rowSchemas(
  rows: readonly (readonly [EndpointName, EndpointRow])[],
  { names, problem, hasFailures }: SchemaOptions,
): RowSchemas {
  const ids = new Map<z.ZodType, string>(names)
  const add = (schema: z.ZodType, id: string): void => {
    if (!ids.has(schema)) ids.set(schema, id)
  }
  add(problem, `problem${OWN}`)
  add(FailureData, `failure${OWN}`)
  for (const [name, row] of rows)
    for (const part of PARTS) {
      const schema = row[part]
      if (schema !== undefined) add(schema, `${name}${OWN}${part}`)
    }
  const output = generate(ids, 'output', (id) => id)
  const used = new Map<string, JsonObject>()
  const written = (schema: z.ZodType): JsonValue => collect(referTo(schema, output), output)
  const answers = new Map(rows.map(([name, row]) => [name, written(row.answer)]))
  const problemSchema = written(problem)
  const failure = hasFailures
    ? collect({ anyOf: [referTo(FailureData, output), { type: 'null' }] }, output)
    : null

  // only of what is written, too, requests have another component
  const differing = differingIds(
    output,
    generate(ids, 'input', (id) => id),
  ).filter((id) => used.has(id))
  const suffixed = new Map(differing.map((id) => [id, `${id}Input`]))
  const generated = generate(ids, 'input', (id) => suffixed.get(id) ?? id)
  const input = Object.fromEntries(
    Object.entries(generated).map(([id, schema]) => [suffixed.get(id) ?? id, schema]),
  )
  const requests = new Map(rows.map(([name, row]) => [name, requestOf(row)]))

  function requestOf({ params, query, body }: EndpointRow): Omit<SchemasOfRow, 'answer'> {
    // parameters are read one by one, so that the schema is never a reference
    const parametersOf = (schema: z.ZodType): JsonObject => {
      const found = input[ids.get(schema) ?? ''] ?? {}
      collect(found, input)
      return found
    }
    return {
      ...(params !== undefined && { params: parametersOf(params) }),
      ...(query !== undefined && { query: parametersOf(query) }),
      ...(body !== undefined && { body: collect(referTo(body, input, suffixed), input) }),
    }
  }

  /** A type with a name by a reference, any other as it is. */
  function referTo(
    schema: z.ZodType,
    from: Readonly<Record<string, JsonObject>>,
    otherNames: ReadonlyMap<string, string> = new Map(),
  ): JsonValue {
    const id = ids.get(schema) ?? ''
    return id.includes(OWN) ? (from[id] ?? {}) : { $ref: refTo(otherNames.get(id) ?? id) }
  }

  /** Notes the components that a schema refers to, and returns it. */
  function collect(schema: JsonValue, from: Readonly<Record<string, JsonObject>>): JsonValue {
    for (const id of referencesIn(schema)) {
      if (used.has(id)) continue
      const found = from[id] ?? {}
      used.set(id, found)
      collect(found, from)
    }
    return schema
  }

  return {
    components: Object.fromEntries([...used].toSorted(([one], [other]) => (one < other ? -1 : 1))),
    of: (name) => ({ ...requests.get(name), answer: answers.get(name) ?? {} }),
    problem: problemSchema,
    failure,
  }
}

const PREFIX = '#/components/schemas/'
const refTo = (id: string): string => PREFIX + id

function generate(
  ids: ReadonlyMap<z.ZodType, string>,
  io: 'input' | 'output',
  nameOf: (id: string) => string,
): Record<string, JsonObject> {
  const registry = z.registry<{ id: string }>()
  for (const [schema, id] of ids) registry.add(schema, { id })
  const { schemas } = z.toJSONSchema(registry, {
    io,
    unrepresentable: 'any',
    target: 'draft-2020-12',
    uri: (id) => refTo(nameOf(id)),
    override: ({ jsonSchema }) => {
      nameKeys(jsonSchema)
      if (io === 'output') open(jsonSchema)
    },
  })
  return Object.fromEntries(
    Object.entries(schemas).map(([id, { $schema: _schema, $id: _id, id: _name, ...schema }]) => [
      id,
      // plain JSON, with what is shared written out
      JSON.parse(JSON.stringify(schema)) as JsonObject,
    ]),
  )
}

/** The names whose schemas differ, or that contain such a one. */
function differingIds(
  output: Readonly<Record<string, JsonObject>>,
  input: Readonly<Record<string, JsonObject>>,
): string[] {
  const names = Object.keys(output).filter((id) => !id.includes(OWN))
  const differing = new Set(names.filter((id) => JSON.stringify(output[id]) !== JSON.stringify(input[id])))
  for (let size = -1; size !== differing.size;) {
    size = differing.size
    for (const id of names)
      if ([...referencesIn(input[id] ?? {})].some((other) => differing.has(other))) differing.add(id)
  }
  return [...differing]
}

function* referencesIn(schema: JsonValue): Iterable<string> {
  if (Array.isArray(schema)) for (const item of schema) yield* referencesIn(item)
  if (!isJsonObject(schema)) return
  const { $ref } = schema
  if (typeof $ref === 'string' && $ref.startsWith(PREFIX)) yield $ref.slice(PREFIX.length)
  for (const item of Object.values(schema)) yield* referencesIn(item)
}

/** An object whose keys are all known, as zod writes it, with the keys as properties, as generators of clients read it. */
function nameKeys(schema: Record<string, unknown>): void {
  const { propertyNames, additionalProperties, required } = schema
  const keys = isJsonObject(propertyNames) ? propertyNames['enum'] : undefined
  if (!Array.isArray(keys) || !Array.isArray(required)) return
  delete schema['propertyNames']
  schema['properties'] = Object.fromEntries(keys.map((key) => [key, additionalProperties]))
  schema['additionalProperties'] = false
}

/** Allows other members in an object that is written. */
function open(schema: Record<string, unknown>): void {
  if (schema['additionalProperties'] === false) delete schema['additionalProperties']
}
