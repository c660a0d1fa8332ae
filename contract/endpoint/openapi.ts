import type * as z from 'zod'
import { isJsonObject } from '../json-schema/json.ts'
import type { JsonObject, JsonValue } from '../json-schema/json.ts'
import { isWrite, splitName, type EndpointName, type EndpointRow, type Endpoints } from './endpoint.ts'
import { rowSchemas, type RowSchemas } from './openapi-schemas.ts'

type Access = EndpointRow['access']['needs']
/** Alternatives, each with the schemes that it needs together. */
export type Security = readonly JsonObject[]

export interface OpenApiOptions {
  title: string
  version: string
  description: string
  basePath: string
  /** `envelope`: every 200 is the response envelope around the data. `problem`: the data itself, failures as RFC 9457. */
  failures: 'envelope' | 'problem'
  securitySchemes: JsonObject
  /** How a request of a row is authenticated, by what the row needs; null for one that needs nothing. */
  securityOf: (needs: Access) => Security
  /** The types that get a name in the document. */
  names: ReadonlyMap<z.ZodType, string>
  /** The problem of a request that is refused: of `names`, or a schema. */
  problem: z.ZodType
  /** Optional members that the data of a row may have besides those of its schema, by their names; default: none. */
  addedTo?: (name: EndpointName, row: EndpointRow) => JsonObject
}

/** The OpenAPI 3.1 document of a set of rows, generated from the schemas that validate requests. */
export function openApiDocument(rows: Endpoints, options: OpenApiOptions): JsonObject {
  const entries = Object.entries(rows) as [EndpointName, EndpointRow][]
  const schemas = rowSchemas(entries, { ...options, hasFailures: options.failures === 'envelope' })
  const paths: Record<string, JsonObject> = {}
  for (const [name, row] of entries) {
    const { method, path } = splitName(name)
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation(name, row, { ...options, schemas }) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: options.title,
      version: options.version,
      description: options.description,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: options.basePath }],
    paths,
    components: { securitySchemes: options.securitySchemes, schemas: schemas.components },
  }
}

type Place = OpenApiOptions & { schemas: RowSchemas }

function operation(name: EndpointName, row: EndpointRow, place: Place): JsonObject {
  const { params, query, body } = place.schemas.of(name)
  const parameters = [
    ...parametersOf(params, 'path'),
    ...parametersOf(query, 'query'),
    ...(isWrite(name, row) && row.access.needs !== 'plugin-credential'
      ? [
          {
            name: 'Idempotency-Key',
            in: 'header',
            required: true,
            schema: { type: 'string', maxLength: 128 },
          },
        ]
      : []),
  ]
  return {
    operationId: operationName(name, row),
    summary: row.summary,
    description: `${accessText(row)}${RECENT_SIGN_IN_TEXT[row.recentSignIn ?? 'never']} Failure codes: ${[...new Set(['REQUEST_INVALID', ...row.codes])].join(', ')}.`,
    security: [...place.securityOf(row.access.needs)],
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && { requestBody: { required: true, content: json(body) } }),
    responses: responsesOf(name, row, place),
  }
}

const RECENT_SIGN_IN_TEXT = {
  always: ' Requires a recent sign-in.',
  takeovers: ' Requires a recent sign-in for takeovers, and to override a restriction.',
  overrides: ' Requires a recent sign-in to override a restriction.',
  replacements: ' Requires a recent sign-in to change what exists.',
  never: '',
} as const

function responsesOf(
  name: EndpointName,
  row: EndpointRow,
  { schemas, failures, addedTo }: Place,
): JsonObject {
  const answer = withMembers(schemas.of(name).answer, addedTo?.(name, row) ?? {})
  const refused = { content: { 'application/problem+json': { schema: schemas.problem } } }
  const problems = {
    '4XX': { description: 'The request is refused', ...refused },
    '5XX': { description: 'The request was not answered', ...refused },
  }
  if (row.answers === 'events') {
    const content = { 'text/event-stream': { schema: answer } }
    return { 200: { description: 'Server-sent events', content }, ...problems }
  }
  if (failures === 'problem') return { 200: { description: 'The data', content: json(answer) }, ...problems }
  return {
    200: {
      description: 'The envelope; `errorCode` 0 with the data, else failure data',
      content: json({
        oneOf: [envelope({ const: '0' }, answer), envelope({ enum: codesOf(row) }, schemas.failure)],
      }),
    },
    ...problems,
  }
}

function withMembers(answer: JsonValue, members: JsonObject): JsonValue {
  if (Object.keys(members).length === 0) return answer
  return isJsonObject(answer) && isJsonObject(answer['properties'])
    ? { ...answer, properties: { ...answer['properties'], ...members } }
    : { allOf: [answer, { type: 'object', properties: members }] }
}

const codesOf = ({ access, codes }: EndpointRow): string[] => [
  ...new Set(['REQUEST_INVALID', ...(access.needs === 'nothing' ? [] : ['PERMISSION_DENIED']), ...codes]),
]

const envelope = (errorCode: JsonObject, data: JsonValue): JsonObject => ({
  type: 'object',
  required: ['errorCode', 'data'],
  properties: { contractVersion: { const: '1.0.0' }, errorCode: { type: 'string', ...errorCode }, data },
})

function parametersOf(schema: JsonObject | undefined, place: 'path' | 'query'): JsonObject[] {
  const { properties = {}, required = [] } = schema ?? {}
  return Object.entries(properties as JsonObject).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || (required as JsonValue[]).includes(name),
    schema: property,
  }))
}

function json(schema: JsonValue): JsonObject {
  return { 'application/json': { schema } }
}

function accessText(row: EndpointRow): string {
  const { access } = row
  switch (access.needs) {
    case 'nothing':
      return 'Open to anyone.'
    case 'session':
      return 'Requires a session.'
    case 'recording':
      return 'Requires an actor assertion for the audience bundle-runtime-audit.'
    case 'plugin-credential':
      return 'Requires the plugin’s own credential.'
    default:
      return `Requires the permission ${access.needs} (${access.where}).`
  }
}

/** What a path of the scope or of the contract begins with, and what no name needs. */
const PREFIX =
  /^\/(?:scopes\/\{environmentKey\}\/\{applicationRuntimeId\}\/\{workspaceId\}\/|bundle-plugin\/)?/
const VERBS = { GET: 'get', POST: 'create', PUT: 'put', PATCH: 'update', DELETE: 'delete' } as const

/**
 * The name of an operation in clients: a verb and the nouns of the path, `getInstallation`, `listOperations`,
 * `retryOperation`, `planInstallationUpgrade`. Of a POST, the end of the path is the verb, unless it is a plural.
 */
function operationName(name: EndpointName, row: EndpointRow): string {
  const { method, path } = splitName(name)
  const segments = path.replace(PREFIX, '').split('/')
  const nouns = segments.flatMap((segment, index) =>
    segment.startsWith('{')
      ? []
      : [segments[index + 1]?.startsWith('{') === true ? singular(segment) : segment],
  )
  const last = nouns.at(-1) ?? ''
  const isAction =
    method !== 'GET' && method !== 'PUT' && !segments.at(-1)?.startsWith('{') && !last.endsWith('s')
  if (method === 'POST' && isAction) return camel([last, ...planned(nouns.slice(0, -1), last)])
  if (method === 'POST') return camel([VERBS.POST, ...nouns.slice(0, -1), singular(last)])
  if (row.answers === 'events') return camel(['stream', ...nouns])
  const isList = method === 'GET' && 'shape' in row.answer && hasItems(row.answer.shape)
  return camel([isList ? 'list' : VERBS[method], ...nouns])
}

/** The plan of a POST that makes one thing of a collection is that of one thing. */
const planned = (nouns: readonly string[], verb: string): string[] =>
  verb === 'plan' ? nouns.map(singular) : [...nouns]

const hasItems = (shape: unknown): boolean => typeof shape === 'object' && shape !== null && 'items' in shape

const singular = (noun: string): string =>
  noun
    .replace(/ies$/, 'y')
    .replace(/(?<=ch)es$/, '')
    .replace(/s$/, '')

const camel = (words: readonly string[]): string =>
  words
    .flatMap((word) => word.split('-'))
    .map((word, index) => (index === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1)))
    .join('')
