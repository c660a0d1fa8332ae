import type { EndpointRow } from '#contract/endpoint/endpoint.ts'
import { parseRequest } from '#contract/endpoint/parse-request.ts'
import type { RequestProblem } from '#contract/endpoint/parse-request.ts'
import type { RuntimeErrorCode } from '#contract/protocol/error-codes.ts'
import type { JsonValue } from '#contract/protocol/json.ts'
import { readJsonBody } from '#edge/body.ts'
import { StrictJsonError } from '#edge/strict-json.ts'
import { Refusal } from '../refusal.ts'

export interface ReadRequest {
  params: unknown
  query: unknown
  body: unknown
  /** The body as it came, before the schema; what the idempotency key stands for. */
  json: JsonValue | undefined
}

/**
 * Path, query and body of a request, checked against its row.
 *
 * @param bodyCode the code for a body that the schema refuses; REQUEST_INVALID for all else.
 * @throws Refusal that names every field which is wrong; TransportError 413 and 415.
 */
export async function readRequest(
  request: Request,
  row: EndpointRow,
  params: Record<string, string>,
  bodyCode: RuntimeErrorCode = 'REQUEST_INVALID',
): Promise<ReadRequest> {
  const json =
    request.method === 'GET' || request.method === 'HEAD' ? undefined : await readBody(request, row)
  if (row.body === undefined && json !== undefined) {
    throw invalid('REQUEST_INVALID', [{ path: 'body', message: 'This call takes no body' }])
  }
  const parsed = parseRequest(row, { params, query: new URL(request.url).searchParams, body: json })
  if (parsed.ok) return { ...parsed, json }
  const isAboutBody = json !== undefined && parsed.problems.every(({ path }) => path.startsWith('body'))
  throw invalid(isAboutBody ? bodyCode : 'REQUEST_INVALID', parsed.problems)
}

async function readBody(request: Request, row: EndpointRow): Promise<JsonValue | undefined> {
  try {
    return (await readJsonBody(request, row.maxBodyBytes))?.json
  } catch (error) {
    if (error instanceof StrictJsonError)
      throw invalid('REQUEST_INVALID', [{ path: 'body', message: error.message }])
    throw error
  }
}

function invalid(code: RuntimeErrorCode, problems: readonly RequestProblem[]): Refusal {
  const [first] = problems
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : ''
  const message = first === undefined ? 'The request is not valid' : `${first.path}: ${first.message}${more}`
  return new Refusal(code, message, {
    details: problems.map(({ path, message: text }) => ({ path, errorCode: code, message: text })),
  })
}
