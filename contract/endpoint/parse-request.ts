import type * as z from 'zod'
import type { EndpointRow } from './endpoint.ts'

/** One thing that is wrong with a request, and where: `query.limit`, `body.changes`. */
export interface RequestProblem {
  path: string
  message: string
}

export type ParsedRequest =
  | { ok: true; params: unknown; query: unknown; body: unknown }
  | { ok: false; problems: RequestProblem[] }

/** Checks path, query and body of one request against its row; all problems are told together. */
export function parseRequest(
  row: EndpointRow,
  request: { params: Record<string, string>; query: Iterable<[string, string]>; body: unknown },
): ParsedRequest {
  const problems: RequestProblem[] = []
  const query = readQuery(request.query, problems)
  const params = part(row.params, request.params, 'path', problems)
  const parsedQuery =
    row.query === undefined ? noQuery(query, problems) : part(row.query, query, 'query', problems)
  const body = row.body === undefined ? undefined : part(row.body, request.body, 'body', problems)
  return problems.length > 0 ? { ok: false, problems } : { ok: true, params, query: parsedQuery, body }
}

/** zod's issues as problems with a readable place; messages tell what is allowed, never the value. */
export function problemsOf(error: z.ZodError, root: string): RequestProblem[] {
  return error.issues.map((issue) => ({
    path: [root, ...issue.path.map(String)].join('.'),
    message: issue.message,
  }))
}

function part(
  schema: z.ZodType | undefined,
  value: unknown,
  root: string,
  problems: RequestProblem[],
): unknown {
  if (schema === undefined) return value
  if (root === 'body' && value === undefined) {
    problems.push({ path: 'body', message: 'A JSON body is required' })
    return undefined
  }
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  problems.push(...problemsOf(parsed.error, root))
  return undefined
}

function readQuery(query: Iterable<[string, string]>, problems: RequestProblem[]): Record<string, string> {
  const values = new Map<string, string>()
  for (const [key, value] of query) {
    if (values.has(key)) problems.push({ path: `query.${key}`, message: 'May be given once only' })
    // no database can look for it
    else if (value.includes('\0')) problems.push({ path: `query.${key}`, message: 'Must not hold a NUL' })
    // an empty filter means "no filter", as a form submits it
    else if (value !== '') values.set(key, value)
  }
  return Object.fromEntries(values)
}

function noQuery(query: Record<string, string>, problems: RequestProblem[]): Record<string, string> {
  for (const key of Object.keys(query))
    problems.push({ path: `query.${key}`, message: 'Is not a parameter of this call' })
  return query
}
