import type * as z from 'zod'
import type { Permission } from './permission.ts'

export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
export type Method = (typeof METHODS)[number]

/**
 * Where the scope of a permission check comes from.
 *
 * - `path`: the path names the scope.
 * - `body`: the body's `scope` names it.
 * - `object`: the scope of the object that the path names; people who may not read it get NOT_FOUND.
 * - `list`: the response contains only what the person may see.
 * - `environment`: the path's `environmentKey`.
 * - `everywhere`: a platform-wide object; only an unlimited grant counts.
 * - `anywhere`: a platform-wide object; any grant counts.
 */
type PermissionPlace = 'path' | 'body' | 'object' | 'list' | 'environment' | 'everywhere' | 'anywhere'

/**
 * Who may call: a person with a permission or a session, a plugin with its own credential, a console that reports its
 * own actions, or anyone.
 */
export type Access =
  | { needs: Permission; where: PermissionPlace }
  | { needs: 'session' }
  | { needs: 'plugin-credential' }
  | { needs: 'recording' }
  | { needs: 'nothing' }

/**
 * An endpoint is one row of data; servers, clients, the permission check, OpenAPI and contract tests are derived from
 * it.
 */
export interface EndpointRow {
  summary: string
  /** The action under which the audit has this write, also if it is refused; a read has none. */
  audit?: string
  access: Access
  params?: z.ZodObject
  query?: z.ZodObject
  body?: z.ZodType
  answer: z.ZodType
  /** The failure codes that this endpoint may return in addition to REQUEST_INVALID and PERMISSION_DENIED. */
  codes: readonly string[]
  /** `json` by default; `events` is a server-sent event stream whose messages are `answer`. */
  answers?: 'json' | 'events'
  /** A POST that writes nothing, such as a plan, takes no `Idempotency-Key`. */
  writesNothing?: true
  /**
   * Changes only settings and marks of the caller, such as which notifications are read. Repeating it does no harm, so it takes no
   * `Idempotency-Key`, and it changes nothing for others, so the audit has no entry and a viewer may do it.
   */
  ownState?: true
  /**
   * The code for a body that does not match its schema, for bodies that are documents in their own right; its `details`
   * are JSON pointers into the document. Defaults to REQUEST_INVALID with paths such as `body.reason`.
   */
  bodyErrorCode?: 'MANIFEST_INVALID'
  /** Fields that only the first response contains; a repeated request receives null there. */
  shownOnce?: readonly string[]
  /**
   * The response is an author's document: the console API returns it unchanged instead of removing the property that is
   * reserved for the runtime.
   */
  keepsProtectedProperty?: true
  /**
   * Whose person must have signed in recently, or is refused with RECENT_SIGN_IN_REQUIRED (docs/decisions/0034-recent-sign-in.md): all
   * requests, or only those that start takeovers, override a restriction or replace what is there, which the use case knows.
   */
  recentSignIn?: 'always' | 'takeovers' | 'overrides' | 'replacements'
  /**
   * How many ordinary requests one of these counts as in the limits of its caller; default 1. `targets`: it grows with the targets
   * (or `operationIds`) of the body, and with what it sets in them. A large body counts more in any case. What costs more than one is refused first by a program that falls behind.
   */
  cost?: number | 'targets'
  /** Maximum body size in bytes; defaults to BODY_BYTES_MAX. */
  maxBodyBytes?: number
}

export type EndpointName = `${Method} /${string}`
export type Endpoints = Record<EndpointName, EndpointRow>

export type ParamsOf<Row> = Row extends { params: infer Schema extends z.ZodType } ? z.output<Schema> : object
export type QueryOf<Row> = Row extends { query: infer Schema extends z.ZodType } ? z.output<Schema> : object
export type BodyOf<Row> = Row extends { body: infer Schema extends z.ZodType } ? z.output<Schema> : undefined
export type AnswerOf<Row> = Row extends { answer: infer Schema extends z.ZodType } ? z.output<Schema> : never

/** What a caller passes for a row; each part exists only if the row has it. The query is in its URL form. */
// row by row: the parts of all rows, each a union, would have more combinations than the compiler writes out
export type CallOf<Row> = Row extends unknown ? CallOfOne<Row> : never

type CallOfOne<Row> = (Row extends { params: infer Schema extends z.ZodType }
  ? { params: { [Name in keyof z.input<Schema>]: string | number } }
  : { params?: never }) &
  (Row extends { query: infer Schema extends z.ZodType }
    ? {} extends z.input<Schema>
      ? { query?: z.input<Schema> }
      : { query: z.input<Schema> }
    : { query?: never }) &
  (Row extends { body: infer Schema extends z.ZodType } ? { body: z.output<Schema> } : { body?: never })

/** Splits `GET /a/{b}` into method and path template. */
export function splitName(name: EndpointName): { method: Method; path: string } {
  const space = name.indexOf(' ')
  const method = METHODS.find((candidate) => candidate === name.slice(0, space))
  if (method === undefined) throw new TypeError(`"${name}" does not begin with a method`)
  return { method, path: name.slice(space + 1) }
}

/** Whether calls of this row change something and therefore carry an `Idempotency-Key`. */
export function isWrite(name: EndpointName, row: EndpointRow): boolean {
  return splitName(name).method !== 'GET' && row.writesNothing !== true && row.ownState !== true
}

const TARGETS_FOR_ONE = 20
const VALUES_FOR_ONE = 2000
const BYTES_FOR_ONE = 32 * 1024
/** How much of a value that a batch sets counts as one: it is planned, stored and audited in each target. */
const BATCH_VALUE_CHARACTERS = 160

/**
 * The cost of a request in ordinary requests, at least 1: that of its row, and what its size costs.
 *
 * @param body as received; it need not be valid.
 * @param bytes the size of the body.
 */
export function costOf({ cost = 1 }: EndpointRow, body: unknown, bytes: number): number {
  const ofSize = costOfBytes(bytes) - 1
  if (cost !== 'targets') return cost + ofSize
  // a change request has the batch as its input
  const batches = [body, memberOf(body, 'input')]
  const targets = Math.max(...batches.map(targetsIn)) / TARGETS_FOR_ONE
  const values = Math.max(...batches.map(batchValuesIn)) / VALUES_FOR_ONE
  return 2 + Math.floor(Math.max(targets, values)) + ofSize
}

/** What a request with a body of this size costs at least, whatever is in it, and whether or not it is accepted. */
export const costOfBytes = (bytes: number): number => 1 + Math.floor(bytes / BYTES_FOR_ONE)

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined

/** Of an object or a list: the characters of a text are no members. */
const membersOf = (value: unknown): unknown[] =>
  typeof value === 'object' && value !== null ? Object.values(value) : []

const targetsIn = (value: unknown): number => {
  const targets = memberOf(value, 'targets') ?? memberOf(value, 'operationIds')
  return Array.isArray(targets) ? targets.length : 0
}

/**
 * How many values a batch sets in all of its targets together; each named resource counts, even without values, and a long value counts
 * several times.
 */
export function batchValuesIn(batch: unknown): number {
  const input = memberOf(batch, 'input')
  const valuesOf = (changes: unknown): number =>
    sumOf(membersOf(changes).map((of) => 1 + sumOf(membersOf(of).map(countOfValue))))
  const common = ['properties', 'fill', 'changes'].map((name) => valuesOf(memberOf(input, name)))
  const own = membersOf(memberOf(input, 'values')).map(valuesOf)
  return targetsIn(batch) * sumOf(common) + sumOf(own)
}

const countOfValue = (value: unknown): number =>
  1 + Math.floor((JSON.stringify(value)?.length ?? 0) / BATCH_VALUE_CHARACTERS)

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0)

/** Fills a path template; each value becomes exactly one segment, whatever characters it contains. */
export function fillPath(path: string, params: Record<string, string | number>): string {
  return path.replace(/\{(\w+)\}/g, (_, key: string) => {
    const value = params[key]
    if (value === undefined) throw new TypeError(`The path ${path} needs "${key}"`)
    const segment = encodeURIComponent(String(value))
    // "." and ".." survive encodeURIComponent, and URL parsers resolve them away
    if (segment === '.' || segment === '..' || segment === '')
      throw new TypeError(`"${key}" cannot be a path segment`)
    return segment
  })
}

/** Keeps the exact type of each row, so that handlers and clients are typed from it. */
export function defineEndpoints<const Rows extends Endpoints>(rows: Rows): Rows {
  return rows
}
