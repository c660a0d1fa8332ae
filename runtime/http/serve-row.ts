import { isWrite } from '#contract/endpoint/endpoint.ts'
import type { EndpointName, EndpointRow } from '#contract/endpoint/endpoint.ts'
import { successEnvelope } from '#contract/protocol/envelope.ts'
import type { JsonValue } from '#contract/json-schema/json.ts'
import type { runtimeApi, WriteName } from '#contract/runtime-api/rows.ts'
import type { Actor } from '../model/actor.ts'
import type { ReadContext, WriteContext } from '../use-cases/context.ts'
import { DomainError } from '../engine/refusals.ts'
import type { RuntimeDeps } from '../deps/runtime-deps.ts'
import { requirePermission } from './require-permission.ts'
import type { PersonAccess } from './require-permission.ts'
import { refusalEnvelope } from './failures.ts'
import { auditSubjectOf } from './audit-subjects.ts'
import type { Handlers } from './handlers.ts'
import { envelope } from './http-app.ts'
import type { HttpContext } from './http-app.ts'
import { idempotencyKeyOf, requestText, readRequest } from './read-request.ts'
import type { ReadRequest } from './read-request.ts'
import { recordDenied, writeRow } from './write-row.ts'

export interface MountOptions {
  deps: RuntimeDeps
  handlers: Handlers
  checkService(request: Request): void
  checkActor(request: Request, requestId: string): Promise<Actor>
  limitRate(caller: string): void
  /** Called after each committed write. */
  onWrite(): void
  /** Checks every response against its row's schema and removes unknown fields. */
  checkAnswers: boolean
}

/** A handler of some row. The types of its context and input are known per name only, not in a loop over the names. */
export type AnyHandler = (context: never, input: never) => Promise<unknown>

/** One request for one row. */
export interface RowCall {
  c: HttpContext
  name: keyof typeof runtimeApi & EndpointName
  row: EndpointRow
  access: PersonAccess
  handler: AnyHandler
  options: MountOptions
}

/** Authenticates the caller, then calls the handler of the row. A refusal becomes a failure envelope. */
export async function serveRow(call: RowCall): Promise<Response> {
  const { c, name, options } = call
  c.set('endpoint', name)
  options.checkService(c.req.raw)
  const actor = await options.checkActor(c.req.raw, c.var.requestId)
  c.set('actorId', actor.id)
  options.limitRate(actor.id)
  try {
    return await serveRequest(call, actor)
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    return envelope(c, refusalEnvelope(error, 'bundle-runtime'))
  }
}

async function serveRequest(call: RowCall, actor: Actor): Promise<Response> {
  const { c, name, row, options } = call
  const { deps } = options
  const request = await readRequest(c.req.raw, row, c.req.param())
  if (isWrite(name, row)) return serveWrite(call, actor, request)
  requirePermission(call.access, actor, request)
  if (row.answers === 'events') return handle<Response>(call, { deps, actor }, c.req.raw)
  return envelope(c, successEnvelope(await dataOf(call, { deps, actor }, request)))
}

async function serveWrite(call: RowCall, actor: Actor, request: ReadRequest): Promise<Response> {
  const { c, name, row, access, options } = call
  const { deps } = options
  const auditSubject = () => auditSubjectOf(name as WriteName, request)
  const key = idempotencyKeyOf(c.req.raw)
  try {
    requirePermission(access, actor, request)
  } catch (error) {
    if (error instanceof DomainError) await recordDenied(deps.db, actor, auditSubject(), error)
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
    recentSignIn: row.recentSignIn,
    params: request.params,
    run: (context) => dataOf(call, context, request),
    forRepeats: (data) => withoutFields(data, row.shownOnce ?? []),
    auditSubject,
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

// The cast is safe: `Handlers` has a handler of exactly this context and input for this name, and `readRequest` has
// parsed the input with this name's row.
function handle<Result>({ handler }: RowCall, context: ReadContext, input: unknown): Promise<Result> {
  return handler(context as never, input as never) as Promise<Result>
}

/** The data with these fields null. */
function withoutFields(data: JsonValue, fields: readonly string[]): JsonValue {
  if (fields.length === 0) return data
  return { ...Object(data), ...Object.fromEntries(fields.map((field) => [field, null])) }
}
