import * as z from 'zod'
import { isWrite, splitName } from './endpoint.ts'
import type { EndpointName, EndpointRow, Endpoints } from './endpoint.ts'

export interface OpenApiOptions {
  title: string
  version: string
  description: string
  basePath: string
  /** `envelope`: every 200 is the response envelope around the data. `problem`: the data itself, failures as RFC 9457. */
  failures: 'envelope' | 'problem'
}

/** The OpenAPI 3.1 document of a set of rows, generated from the schemas that validate requests. */
export function openApiDocument(rows: Endpoints, options: OpenApiOptions): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const [name, row] of Object.entries(rows) as [EndpointName, EndpointRow][]) {
    const { method, path } = splitName(name)
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation(name, row, options) }
  }
  return {
    openapi: '3.1.0',
    info: { title: options.title, version: options.version, description: options.description },
    servers: [{ url: options.basePath }],
    paths,
  }
}

function operation(name: EndpointName, row: EndpointRow, options: OpenApiOptions): Record<string, unknown> {
  const parameters = [
    ...parametersOf(row.params, 'path'),
    ...parametersOf(row.query, 'query'),
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
    operationId: operationIdOf(name),
    summary: row.summary,
    description: `${accessText(row)}${RECENT_SIGN_IN_TEXT[row.recentSignIn ?? 'never']} Failure codes: ${['REQUEST_INVALID', ...row.codes].join(', ')}.`,
    ...(parameters.length > 0 && { parameters }),
    ...(row.body && { requestBody: { required: true, content: json(schemaOf(row.body, 'input')) } }),
    responses: responsesOf(row, options),
  }
}

const RECENT_SIGN_IN_TEXT = {
  always: ' Requires a recent sign-in.',
  takeovers: ' Requires a recent sign-in for takeovers, and to override a restriction.',
  overrides: ' Requires a recent sign-in to override a restriction.',
  never: '',
} as const

function responsesOf(row: EndpointRow, options: OpenApiOptions): Record<string, unknown> {
  const answer = schemaOf(row.answer, 'output')
  if (row.answers === 'events') {
    return {
      200: { description: 'Server-sent events', content: { 'text/event-stream': { schema: answer } } },
    }
  }
  if (options.failures === 'problem') {
    return {
      200: { description: 'The data', content: json(answer) },
      default: {
        description: 'Problem',
        content: { 'application/problem+json': { schema: { type: 'object' } } },
      },
    }
  }
  return {
    200: {
      description: 'The envelope; `errorCode` 0 with the data, else failure data',
      content: json({
        type: 'object',
        required: ['errorCode', 'data'],
        properties: { contractVersion: { const: '1.0.0' }, errorCode: { type: 'string' }, data: answer },
      }),
    },
  }
}

function parametersOf(schema: z.ZodObject | undefined, place: 'path' | 'query'): unknown[] {
  if (schema === undefined) return []
  const shape = schemaOf(schema, 'input') as { properties?: Record<string, unknown>; required?: string[] }
  return Object.entries(shape.properties ?? {}).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || (shape.required ?? []).includes(name),
    schema: property,
  }))
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Record<string, unknown> {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    target: 'draft-2020-12',
  })
  return rest
}

function json(schema: unknown): Record<string, unknown> {
  return { 'application/json': { schema } }
}

function operationIdOf(name: EndpointName): string {
  return name
    .replace(/[{}]/g, '')
    .split(/[^A-Za-z0-9]+/)
    .map((word, index) => (index === 0 ? word.toLowerCase() : word.charAt(0).toUpperCase() + word.slice(1)))
    .join('')
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
