import { Hono } from 'hono'
import type { Context } from 'hono'
import { isWrite, splitName } from '#contract/endpoint/endpoint.ts'
import type { EndpointName, EndpointRow } from '#contract/endpoint/endpoint.ts'
import { bodyProblem, parseRequest, requestFailure } from '#contract/endpoint/parse-request.ts'
import type { RequestProblem } from '#contract/endpoint/parse-request.ts'
import { mayAnywhere, mayEverywhere, mayIn } from '#contract/endpoint/permission.ts'
import type { Grant, Place } from '#contract/endpoint/permission.ts'
import { platformMessage } from '#contract/protocol/platform-messages.ts'
import { runtimeApi } from '#contract/runtime-api/rows.ts'
import type { RuntimeApi } from '#contract/runtime-api/rows.ts'
import { readJsonBody } from '#http-kit/body.ts'
import type { JsonBody } from '#http-kit/body.ts'
import { StrictJsonError } from '#http-kit/text/strict-json.ts'
import type { JsonValue } from '#contract/json-schema/json.ts'
import { refusedRequest } from '../audit/refused-request.ts'
import type { RefusedRequest } from '../audit/recorder.ts'
import type { AssertedPerson } from '../actor-assertion.ts'
import { ConsoleFailure } from '../failure.ts'
import { hideProtectedProperty } from '#contract/protocol/hide-protected-property.ts'
import { findProtectedProperty } from '../protected-property.ts'
import type { RuntimeClient } from '../runtime-client.ts'

export interface ApiVariables {
  requestId: string
  clientAddress: string
  person: AssertedPerson
  endpoint?: string
}

export interface EndpointOptions {
  runtime: RuntimeClient
  assertionOf: (person: AssertedPerson) => Promise<string>
  /** Called with each request that is refused here for lack of a permission or because of the protected property. */
  onRefused: (c: ApiContext, request: RefusedRequest) => Promise<void>
}

type ApiContext = Context<{ Variables: ApiVariables }>

const IDEMPOTENCY_KEY = /^[A-Za-z0-9._~-]{1,128}$/
const KEY_PROBLEM: RequestProblem = {
  path: 'header.Idempotency-Key',
  errorCode: 'REQUEST_INVALID',
  message: 'Is required: 1 to 128 of A-Z a-z 0-9 . _ ~ -',
}

/**
 * The routes of `/api/*`, one for each row of the runtime's API: checks the permission and the request,
 * forwards it, and validates the answer. A row without a permission fails the start, so that none can be
 * forgotten.
 */
export function endpointRoutes(options: EndpointOptions): Hono<{ Variables: ApiVariables }> {
  const app = new Hono<{ Variables: ApiVariables }>()
  for (const [name, row] of Object.entries(runtimeApi) as [keyof RuntimeApi, EndpointRow][]) {
    if (row.access === undefined) throw new TypeError(`The endpoint ${name} has no permission`)
    if (row.answers === 'events') continue
    const { method, path } = splitName(name)
    app.on(method, honoPath(path), (c) => answer(c, name, row, options))
  }
  return app
}

/** The methods of a path, so that another method gets 405 instead of 404. */
export function methodsOf(path: string): string[] {
  return (Object.keys(runtimeApi) as EndpointName[])
    .map((name) => splitName(name))
    .filter((endpoint) => new RegExp(`^${endpoint.path.replace(/\{\w+\}/g, '[^/]+')}$`).test(path))
    .map((endpoint) => endpoint.method)
}

async function answer(
  c: ApiContext,
  name: keyof RuntimeApi,
  row: EndpointRow,
  options: EndpointOptions,
): Promise<Response> {
  const person = c.var.person
  c.set('endpoint', name)
  const write = isWrite(name, row)
  const idempotencyKey = c.req.header('idempotency-key') ?? null
  const params: Record<string, string> = c.req.param()
  const query = new URLSearchParams(new URL(c.req.url).search)
  const received = row.body === undefined ? undefined : await readBody(c, row)
  const body = received?.json
  // permission first: only people who may make the request see what is wrong with it
  try {
    permit(person.grants, row, params, body)
    refuseProtected(body)
  } catch (error) {
    if (error instanceof ConsoleFailure)
      await options.onRefused(c, refusedRequest(name, { params, body, errorCode: error.code }))
    throw error
  }
  const parsed = parseRequest(row, { params, query, body })
  const lacksKey = write && (idempotencyKey === null || !IDEMPOTENCY_KEY.test(idempotencyKey))
  const problems = [...(lacksKey ? [KEY_PROBLEM] : []), ...(parsed.ok ? [] : parsed.problems)]
  if (problems.length > 0) throw invalid(problems)
  const data = await options.runtime({
    name,
    params,
    query: withoutEmpty(query),
    // forward the received bytes: a newly serialized body could exceed the runtime's size limit
    body: received?.bytes ?? null,
    assertion: await options.assertionOf({ ...person, clientAddress: c.var.clientAddress }),
    requestId: c.var.requestId,
    idempotencyKey: write ? idempotencyKey : null,
    // a write is never aborted: the runtime may already have executed it
    ...(!write && { signal: c.req.raw.signal }),
  })
  return c.json((row.keepsProtectedProperty === true ? data : hideProtectedProperty(data)) as JsonValue)
}

async function readBody(c: ApiContext, row: EndpointRow): Promise<JsonBody | undefined> {
  try {
    return await readJsonBody(c.req.raw, row.maxBodyBytes)
  } catch (error) {
    if (error instanceof StrictJsonError) throw invalid([bodyProblem(row, error.message)])
    throw error
  }
}

/**
 * Enforces what can be known here. Only the runtime knows the scope of an object; it checks every permission
 * again.
 */
function permit(
  grants: readonly Grant[],
  row: EndpointRow,
  params: Record<string, string>,
  body: unknown,
): void {
  const { access } = row
  if (!('where' in access)) return
  const { needs, where } = access
  const place =
    where === 'body' ? scopeOf(body) : where === 'path' || where === 'environment' ? placeOf(params) : null
  const permitted =
    where === 'everywhere'
      ? mayEverywhere(grants, needs)
      : place === null
        ? mayAnywhere(grants, needs)
        : mayIn(grants, needs, place)
  if (!permitted)
    throw new ConsoleFailure('PERMISSION_DENIED', { message: `This needs the permission ${needs}.` })
}

function placeOf(params: Record<string, string>): Place {
  const { environmentKey = '', applicationRuntimeId, workspaceId } = params
  if (applicationRuntimeId === undefined || workspaceId === undefined) return { environmentKey }
  return { environmentKey, applicationRuntimeId, workspaceId: Number(workspaceId) }
}

function scopeOf(body: unknown): Place | null {
  const scope = (body as { scope?: Record<string, unknown> } | undefined)?.scope
  const { environmentKey, applicationRuntimeId, workspaceId } = scope ?? {}
  if (
    typeof environmentKey !== 'string' ||
    typeof applicationRuntimeId !== 'string' ||
    typeof workspaceId !== 'number'
  ) {
    return null
  }
  return { environmentKey, applicationRuntimeId, workspaceId }
}

function refuseProtected(body: unknown): void {
  const found = findProtectedProperty(body)
  if (found.length === 0) return
  const refusal = platformMessage('propertyProtected')
  throw new ConsoleFailure('PROPERTY_PROTECTED', {
    ...refusal,
    details: found.map(({ locator }) => ({
      ...(locator !== undefined && { locator }),
      errorCode: 'PROPERTY_PROTECTED',
      ...refusal,
    })),
  })
}

function invalid(problems: readonly RequestProblem[]): ConsoleFailure {
  const { code, message, details } = requestFailure(problems)
  return new ConsoleFailure(code, { message: message.slice(0, 512), details })
}

function withoutEmpty(query: URLSearchParams): URLSearchParams {
  return new URLSearchParams([...query].filter(([, value]) => value !== ''))
}

function honoPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1')
}
