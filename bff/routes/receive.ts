import type { Context } from 'hono'
import { costOfBytes, isWrite } from '#contract/endpoint/endpoint.ts'
import type { BodyOf, EndpointName, EndpointRow, ParamsOf, QueryOf } from '#contract/endpoint/endpoint.ts'
import { bodyProblem, parseRequest, requestFailure } from '#contract/endpoint/parse-request.ts'
import type { RequestProblem } from '#contract/endpoint/parse-request.ts'
import { readJsonBody } from '#http-kit/requests.ts'
import type { JsonBody } from '#http-kit/requests.ts'
import { StrictJsonError } from '#contract/protocol/json-text-problem.ts'
import { ConsoleFailure } from '../failure.ts'
import type { RateVariables } from '../middleware/rate-limit.ts'

/** The parts of a request to `/api`, before they are checked against its row. */
export interface Received {
  params: Record<string, string>
  query: URLSearchParams
  body: JsonBody | undefined
  /** Of a write as sent; null for a read. */
  idempotencyKey: string | null
  isWrite: boolean
}

const IDEMPOTENCY_KEY = /^[A-Za-z0-9._~-]{1,128}$/
const KEY_PROBLEM: RequestProblem = {
  path: 'header.Idempotency-Key',
  errorCode: 'REQUEST_INVALID',
  message: 'Is required: 1 to 128 of A-Z a-z 0-9 . _ ~ -',
}

type RatedContext = Pick<Context, 'req'> & { var: RateVariables }

/** Reads a request, and counts the size of its body. Refuses with REQUEST_INVALID if its body is not JSON. */
export async function receive(c: RatedContext, name: EndpointName, row: EndpointRow): Promise<Received> {
  const write = isWrite(name, row)
  return {
    params: c.req.param(),
    query: new URLSearchParams(new URL(c.req.url).search),
    body: row.body === undefined ? undefined : await readBody(c, row),
    idempotencyKey: write ? (c.req.header('idempotency-key') ?? null) : null,
    isWrite: write,
  }
}

/** Checks a request against its row, and a write for its idempotency key. Refuses with all problems together. */
export function parseReceived<Row extends EndpointRow>(
  row: Row,
  { params, query, body, idempotencyKey, isWrite: write }: Received,
): { params: ParamsOf<Row>; query: QueryOf<Row>; body: BodyOf<Row> } {
  const parsed = parseRequest(row, { params, query, body: body?.json })
  const lacksKey = write && (idempotencyKey === null || !IDEMPOTENCY_KEY.test(idempotencyKey))
  const problems = [...(lacksKey ? [KEY_PROBLEM] : []), ...(parsed.ok ? [] : parsed.problems)]
  if (problems.length > 0 || !parsed.ok) throw invalid(problems)
  // the schemas of the row have returned them
  return {
    params: parsed.params as ParamsOf<Row>,
    query: parsed.query as QueryOf<Row>,
    body: parsed.body as BodyOf<Row>,
  }
}

async function readBody(c: RatedContext, row: EndpointRow): Promise<JsonBody | undefined> {
  try {
    // a body that is refused costs as much to read as another one
    return await readJsonBody(c.req.raw, row.maxBodyBytes, (bytes) => c.var.spend(costOfBytes(bytes)))
  } catch (error) {
    if (error instanceof StrictJsonError) throw invalid([bodyProblem(row, error.message)])
    throw error
  }
}

function invalid(problems: readonly RequestProblem[]): ConsoleFailure {
  const { code, message, details } = requestFailure(problems)
  return new ConsoleFailure(code, { message: message.slice(0, 512), details })
}
