import { createServer, request as send } from 'node:http'
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { failureEnvelope } from '#contract/protocol/envelope.ts'
import type { Canaries } from './canaries.ts'

/** What a proxy does to one request. */
export type ProxyFault =
  | 'none'
  /** The connection is cut, and the program behind it sees nothing. */
  | 'cut'
  /** The program behind it handles the request, and its response is lost. */
  | 'lose'
  /** Status 503, with the secrets of the request in the body and in a header. */
  | 'refuse'
  /** A failure envelope whose message repeats the secrets of the request. */
  | 'repeat'

export interface ProxyOptions {
  canaries: Canaries
  /** The address behind it, without a trailing slash. */
  target: string
  /** Removed from the beginning of the path. */
  prefix?: string
  /** What to do with a request to this path. */
  fault(path: string): ProxyFault
}

export interface RecordingProxy {
  url: string
  /** How often it did each. */
  counts: Record<ProxyFault, number>
  close(): Promise<void>
}

/**
 * Stands before a program and sees what the program receives and says: every token, credential and resolved address
 * becomes a canary, in memory only.
 */
export async function startRecordingProxy(options: ProxyOptions): Promise<RecordingProxy> {
  const counts: RecordingProxy['counts'] = { none: 0, cut: 0, lose: 0, refuse: 0, repeat: 0 }
  const server = createServer((incoming, outgoing) => {
    relay(incoming, outgoing, options, counts).catch(() => outgoing.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    counts,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function relay(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { canaries, target, prefix = '', fault: faultOf }: ProxyOptions,
  counts: RecordingProxy['counts'],
): Promise<void> {
  const path = (incoming.url ?? '/').slice(prefix.length)
  const body = await readAll(incoming)
  record(canaries, incoming, body)
  const fault = faultOf(path)
  counts[fault] += 1
  const { authorization = '' } = incoming.headers
  const secrets = `${authorization} http://${incoming.headers.host}${prefix}`
  if (fault === 'cut') return void outgoing.destroy()
  if (fault === 'refuse') return void outgoing.writeHead(503, { 'x-why': secrets }).end(secrets)
  if (fault === 'repeat') {
    const failure = { message: `Busy: ${secrets}`.slice(0, 512), retryable: true }
    return void outgoing.end(JSON.stringify(failureEnvelope('BUSY', failure)))
  }
  const response = await forward(`${target}${path}`, incoming, body)
  const answer = await readAll(response)
  record(canaries, response, answer)
  if (fault === 'lose') return void outgoing.destroy()
  outgoing.writeHead(response.statusCode ?? 502, endToEnd(response.headers)).end(answer)
}

function record(canaries: Canaries, message: IncomingMessage, body: Buffer): void {
  const [, opaque] = /^Bearer (?!eyJ)(\S+)$/i.exec(message.headers.authorization ?? '') ?? []
  if (opaque !== undefined) canaries.add('credential', opaque)
  const text = body.toString()
  canaries.addTokensIn(`${Object.values(message.headers).join(' ')} ${text}`)
  if (!text.includes('"access":')) return
  const { data } = JSON.parse(text) as { data?: { access?: Record<string, { url: string }> } }
  for (const { url } of Object.values(data?.access ?? {})) {
    canaries.add('address', url)
    // what of an address identifies its place
    canaries.add('address', new URL(url).host)
    canaries.add('address', new URL(url).pathname.slice(1))
  }
}

function forward(url: string, incoming: IncomingMessage, body: Buffer): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { method = 'GET', headers } = incoming
    const outgoing = send(url, { method, headers: endToEnd(headers) }, resolve)
    outgoing.once('error', reject)
    outgoing.end(body)
  })
}

/** Without the headers of one connection. */
function endToEnd(headers: OutgoingHttpHeaders): OutgoingHttpHeaders {
  const { connection: _c, 'transfer-encoding': _t, 'keep-alive': _k, host: _h, ...rest } = headers
  return rest
}

async function readAll(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}
