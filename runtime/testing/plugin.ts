import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { JsonValue } from '#contract/json-schema/json.ts'
import type { LifecycleRequest } from '#contract/protocol/lifecycle.ts'
import type { Outcome, Stage } from '#contract/protocol/vocabulary.ts'

/** The response that a test plugin gives. */
export type Reply =
  | { outcome: Outcome; resources?: JsonValue; echo?: { [field: string]: JsonValue } }
  | { errorCode: string; data: JsonValue }
  | { status: number; body: string; headers?: Record<string, string> }
  | 'reset'
  | 'hang'

export interface ArrivedCall {
  pluginId: string
  stage: Stage
  body: string
  request: LifecycleRequest
  authorization: string | undefined
  traceparent: string | undefined
}

/** Called with the call and the number of earlier calls of the same plugin and stage. */
export type Script = (call: ArrivedCall, before: number) => Reply | Promise<Reply>

export interface TestingPlugin {
  /** The endpoint of a plugin; one server serves any number of plugins. */
  endpoint(pluginId: string): string
  calls: ArrivedCall[]
  /** Replaces the script; the default one answers APPLIED to every call. */
  script(script: Script): void
  close(): Promise<void>
}

/** A real HTTP server that answers as any plugin, according to its script. */
export async function testingPlugin(): Promise<TestingPlugin> {
  const calls: ArrivedCall[] = []
  let script: Script = () => ({ outcome: 'APPLIED' })

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readBody(request)
    const parsed = JSON.parse(body) as LifecycleRequest
    const { pluginId, stage } = parsed
    const call = {
      pluginId,
      stage,
      body,
      request: parsed,
      authorization: request.headers.authorization,
      traceparent: request.headers['traceparent']?.toString(),
    }
    const before = calls.filter((other) => other.pluginId === pluginId && other.stage === stage).length
    calls.push(call)
    answer(response, parsed, await script(call, before))
  }
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    endpoint: (pluginId) => `http://127.0.0.1:${port}/${pluginId}`,
    calls,
    script: (next) => {
      script = next
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function answer(response: ServerResponse, request: LifecycleRequest, reply: Reply): void {
  if (reply === 'hang') return
  if (reply === 'reset') {
    response.destroy()
    return
  }
  if ('status' in reply) {
    response.writeHead(reply.status, reply.headers)
    response.end(reply.body)
    return
  }
  response.setHeader('content-type', 'application/json')
  if ('errorCode' in reply) {
    response.end(JSON.stringify({ contractVersion: '1.0.0', ...reply }))
    return
  }
  response.end(JSON.stringify(successOf(request, reply)))
}

/** The full envelope, echoing the fields of the request. */
export function successOf(
  request: LifecycleRequest,
  reply: Extract<Reply, { outcome: Outcome }>,
): { [field: string]: JsonValue } {
  const { contractVersion, pluginId, executionSequence, installation, operation, stage } = request
  return {
    contractVersion: '1.0.0',
    errorCode: '0',
    data: {
      contractVersion,
      pluginId,
      executionSequence,
      installation,
      operation,
      stage,
      ...reply.echo,
      outcome: reply.outcome,
      resources: reply.resources ?? {},
    },
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}
