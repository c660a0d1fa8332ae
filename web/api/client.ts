import type { AnswerOf, CallOf } from '#contract/endpoint/endpoint.ts'
import type { Problem } from '#contract/console-api/problem.ts'
import type { ConsoleApi } from '#contract/console-api/rows.ts'
import { isUnattended } from './activity.ts'

export type EndpointName = keyof ConsoleApi & string
export type Call<Name extends EndpointName> = CallOf<ConsoleApi[Name]>
export type Answer<Name extends EndpointName> = AnswerOf<ConsoleApi[Name]>

/** A failure of the console API, or of the way to it: then the code is `NETWORK_LOST` and whether it arrived is open. */
export class ApiError extends Error {
  readonly problem: Problem

  constructor(problem: Problem) {
    super(problem.message)
    this.name = 'ApiError'
    this.problem = problem
  }

  /** Whether the same request, with the same key, may be sent again to learn what became of it. */
  get isUncertain(): boolean {
    return ['NETWORK_LOST', 'UPSTREAM_TIMEOUT', 'UPSTREAM_UNAVAILABLE', 'SERVICE_UNAVAILABLE'].includes(
      this.problem.code,
    )
  }
}

export interface SendOptions {
  signal?: AbortSignal
  /** For writes: the same key with the same body is never carried out twice. */
  idempotencyKey?: string
}

const WRITE_TRIES = 4

/** Calls one endpoint of the console API; everything about it is typed from its row. */
export async function callApi<Name extends EndpointName>(
  name: Name,
  call: Call<Name>,
  options: SendOptions = {},
): Promise<Answer<Name>> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await send(name, call, options)
    } catch (error) {
      const repeat = options.idempotencyKey !== undefined && error instanceof ApiError && error.isUncertain
      if (!repeat || attempt === WRITE_TRIES) throw error
      await new Promise((resolve) => setTimeout(resolve, 400 * 2 ** attempt))
    }
  }
}

interface Parts {
  params?: Record<string, string | number>
  query?: Record<string, string | number | undefined>
  body?: unknown
}

async function send<Name extends EndpointName>(
  name: Name,
  call: Call<Name>,
  { signal, idempotencyKey }: SendOptions,
): Promise<Answer<Name>> {
  const { params = {}, query = {}, body } = call as Parts
  const space = name.indexOf(' ')
  const response = await fetch(`/api${fillPath(name.slice(space + 1), params)}${queryText(query)}`, {
    method: name.slice(0, space),
    headers: {
      accept: 'application/json',
      'x-requested-by': 'console',
      ...(isUnattended() && { 'x-background': 'true' }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    },
    body: body === undefined ? null : JSON.stringify(body),
    credentials: 'same-origin',
    redirect: 'error',
    signal: signal ?? null,
  }).catch((error: unknown) => {
    if (signal?.aborted === true) throw error
    throw new ApiError(networkLost)
  })
  const answer: unknown = await response.json().catch(() => undefined)
  // the BFF has checked the answer against the row that this type comes from
  if (response.ok && answer !== undefined) return answer as Answer<Name>
  throw new ApiError(isProblem(answer) ? answer : unreadable(response))
}

function fillPath(path: string, params: Record<string, string | number>): string {
  return path.replace(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(String(params[key])))
}

function queryText(query: Record<string, string | number | undefined>): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
  if (given.length === 0) return ''
  return `?${new URLSearchParams(given.map(([key, value]) => [key, String(value)])).toString()}`
}

function isProblem(answer: unknown): answer is Problem {
  return typeof answer === 'object' && answer !== null && 'code' in answer && 'remedy' in answer
}

const networkLost: Problem = {
  type: 'about:blank',
  title: 'The console cannot be reached',
  status: 0,
  code: 'NETWORK_LOST',
  message: 'There was no answer. Whether the request arrived is not known.',
  remedy: 'Check the connection, then try again: the same request is never carried out twice.',
  retryable: true,
  errorPath: [],
  requestId: '',
}

function unreadable(response: Response): Problem {
  return {
    ...networkLost,
    title: 'The answer could not be read',
    status: response.status,
    code: response.status === 401 ? 'AUTHENTICATION_REQUIRED' : 'UPSTREAM_INVALID',
    message: `The console answered ${response.status} without saying why.`,
    remedy: 'Try again; if it stays, tell whoever runs the console.',
    retryable: response.status >= 500,
    requestId: response.headers.get('x-request-id') ?? '',
  }
}
