import type * as z from 'zod'
import type { EndpointRow } from './endpoint.ts'
import { issueParameters, reasonOfSentence, type IssueParameters } from './issue-parameters.ts'

/** The codes of a request that does not match its row. */
export type RequestErrorCode = 'REQUEST_INVALID' | NonNullable<EndpointRow['bodyErrorCode']>

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

export type ParsedRequest =
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
