import { describeCode } from '#contract/console-api/catalogue.ts'
import type { Problem } from '#contract/console-api/console-problem.ts'
import { consoleApi } from '#contract/console-api/rows.ts'
import type { EndpointRow } from '#contract/endpoint/endpoint.ts'
import type { RuntimeEvent } from '#contract/console-api/shapes.ts'
import type { Answer, EndpointName } from '../api/client.ts'
import { TEST_API_PATH } from './api-messages.ts'
import type { FromPage, ToPage } from './api-messages.ts'

/** A request of the page under test. */
export interface ServedRequest {
  name: EndpointName
  params: Readonly<Record<string, string>>
  query: URLSearchParams
  headers: Readonly<Record<string, string>>
  body: unknown
  /** Aborted when the page no longer waits for the response. */
  signal: AbortSignal
}

/** A response other than the one that the endpoint's row declares. */
class OtherAnswer {
  readonly problem: Problem | null
  constructor(problem: Problem | null) {
    this.problem = problem
  }
}

/** A problem response, with the texts of its code as from the server. Omitted fields are those of an invalid request. */
export function refusal(given: Partial<Problem>): OtherAnswer {
  const { code = 'REQUEST_INVALID' } = given
  return new OtherAnswer({
    type: 'about:blank',
    status: 422,
    code,
    ...describeCode(code),
    retryable: false,
    errorPath: [],
    requestId: 'request-1',
    ...given,
  })
}

/** Closes the connection without a response, so that the page cannot know whether the request was carried out. */
export const lostAnswer = new OtherAnswer(null)

type Served<Name extends EndpointName> = (
  request: ServedRequest,
) => Answer<Name> | OtherAnswer | Promise<Answer<Name> | OtherAnswer>
export type Handlers = { [Name in Exclude<EndpointName, 'GET /events'>]?: Served<Name> }

export interface ServedApi {
  /** The requests of one endpoint so far, in order. */
  requests: (name: EndpointName) => ServedRequest[]
  /** Replaces the handlers of some endpoints from now on. */
  answer: (handlers: Handlers) => void
  /** Sends a server-sent event to every open stream of `/api/events`. */
  emit: (event: RuntimeEvent) => Promise<void>
  /** Closes every connection and refuses new ones, until `reconnect`. */
  disconnect: () => Promise<void>
  reconnect: () => void
}

let handlers: Handlers = {}
let seen: ServedRequest[] = []
let isDown = false
let events = 0
const streams = new Set<number>()
const waiting = new Map<number, AbortController>()
let connection: Promise<void> | undefined

/**
 * Responds to the requests that the page under test sends to `/api`, until the test ends. They use HTTP, as in
 * production. The contract's schemas validate the body of each request and each response. `/api/events` is an open
 * stream.
 */
export async function serveApi(first: Handlers): Promise<ServedApi> {
  await (connection ??= connect())
  handlers = { ...first }
  return {
    requests: (name) => seen.filter((request) => request.name === name),
    answer(changed) {
      handlers = { ...handlers, ...changed }
    },
    async emit(event) {
      const { kind, ...data } = consoleApi['GET /events'].answer.parse(event)
      const text = `id: 1-${++events}\nevent: ${kind}\ndata: ${JSON.stringify(data)}\n\n`
      await reply([...streams].map((stream) => ({ kind: 'body', id: stream, text })))
    },
    async disconnect() {
      isDown = true
      await closeAll()
    },
    reconnect() {
      isDown = false
      dispatchEvent(new Event('online'))
    },
  }
}

/** Removes the handlers and closes all connections. */
export async function stopServingApi(): Promise<void> {
  handlers = {}
  seen = []
  isDown = false
  await closeAll()
}

async function closeAll(): Promise<void> {
  const open = [...streams, ...waiting.keys()]
  streams.clear()
  waiting.clear()
  await reply(open.map((id) => ({ kind: 'cut', id })))
}

function connect(): Promise<void> {
  const messages = new EventSource(TEST_API_PATH)
  messages.addEventListener('message', ({ data }) => void receive(JSON.parse(String(data)) as ToPage))
  return new Promise((resolve) => {
    messages.addEventListener('open', () => resolve(), { once: true })
  })
}

async function receive(message: ToPage): Promise<void> {
  if (message.kind === 'left') {
    streams.delete(message.id)
    waiting.get(message.id)?.abort()
    waiting.delete(message.id)
    return
  }
  const { id, method, headers, body } = message
  if (isDown) return replyWith(id, lostAnswer)
  const url = new URL(message.url, location.origin)
  const notServed = refusal({ status: 501, code: 'NOT_SERVED', message: `${method} ${url.pathname}` })
  const found = findEndpoint(method, url.pathname)
  if (found === null) return replyWith(id, notServed)
  const left = new AbortController()
  waiting.set(id, left)
  const request: ServedRequest = {
    name: found.name,
    params: found.params,
    query: url.searchParams,
    headers,
    body: body === '' ? undefined : bodyOf(found.name, JSON.parse(body)),
    signal: left.signal,
  }
  seen.push(request)
  if (found.name === 'GET /events') {
    streams.add(id)
    waiting.delete(id)
    const head = { status: 200, headers: { 'content-type': 'text/event-stream' } }
    return reply([
      { kind: 'head', id, ...head },
      { kind: 'body', id, text: `id: 1-${events}\n\n` },
    ])
  }
  // a handler is typed by its endpoint, and found by the endpoint's name
  const handler = handlers[found.name] as ((request: ServedRequest) => unknown) | undefined
  // a link below the pointer may prefetch another page
  const answer = handler === undefined ? notServed : await handler(request)
  if (!waiting.delete(id)) return
  await replyWith(id, answer instanceof OtherAnswer ? answer : consoleApi[found.name].answer.parse(answer))
}

/** @throws ZodError for a body that the contract does not allow. */
function bodyOf(name: EndpointName, body: unknown): unknown {
  const row: EndpointRow = consoleApi[name]
  return row.body?.parse(body)
}

async function replyWith(id: number, answer: unknown): Promise<void> {
  if (answer instanceof OtherAnswer && answer.problem === null) return reply([{ kind: 'cut', id }])
  const problem = answer instanceof OtherAnswer ? answer.problem : null
  const type = problem === null ? 'application/json' : 'application/problem+json'
  await reply([
    { kind: 'head', id, status: problem?.status ?? 200, headers: { 'content-type': type } },
    { kind: 'body', id, text: JSON.stringify(problem ?? answer) },
    { kind: 'end', id },
  ])
}

async function reply(messages: readonly FromPage[]): Promise<void> {
  if (messages.length === 0) return
  // under a separate host name: requests that wait for their replies can take all connections of the page's host
  const url = new URL(TEST_API_PATH, location.origin)
  url.hostname = 'replies.localhost'
  url.search = crypto.randomUUID()
  await fetch(url, { method: 'POST', mode: 'no-cors', body: JSON.stringify(messages) })
}

function findEndpoint(
  method: string,
  path: string,
): { name: EndpointName; params: Record<string, string> } | null {
  const segments = path.replace(/^\/api/, '').split('/')
  for (const name of ['GET /events', ...Object.keys(handlers)] as EndpointName[]) {
    const [verb, template = ''] = name.split(' ')
    const params = verb === method ? match(template.split('/'), segments) : null
    if (params !== null) return { name, params }
  }
  return null
}

function match(template: readonly string[], segments: readonly string[]): Record<string, string> | null {
  if (template.length !== segments.length) return null
  const params: Record<string, string> = {}
  for (const [index, part] of template.entries()) {
    const segment = decodeURIComponent(segments[index] ?? '')
    const name = /^\{(\w+)\}$/.exec(part)?.[1]
    if (name !== undefined) params[name] = segment
    else if (part !== segment) return null
  }
  return params
}
