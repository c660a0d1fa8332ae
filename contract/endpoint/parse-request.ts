import type * as z from 'zod'
import type { ProblemParameters } from '#contract/json-schema/value-problem.ts'
import { PLATFORM_MESSAGES } from '#contract/protocol/platform-messages.ts'
import type { MessageReason } from '#contract/protocol/platform-messages.ts'
import type { EndpointRow } from './endpoint.ts'

/** The codes of a request that does not match its row. */
type RequestErrorCode = 'REQUEST_INVALID' | NonNullable<EndpointRow['bodyErrorCode']>

/**
 * One problem of a request and its location: `query.limit`, `body.changes`; or a JSON pointer into the body if the row
 * has a `bodyErrorCode`.
 */
export interface RequestProblem {
  path: string
  errorCode: RequestErrorCode
  message: string
  /** The same for other languages, if the sentence is known in them. */
  parameters?: IssueParameters
}

type ParsedRequest =
  | { ok: true; params: unknown; query: unknown; body: unknown }
  | { ok: false; problems: RequestProblem[] }

/** Checks path, query and body of one request against its row and returns all problems together. */
export function parseRequest(
  row: EndpointRow,
  request: { params: Record<string, string>; query: Iterable<[string, string]>; body: unknown },
): ParsedRequest {
  const problems: RequestProblem[] = []
  const query = readQuery(request.query, problems)
  const params = part(row.params, request.params, below('path'), problems)
  const parsedQuery =
    row.query === undefined ? noQuery(query, problems) : part(row.query, query, below('query'), problems)
  const body = parseBody(row, request.body, problems)
  return problems.length > 0 ? { ok: false, problems } : { ok: true, params, query: parsedQuery, body }
}

/** A problem with the body as a whole, such as a syntax error. */
export function bodyProblem(row: EndpointRow, message: string): RequestProblem {
  return row.bodyErrorCode === undefined
    ? invalid('body', message)
    : { path: '', errorCode: row.bodyErrorCode, message }
}

/**
 * The single failure that represents the problems of a request. The row's body code applies only if nothing else is
 * wrong.
 */
export function requestFailure(problems: readonly RequestProblem[]): {
  code: RequestErrorCode
  message: string
  details: RequestProblem[]
} {
  const [first] = problems
  const isOneCode = problems.every(({ errorCode }) => errorCode === first?.errorCode)
  const place = first === undefined || first.path === '' ? '' : `${first.path}: `
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : ''
  return {
    code: first !== undefined && isOneCode ? first.errorCode : 'REQUEST_INVALID',
    message: `${place}${first?.message ?? 'The request is not valid'}${more}`,
    details: [...problems],
  }
}

function invalid(path: string, message: string): RequestProblem {
  const reason = reasonOfSentence(message)
  return { path, errorCode: 'REQUEST_INVALID', message, ...(reason && { parameters: { reason } }) }
}

type ProblemAt = (path: readonly PropertyKey[], message: string) => RequestProblem

const below =
  (root: string): ProblemAt =>
  (path, message) =>
    invalid([root, ...path.map(String)].join('.'), message)

/** Messages say what is allowed and never repeat the value. */
function part(
  schema: z.ZodType | undefined,
  value: unknown,
  problemAt: ProblemAt,
  problems: RequestProblem[],
): unknown {
  if (schema === undefined) return value
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  for (const issue of parsed.error.issues) {
    const parameters = issueParameters(issue, value)
    problems.push({ ...problemAt(issue.path, issue.message), ...(parameters && { parameters }) })
  }
  return undefined
}

function parseBody(row: EndpointRow, value: unknown, problems: RequestProblem[]): unknown {
  if (row.body === undefined) return undefined
  if (value === undefined) {
    problems.push(bodyProblem(row, 'A JSON body is required'))
    return undefined
  }
  const { bodyErrorCode: errorCode } = row
  const problemAt: ProblemAt =
    errorCode === undefined
      ? below('body')
      : (path, message) => ({ path: path.map(pointerSegment).join(''), errorCode, message })
  return part(row.body, value, problemAt, problems)
}

/** RFC 6901. */
function pointerSegment(segment: PropertyKey): string {
  return `/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`
}

function readQuery(query: Iterable<[string, string]>, problems: RequestProblem[]): Record<string, string> {
  const values = new Map<string, string>()
  for (const [key, value] of query) {
    if (values.has(key)) problems.push(invalid(`query.${key}`, 'May be given once only'))
    // databases cannot store or compare it
    else if (value.includes('\0')) problems.push(invalid(`query.${key}`, 'Must not hold a NUL'))
    // an empty filter means "no filter", as forms submit it
    else if (value !== '') values.set(key, value)
  }
  return Object.fromEntries(values)
}

function noQuery(query: Record<string, string>, problems: RequestProblem[]): Record<string, string> {
  for (const key of Object.keys(query))
    problems.push(invalid(`query.${key}`, 'Is not a parameter of this call'))
  return query
}

/** What a client needs to say the message of a problem in another language. */
type IssueParameters = ProblemParameters | { reason: MessageReason } | UnknownKeys
type UnknownKeys = { reason: 'requestUnknownKeys'; keys: string }

/** The reasons of complete sentences, which schemas use as they are. */
const REASONS: ReadonlyMap<string, MessageReason> = new Map(
  Object.entries(PLATFORM_MESSAGES).flatMap(([reason, text]) =>
    // an entry of the object has its key
    text.includes('{') ? [] : [[text, reason as MessageReason]],
  ),
)

const reasonOfSentence = (sentence: string): MessageReason | undefined => REASONS.get(sentence)

/** zod's names of types, where JSON Schema has others. */
const TYPES: Readonly<Record<string, string>> = { int: 'integer', record: 'object', tuple: 'array' }

/** zod's names of formats, where JSON Schema has others. */
const FORMATS: Readonly<Record<string, string>> = {
  datetime: 'date-time',
  email: 'email',
  ipv4: 'ipv4',
  ipv6: 'ipv6',
  url: 'uri',
  uuid: 'uuid',
}

/** Longer lists of allowed values are not repeated. */
const VALUES_MAX = 1_000

/**
 * The reason of an issue that a schema has found in a value, and what its sentence names; undefined for a sentence that
 * exists only in English.
 *
 * @param value What the schema was applied to.
 */
export function issueParameters(issue: z.core.$ZodIssue, value: unknown): IssueParameters | undefined {
  const reason = REASONS.get(issue.message)
  if (reason !== undefined) return { reason }
  switch (issue.code) {
    case 'invalid_type': {
      if (valueAt(value, issue.path) === undefined) return { reason: 'valueRequired' }
      const { expected } = issue
      return { reason: 'valueType', types: TYPES[expected] ?? expected }
    }
    case 'too_small':
      return limitParameters(issue.origin, Number(issue.minimum), {
        text: 'valueMinLength',
        list: 'valueMinItems',
        number: issue.inclusive === false ? 'valueAbove' : 'valueMinimum',
      })
    case 'too_big':
      return limitParameters(issue.origin, Number(issue.maximum), {
        text: 'valueMaxLength',
        list: 'valueMaxItems',
        number: issue.inclusive === false ? 'valueBelow' : 'valueMaximum',
      })
    case 'invalid_value': {
      const values = JSON.stringify(issue.values.map(String))
      return values.length > VALUES_MAX ? { reason: 'valueEnumLong' } : { reason: 'valueEnum', values }
    }
    case 'invalid_format': {
      const format = FORMATS[issue.format]
      return format === undefined ? undefined : { reason: 'valueFormat', format }
    }
    case 'unrecognized_keys':
      return { reason: 'requestUnknownKeys', keys: issue.keys.join(', ') }
    default:
      return undefined
  }
}

type LimitReasons = {
  text: 'valueMinLength' | 'valueMaxLength'
  list: 'valueMinItems' | 'valueMaxItems'
  number: 'valueMinimum' | 'valueMaximum' | 'valueAbove' | 'valueBelow'
}

function limitParameters(
  origin: string,
  limit: number,
  { text, list, number }: LimitReasons,
): IssueParameters | undefined {
  switch (origin) {
    case 'string':
      return { reason: text, n: limit }
    case 'array':
      return { reason: list, n: limit }
    case 'number':
    case 'int':
      return { reason: number, limit }
    default:
      return undefined
  }
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (found, key) =>
      typeof found === 'object' && found !== null && Object.hasOwn(found, key)
        ? (found as Record<PropertyKey, unknown>)[key]
        : undefined,
    value,
  )
}
