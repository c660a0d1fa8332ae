import { Hono } from 'hono'
import { costOf, isWrite, splitName } from '#contract/endpoint/endpoint.ts'
import type { EndpointName, EndpointRow, Method } from '#contract/endpoint/endpoint.ts'
import type { JsonValue } from '#contract/json-schema/json.ts'
import { successEnvelope } from '#contract/protocol/envelope.ts'
import { runtimeApi } from '#contract/runtime-api/rows.ts'
import type { WriteName } from '#contract/runtime-api/rows.ts'
import { TransportError } from '#http-kit/problem-response.ts'
import type { RuntimeDeps } from '../deps/runtime-deps.ts'
import { DomainError } from '../engine/refusals.ts'
import type { Actor } from '../model/actor.ts'
import type { ReadContext, WriteContext } from '../use-cases/context.ts'
import { auditSubjectOf } from './audit-subjects.ts'
import { requirePermission } from './callers.ts'
import type { CallerLimits, PersonAccess } from './callers.ts'
import { refusalEnvelope } from './failures.ts'
import type { Handlers, HttpContext, HttpApp } from './http-app.ts'
import { idempotencyKeyOf, requestText, readRequest } from './read-request.ts'
import type { ReadRequest } from './read-request.ts'
import { recordDenied, writeRow } from './write-row.ts'
import { STANDBY_READS } from './standby-reads.ts'
import type { StandbyReads } from './standby-reads.ts'
import type { Db } from '../model/db.ts'

export interface MountOptions extends CallerLimits {
  deps: RuntimeDeps
  handlers: Handlers
  checkService(request: Request): void
  checkActor(request: Request, requestId: string): Promise<Actor>
  /** Whether this process has too much to do for expensive requests. */
  isBehind(): boolean
  /** Serves some of the reads; see {@link STANDBY_READS}. */
  standby?: StandbyReads | undefined
  /** Called after each committed write. */
  onWrite(): void
  /** Checks every response against its row's schema and removes unknown fields. */
  checkAnswers: boolean
}

/** A handler of some row. The types of its context and input are known per name only, not in a loop over the names. */
type AnyHandler = (context: never, input: never) => Promise<unknown>

/** One request for one row. */
interface RowCall {
  c: HttpContext
  name: keyof typeof runtimeApi & EndpointName
  row: EndpointRow
  access: PersonAccess
  handler: AnyHandler
  options: MountOptions
}

/** Authenticates the caller, then calls the handler of the row. A refusal becomes a failure envelope. */
async function serveRow(call: RowCall): Promise<Response> {
  const { c, name, row, options } = call
  c.set('endpoint', name)
  options.checkService(c.req.raw)
  const actor = await options.checkActor(c.req.raw, c.var.requestId)
  c.set('actorId', actor.id)
  const serve = () => serveCounted(call, actor)
  // a stream stays open, and a probe waits for a plugin
  if (row.answers === 'events' || name === 'POST /plugins/{pluginId}/probe') return serve()
  const kind = isWrite(name, row) || row.ownState === true ? 'write' : 'read'
  return options.inTurn(kind, actor.id, c.req.raw, serve)
}

async function serveCounted(call: RowCall, actor: Actor): Promise<Response> {
  const { c, options } = call
  options.limitRate(actor.id)
  try {
    return await serveRequest(call, actor)
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    return envelope(c, refusalEnvelope(error, 'bundle-runtime'))
  } finally {
    const { answerLength: answer = 0, readLength: read = 0 } = c.var
    options.oweAnswer(actor.id, { answer, read })
  }
}

async function serveRequest(call: RowCall, actor: Actor): Promise<Response> {
  const { c, name, row, options } = call
  const { deps } = options
  const request = await readRequest(c.req.raw, row, c.req.param())
  const spendMore = (cost: number): void => {
    if (cost === 0) return
    // a stream that cannot resume has its reader load everything again
    if (options.isBehind() && row.answers !== 'events')
      throw new TransportError('SERVICE_UNAVAILABLE', undefined, { 'retry-after': '1' })
    options.limitRate(actor.id, cost)
  }
  spendMore(costOf(row, request.body, request.bytes) - 1)
  if (isWrite(name, row)) return serveWrite(call, actor, request, spendMore)
  requirePermission(call.access, actor, request)
  if (row.answers === 'events') return handle<Response>(call, { deps, actor, spendMore }, c.req.raw)
  const hasRead = hasReadFor(c)
  const read = (db: Db) => dataOf(call, { deps: { ...deps, db }, actor, spendMore, hasRead }, request)
  const { standby } = options
  const isServed = standby !== undefined && STANDBY_READS.has(name)
  return envelope(c, successEnvelope(await (isServed ? standby.read(read) : read(deps.db))))
}

async function serveWrite(
  call: RowCall,
  actor: Actor,
  request: ReadRequest,
  spendMore: (cost: number) => void,
): Promise<Response> {
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
    run: (context) => dataOf(call, { ...context, spendMore, hasRead: hasReadFor(c) }, request),
    forRepeats: (data) => withoutFields(data, row.shownOnce ?? []),
    auditSubject,
  })
  if (wrote) options.onWrite()
  return envelope(c, answer)
}

const hasReadFor =
  (c: HttpContext) =>
  (length: number): void =>
    // a request may plan twice: that of a change request, and that of the use case which applies it
    c.set('readLength', (c.var.readLength ?? 0) + length)

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

/** Mounts every row of the runtime API. Throws if a row has no permission for a person or no handler. */
export function mountRuntimeApi(options: MountOptions): HttpApp {
  const app: HttpApp = new Hono()
  const byPattern = Map.groupBy(
    Object.entries(runtimeApi) as [keyof typeof runtimeApi & EndpointName, EndpointRow][],
    ([name]) => splitName(name).path.replace(/\{(\w+)\}/g, ':$1'),
  )
  for (const [pattern, rows] of [...byPattern].toSorted(([one], [other]) => literalFirst(one, other))) {
    for (const [name, row] of rows) {
      const access = personAccess(name, row)
      const handler: AnyHandler | undefined = options.handlers[name]
      if (handler === undefined) throw new Error(`The endpoint "${name}" has no handler`)
      app.on(splitName(name).method, pattern, (c) => serveRow({ c, name, row, access, handler, options }))
    }
    const methods = rows.map(([name]) => splitName(name).method)
    app.all(pattern, (c) => refuseMethod(c, methods))
  }
  return app
}

/** `/batches/plan` comes before `/batches/:batchId`, which matches it too. */
function literalFirst(one: string, other: string): number {
  const shape = (pattern: string) =>
    pattern.replace(/[^/]+/g, (segment) => (segment.startsWith(':') ? '1' : '0'))
  return shape(one) < shape(other) ? -1 : 1
}

function personAccess(name: string, row: EndpointRow): PersonAccess {
  // the type guarantees it, but a row may come from plain JavaScript or a careless cast
  const access: EndpointRow['access'] | undefined = row.access
  if (access !== undefined && 'where' in access) return access
  throw new Error(`The endpoint "${name}" does not say which permission it needs`)
}

/** Responds to OPTIONS with the methods, without permission for other origins; refuses any other method with 405. */
export function refuseMethod(c: HttpContext, methods: readonly Method[]): Response {
  const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ')
  if (c.req.method === 'OPTIONS') return c.body(null, 204, { allow })
  throw new TransportError('METHOD_NOT_ALLOWED', undefined, { allow })
}

/** Sends an envelope: always status 200, never cached. */
export function envelope(c: HttpContext, body: JsonValue): Response {
  if (typeof body === 'object' && body !== null && 'errorCode' in body && typeof body.errorCode === 'string')
    c.set('errorCode', body.errorCode)
  const text = JSON.stringify(body)
  c.set('answerLength', text.length)
  return new Response(text, {
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  })
}
