import { parseTrustedJson } from '#contract/protocol/strict-json.ts'
import type { AnswerOf, CallOf } from '#contract/endpoint/endpoint.ts'
import type { Problem } from '#contract/console-api/console-problem.ts'
import type { ConsoleApi } from '#contract/console-api/rows.ts'
import { recordRequest } from '../base/connection.ts'
import { isBrowser } from '../base/environment.ts'

export type EndpointName = keyof ConsoleApi & string
export type Call<Name extends EndpointName> = CallOf<ConsoleApi[Name]>
export type Answer<Name extends EndpointName> = AnswerOf<ConsoleApi[Name]>

/** A failure of the console API or of the connection. With `NETWORK_LOST` it is unknown whether the request arrived. */
export class ApiError extends Error {
  readonly problem: Problem

  constructor(problem: Problem) {
    super(problem.message)
    this.name = 'ApiError'
    this.problem = problem
  }

  /** Whether there was no response, so that nothing has retried the request yet. */
  get isLost(): boolean {
    return this.problem.code === 'NETWORK_LOST'
  }

  /** Whether the result is unknown; sending the same request with the same key again returns it. */
  get isUncertain(): boolean {
    return (
      this.isLost ||
      ['UPSTREAM_TIMEOUT', 'UPSTREAM_UNAVAILABLE', 'SERVICE_UNAVAILABLE'].includes(this.problem.code)
    )
  }

  /** Whether the result is final: the same key would only return the same result. */
  get isDecided(): boolean {
    return !this.isUncertain && !['UPSTREAM_INVALID', 'INTERNAL_ERROR'].includes(this.problem.code)
  }
}

export interface SendOptions {
  signal?: AbortSignal
  /** For writes: the same key with the same body is never executed twice. */
  idempotencyKey?: string
  /** For the call with all its retries; default 30,000. */
  budgetMs?: number
  /** The request outlives the page that it leaves. */
  keepalive?: boolean
}

/** Longer than the retries of the console's server. */
const BUDGET_MS = 30_000
/** The pauses before a request without a response is retried. */
const READ_PAUSES_MS = [500, 1_000, 2_000]
const WRITE_PAUSES_MS = [1_000]

/**
 * Calls one endpoint of the console API; the types come from its row. Only a request without a response is retried
 * here, because the console's server retries the others (docs/architecture.md, "Who retries").
 */
export async function callApi<Name extends EndpointName>(
  name: Name,
  call: Call<Name>,
  options: SendOptions = {},
): Promise<Answer<Name>> {
  const pauses = options.idempotencyKey === undefined ? [...READ_PAUSES_MS] : [...WRITE_PAUSES_MS]
  const late = AbortSignal.timeout(options.budgetMs ?? BUDGET_MS)
  for (;;) {
    try {
      return await send(name, call, options, late)
    } catch (error) {
      const pause = error instanceof ApiError && error.isLost ? pauses.shift() : undefined
      if (pause === undefined || late.aborted) throw error
      await new Promise((resolve) => setTimeout(resolve, pause))
    }
  }
}

let pageOf: string | null = null

/**
 * From now on every request names the person whom the page shows. If another person has signed in in this browser, it is
 * refused as without a session, and not carried out in their name.
 */
export function sendAs(personId: string): void {
  pageOf = personId
}

/** Whom the page shows; nothing before that is known. */
export const personHeader = (): Record<string, string> =>
  pageOf === null ? {} : { 'x-person': encodeURIComponent(pageOf) }

interface Parts {
  params?: Record<string, string | number>
  query?: Record<string, string | number | undefined>
  body?: unknown
}

async function send<Name extends EndpointName>(
  name: Name,
  call: Call<Name>,
  { signal, idempotencyKey, keepalive = false }: SendOptions,
  late: AbortSignal,
): Promise<Answer<Name>> {
  const { params = {}, query = {}, body } = call as Parts
  const space = name.indexOf(' ')
  const response = await fetch(`/api${fillPath(name.slice(space + 1), params)}${queryText(query)}`, {
    method: name.slice(0, space),
    headers: {
      accept: 'application/json',
      'x-requested-by': 'console',
      // the session itself says who has signed in since
      ...(name !== 'GET /session' && personHeader()),
      ...(isInactive() && { 'x-background': 'true' }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    },
    body: body === undefined ? null : JSON.stringify(body),
    credentials: 'same-origin',
    redirect: 'error',
    keepalive,
    signal: signal === undefined ? late : AbortSignal.any([signal, late]),
  }).catch(lost)
  const json = parse(await response.text().catch(lost))
  const problem = isProblem(json) ? json : response.ok && json !== undefined ? null : unreadable(response)
  recordRequest(problem === null || !new ApiError(problem).isUncertain)
  // the BFF has checked the response against the row that this type comes from
  if (problem === null) return json as Answer<Name>
  throw new ApiError(problem)

  function lost(error: unknown): never {
    if (signal?.aborted === true) throw error
    recordRequest(false)
    throw new ApiError(lostAnswer)
  }
}

/** The failure in a response; a generic one if it cannot be read. */
export async function readFailure(response: Response): Promise<ApiError> {
  const json = parse(await response.text().catch(() => ''))
  return new ApiError(isProblem(json) ? json : unreadable(response))
}

function parse(text: string): unknown {
  try {
    return parseTrustedJson(text)
  } catch {
    return undefined
  }
}

function fillPath(path: string, params: Record<string, string | number>): string {
  return path.replace(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(String(params[key])))
}

function queryText(query: Record<string, string | number | undefined>): string {
  const entries = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
  if (entries.length === 0) return ''
  return `?${new URLSearchParams(entries.map(([key, value]) => [key, String(value)])).toString()}`
}

function isProblem(json: unknown): json is Problem {
  return typeof json === 'object' && json !== null && 'code' in json && 'remedy' in json
}

/** There was no response: it is unknown whether the request arrived. */
export const lostAnswer: Problem = {
  type: 'about:blank',
  title: 'The console cannot be reached',
  status: 0,
  code: 'NETWORK_LOST',
  message: 'There was no response. It is unknown whether the request arrived.',
  remedy: 'Check your connection, then try again: the same request is never carried out twice.',
  retryable: true,
  errorPath: [],
  requestId: '',
}

/** For responses of a proxy in front of the console, which may or may not have forwarded the request. */
const CODES: Readonly<Record<number, string>> = {
  401: 'AUTHENTICATION_REQUIRED',
  429: 'RATE_LIMITED',
  502: 'SERVICE_UNAVAILABLE',
  503: 'SERVICE_UNAVAILABLE',
  504: 'UPSTREAM_TIMEOUT',
}

function unreadable(response: Response): Problem {
  return {
    ...lostAnswer,
    title: 'The response could not be read',
    status: response.status,
    code: CODES[response.status] ?? 'UPSTREAM_INVALID',
    message: `The console responded with status ${response.status} and gave no reason.`,
    remedy: 'Try again. If this continues, contact your administrator.',
    retryable: response.status >= 500,
    requestId: response.headers.get('x-request-id') ?? '',
  }
}

/** Longer than people read without any input; shorter than the idle timeout of a session. */
const INACTIVE_AFTER_MS = 120_000

let lastActivity = Date.now()
for (const kind of isBrowser ? (['pointerdown', 'keydown', 'wheel'] as const) : []) {
  window.addEventListener(kind, () => (lastActivity = Date.now()), { passive: true })
}

/** Whether there has been no recent input; background requests then do not extend the session. */
export function isInactive(): boolean {
  return Date.now() - lastActivity > INACTIVE_AFTER_MS
}
