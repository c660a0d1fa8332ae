import type { EndpointRow } from '#contract/endpoint/endpoint.ts'
import { bodyProblem, parseRequest, requestFailure } from '#contract/endpoint/parse-request.ts'
import type { RequestProblem } from '#contract/endpoint/parse-request.ts'
import type { JsonValue } from '#contract/json-schema/json.ts'
import { StrictJsonError } from '#contract/protocol/json-text-problem.ts'
import { readJsonBody } from '#http-kit/requests.ts'
import type { JsonBody } from '#http-kit/requests.ts'
import { DomainError } from '../engine/refusals.ts'

export interface ReadRequest {
  params: unknown
  query: unknown
  body: unknown
  /** The body before the schema is applied; the idempotency key identifies this. */
  json: JsonValue | undefined
  /** The size of the body. */
  bytes: number
}

/**
 * The path, query and body of a request, checked against its row.
 *
 * @throws DomainError that names every wrong field; TransportError 413 and 415.
 */
export async function readRequest(
  request: Request,
  row: EndpointRow,
  params: Record<string, string>,
): Promise<ReadRequest> {
  const read =
    request.method === 'GET' || request.method === 'HEAD' ? undefined : await readBody(request, row)
  const json = read?.json
  if (row.body === undefined && json !== undefined) {
    throw invalid([bodyProblem(row, 'This call takes no body')])
  }
  const parsed = parseRequest(row, { params, query: new URL(request.url).searchParams, body: json })
  if (parsed.ok) return { ...parsed, json, bytes: read?.bytes.length ?? 0 }
  throw invalid(parsed.problems)
}

async function readBody(request: Request, row: EndpointRow): Promise<JsonBody | undefined> {
  try {
    return await readJsonBody(request, row.maxBodyBytes)
  } catch (error) {
    if (error instanceof StrictJsonError) throw invalid([bodyProblem(row, error.message)])
    throw error
  }
}

function invalid(problems: readonly RequestProblem[]): DomainError {
  const { code, message, details } = requestFailure(problems)
  return new DomainError(code, message, { details })
}

/** The `Idempotency-Key` of a write. */
export function idempotencyKeyOf(request: Request): string {
  const key = request.headers.get('idempotency-key')
  if (key !== null && /^[A-Za-z0-9._~-]{1,128}$/.test(key)) return key
  const message =
    key === null
      ? 'This call needs the header Idempotency-Key'
      : 'The header Idempotency-Key must be 1 to 128 characters of A-Z a-z 0-9 . _ ~ -'
  throw new DomainError('REQUEST_INVALID', message, {
    details: [{ path: 'header.Idempotency-Key', errorCode: 'REQUEST_INVALID', message }],
  })
}

/** The same text for the same JSON, whatever the order of its keys or its white space. */
export function requestText(body: JsonValue | undefined): string {
  return JSON.stringify(body ?? null, (_, value: JsonValue) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  )
}
