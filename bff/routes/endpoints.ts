import { Hono } from 'hono'
import type { Context } from 'hono'
import { consoleApi } from '#contract/console-api/rows.ts'
import { costOf, splitName } from '#contract/endpoint/endpoint.ts'
import type { EndpointName, EndpointRow } from '#contract/endpoint/endpoint.ts'
import { mayAnywhere, mayEverywhere, mayIn } from '#contract/endpoint/permission.ts'
import type { Grant, Place } from '#contract/endpoint/permission.ts'
import type { JsonValue } from '#contract/json-schema/json.ts'
import { hideProtectedProperty } from '#contract/protocol/protected-property.ts'
import { INSTANCE_REF_PROPERTY } from '#contract/protocol/limits.ts'
import { platformMessage } from '#contract/protocol/platform-messages.ts'
import { runtimeApi } from '#contract/runtime-api/rows.ts'
import type { RuntimeApi } from '#contract/runtime-api/rows.ts'
import { createTurns } from '#http-kit/token-bucket.ts'
import type { Turns } from '#http-kit/token-bucket.ts'
import { refusedRequest } from '../audit/recorder.ts'
import type { RefusedRequest } from '../audit/recorder.ts'
import { ConsoleFailure } from '../failure.ts'
import type { RateVariables } from '../middleware/rate-limit.ts'
import type { AssertedPerson } from '../runtime/actor-assertion.ts'
import type { RuntimeClient } from '../runtime/runtime-client.ts'
import { parseReceived, receive } from './receive.ts'

export interface ApiVariables {
  requestId: string
  clientAddress: string
  person: AssertedPerson
  endpoint?: string
  spend: RateVariables['spend']
}

interface EndpointOptions {
  runtime: RuntimeClient
  assertionOf: (person: AssertedPerson) => Promise<string>
  /** Called with each request that is refused here for lack of a permission or because of the protected property. */
  onRefused: (c: ApiContext, request: RefusedRequest) => Promise<void>
}

/**
 * How many reads, writes and probes of one person are passed on at once: all people share the connections to the runtime.
 * They wait apart, because a slow search must not hold up a save, nor a plugin that does not answer a probe.
 */
const AT_ONCE = 8
/** As many as the limits of a person let wait. */
const WAITING_MAX = 500
/** As long as a request may take once it has its turn. */
const WAIT_MS = 15_000

type ApiContext = Context<{ Variables: ApiVariables }>

/**
 * The routes of `/api/*`, one for each row of the runtime's API: checks the permission and the request,
 * forwards it, and validates the response. A row without a permission fails the start, so that none can be
 * forgotten.
 */
export function endpointRoutes(given: EndpointOptions): Hono<{ Variables: ApiVariables }> {
  const app = new Hono<{ Variables: ApiVariables }>()
  const options = {
    ...given,
    turns: createTurns({ atOnce: AT_ONCE, waitingMax: WAITING_MAX, waitMs: WAIT_MS }),
  }
  for (const [name, row] of Object.entries(runtimeApi) as [keyof RuntimeApi, EndpointRow][]) {
    if (row.access === undefined) throw new TypeError(`The endpoint ${name} has no permission`)
    if (row.answers === 'events') continue
    const { method, path } = splitName(name)
    app.on(method, honoPath(path), (c) => serveRow(c, name, row, options))
  }
  return app
}

/** The methods of a path, so that another method gets 405 instead of 404. */
export function methodsOf(path: string): string[] {
  return (Object.keys(consoleApi) as EndpointName[])
    .map((name) => splitName(name))
    .filter((endpoint) => new RegExp(`^${endpoint.path.replace(/\{\w+\}/g, '[^/]+')}$`).test(path))
    .map((endpoint) => endpoint.method)
}

async function serveRow(
  c: ApiContext,
  name: keyof RuntimeApi,
  row: EndpointRow,
  options: EndpointOptions & { turns: Turns },
): Promise<Response> {
  const person = c.var.person
  c.set('endpoint', name)
  const received = await receive(c, name, row)
  const { params, query, idempotencyKey } = received
  const body = received.body?.json
  // permission first: only people who may make the request see what is wrong with it
  try {
    permit(person.grants, row, params, body)
    refuseProtected(body)
  } catch (error) {
    if (error instanceof ConsoleFailure)
      await options.onRefused(c, refusedRequest(name, { params, body, errorCode: error.code }))
    throw error
  }
  c.var.spend(costOf(row, body, received.body?.bytes.length ?? 0))
  parseReceived(row, received)
  const call = {
    name,
    params,
    query: withoutEmpty(query),
    // forward the received bytes: a newly serialized body could exceed the runtime's size limit
    body: received.body?.bytes ?? null,
    requestId: c.var.requestId,
    idempotencyKey,
    // a write is never aborted: the runtime may already have executed it
    ...(!received.isWrite && { signal: c.req.raw.signal }),
  }
  // the assertion is valid for a moment only, from its turn on
  const kind = name === 'POST /plugins/{pluginId}/probe' ? 'probe' : received.isWrite ? 'write' : 'read'
  const served = await options.turns.take(
    `${kind} ${person.id}`,
    async () => {
      const assertion = await options.assertionOf({ ...person, clientAddress: c.var.clientAddress })
      return { data: await options.runtime({ ...call, assertion }) }
    },
    c.req.raw.signal,
  )
  if (served === null) throw new ConsoleFailure('RATE_LIMITED', { retryable: true })
  const { data } = served
  return c.json((row.keepsProtectedProperty === true ? data : hideProtectedProperty(data)) as JsonValue)
}

/**
 * Enforces what can be known here. Only the runtime knows the scope of an object; it checks every permission
 * again.
 */
export function permit(
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
    throw new ConsoleFailure(
      'PERMISSION_DENIED',
      platformMessage(NEEDED[where] ?? 'permissionNeeded', { permission: needs }),
    )
}

const NEEDED: Partial<Record<string, 'permissionNeededEverywhere' | 'permissionNeededAnywhere'>> = {
  everywhere: 'permissionNeededEverywhere',
  anywhere: 'permissionNeededAnywhere',
  list: 'permissionNeededAnywhere',
  object: 'permissionNeededAnywhere',
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

function withoutEmpty(query: URLSearchParams): URLSearchParams {
  return new URLSearchParams([...query].filter(([, value]) => value !== ''))
}

/** A path template as the router writes it. */
export function honoPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1')
}

/**
 * The places at which a write sets the protected property: changes, the resources of a full configuration, the
 * properties of an install or upgrade, and the values of a local service. The last has no `locator`.
 */
export function findProtectedProperty(body: unknown): { locator?: string }[] {
  if (!isObject(body)) return []
  const found: { locator?: string }[] = []
  for (const part of [body['changes'], body['properties'], body['resources']]) {
    if (!isObject(part)) continue
    for (const [locator, entry] of Object.entries(part)) {
      const properties = isObject(entry) && part === body['resources'] ? entry['properties'] : entry
      if (isObject(properties) && INSTANCE_REF_PROPERTY in properties) found.push({ locator })
    }
  }
  if (isObject(body['values']) && INSTANCE_REF_PROPERTY in body['values']) found.push({})
  return found
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
