import { Hono } from 'hono'
import type { Context } from 'hono'
import { isWrite, splitName } from '#contract/endpoint/endpoint.ts'
import type { EndpointName, EndpointRow, Method } from '#contract/endpoint/endpoint.ts'
import { successEnvelope } from '#contract/protocol/envelope.ts'
import type { JsonValue } from '#contract/json-schema/json.ts'
import { AUDIT_ACTION_OF } from '#contract/runtime-api/audited-writes.ts'
import { runtimeApi } from '#contract/runtime-api/rows.ts'
import type { WriteName } from '#contract/runtime-api/rows.ts'
import { TransportError } from '#http-kit/problem.ts'
import type { RequestIdVariables } from '#http-kit/request-id.ts'
import type { Actor } from '../model/actor.ts'
import type { ReadContext, WriteContext } from '../use-cases/context.ts'
import { DomainError } from '../engine/domain-error.ts'
import type { RuntimeDeps } from '../deps/runtime-deps.ts'
import { requirePermission } from './require-permission.ts'
import type { PersonAccess } from './require-permission.ts'
import { refusalEnvelope } from './failures.ts'
import type { AuditSubject, AuditSubjects, Handlers } from './handlers.ts'
import { idempotencyKeyOf, requestText } from './idempotency-key.ts'
import { readRequest } from './read-request.ts'
import type { ReadRequest } from './read-request.ts'
import { recordDenied, writeRow } from './write-row.ts'

export interface HttpVariables extends RequestIdVariables {
  /** The row that serves the request, for log and metrics. */
  endpoint: string
  /** What the envelope says, for log and metrics. */
  errorCode: string
  actorId: string
}
export type HttpApp = Hono<{ Variables: HttpVariables }>
type HttpContext = Context<{ Variables: HttpVariables }>

export interface MountOptions {
  deps: RuntimeDeps
  handlers: Handlers
  attempts: AuditSubjects
  checkService(request: Request): void
  checkActor(request: Request, requestId: string): Promise<Actor>
  limitRate(caller: string): void
  /** After each write that was committed. */
  onWrite(): void
  /** Holds every answer against its row's schema and strips what the schema does not know. */
  checkAnswers: boolean
}

// What the row and the handler record tell the compiler name by name is not known of a name in a loop.
type AnyHandler = (context: never, input: never) => Promise<unknown>

/** Mounts every row of the runtime API; throws where a row has no person's permission or no handler. */
export function mountRuntimeApi(options: MountOptions): HttpApp {
  const app: HttpApp = new Hono()
  const allowed = new Map<string, Method[]>()
  for (const [name, row] of Object.entries(runtimeApi) as [
    keyof typeof runtimeApi & EndpointName,
    EndpointRow,
  ][]) {
    const access = personAccess(name, row)
    const handler: AnyHandler | undefined = options.handlers[name]
    if (handler === undefined) throw new Error(`The endpoint "${name}" has no handler`)
    const { method, path } = splitName(name)
    const pattern = path.replace(/\{(\w+)\}/g, ':$1')
    allowed.set(pattern, [...(allowed.get(pattern) ?? []), method])
    app.on(method, pattern, (c) => serveRow({ c, name, row, access, handler, options }))
  }
  for (const [pattern, methods] of allowed) app.all(pattern, (c) => refuseMethod(c, methods))
  return app
}

function personAccess(name: string, row: EndpointRow): PersonAccess {
  // the type demands it, but a row may come from plain JavaScript or a careless cast
  const access: EndpointRow['access'] | undefined = row.access
  if (access !== undefined && 'where' in access) return access
  throw new Error(`The endpoint "${name}" does not say which permission it needs`)
}

/** For OPTIONS the methods, without any permission for other origins; else 405. */
export function refuseMethod(c: HttpContext, methods: readonly Method[]): Response {
  const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ')
  if (c.req.method === 'OPTIONS') return c.body(null, 204, { allow })
  throw new TransportError('METHOD_NOT_ALLOWED', undefined, { allow })
}

interface RowCall {
  c: HttpContext
  name: keyof typeof runtimeApi & EndpointName
  row: EndpointRow
  access: PersonAccess
  handler: AnyHandler
  options: MountOptions
}

async function serveRow(call: RowCall): Promise<Response> {
  const { c, name, options } = call
  c.set('endpoint', name)
  options.checkService(c.req.raw)
  const actor = await options.checkActor(c.req.raw, c.var.requestId)
  c.set('actorId', actor.id)
  options.limitRate(actor.id)
  try {
    return await answerRow(call, actor)
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    return envelope(c, refusalEnvelope(error, 'bundle-runtime'))
  }
}

async function answerRow(call: RowCall, actor: Actor): Promise<Response> {
  const { c, name, row, options } = call
  const { deps } = options
  const request = await readRequest(c.req.raw, row, c.req.param())
  if (isWrite(name, row)) return answerWrite(call, actor, request)
  requirePermission(call.access, actor, request)
  if (row.answers === 'events') return handle<Response>(call, { deps, actor }, c.req.raw)
  return envelope(c, successEnvelope(await dataOf(call, { deps, actor }, request)))
}

async function answerWrite(call: RowCall, actor: Actor, request: ReadRequest): Promise<Response> {
  const { c, name, access, options } = call
  const { deps } = options
  const attempted = () => attemptedBy(options.attempts, name, request)
  const key = idempotencyKeyOf(c.req.raw)
  try {
    requirePermission(access, actor, request)
  } catch (error) {
    if (error instanceof DomainError) await recordDenied(deps.db, actor, attempted(), error)
    throw error
  }
  const { answer, wrote } = await writeRow({
    deps,
    actor,
    key: {
      actorId: actor.id,
      endpoint: `${c.req.method} ${c.req.path}`,
      key,
    },
    request: requestText(request.json),
    access,
    params: request.params,
    run: (context) => dataOf(call, context, request),
    forRepeats: (data) =>
      name === 'POST /plugins/{pluginId}/credentials' ? { ...Object(data), secret: null } : data,
    attempted,
  })
  if (wrote) options.onWrite()
  return envelope(c, answer)
}

async function dataOf(
  call: RowCall,
  context: ReadContext | WriteContext,
  request: ReadRequest,
): Promise<JsonValue> {
  const { params, query, body } = request
  const data = await handle<JsonValue>(call, context, { params, query, body })
  return call.options.checkAnswers ? (call.row.answer.parse(data) as JsonValue) : data
}

// The one place that trusts the record: `Handlers` has given this name a handler of exactly this context and input,
// and `readRequest` has parsed the input with this name's row.
function handle<Result>({ handler }: RowCall, context: ReadContext, input: unknown): Promise<Result> {
  return handler(context as never, input as never) as Promise<Result>
}

function attemptedBy(attempts: AuditSubjects, name: string, request: ReadRequest): AuditSubject {
  const write = name as WriteName
  return { action: AUDIT_ACTION_OF[write], ...attempts[write](request as never) }
}

/** The one way an envelope is sent: always 200, never cached. */
export function envelope(c: HttpContext, body: JsonValue): Response {
  if (typeof body === 'object' && body !== null && 'errorCode' in body && typeof body.errorCode === 'string')
    c.set('errorCode', body.errorCode)
  return new Response(JSON.stringify(body), {
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  })
}
