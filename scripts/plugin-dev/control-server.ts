import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { StrictJsonError } from '#contract/protocol/json-text-problem.ts'
import { parseStrictJson } from '#contract/protocol/strict-json.ts'
import { OPERATION_TYPES } from '#contract/protocol/vocabulary.ts'
import { SettingsError } from '#http-kit/settings.ts'
import type { Host } from '../../packages/plugin-check/src/run/host.ts'
import { NOT_STARTED_HERE, pretty, renderPage } from './control-page.ts'
import { FAULTS } from './fault-proxy.ts'
import type { Fault, FaultProxy } from './fault-proxy.ts'
import type { Operations } from './operations.ts'
import { createEventServices } from './received-events.ts'

export interface ControlServer {
  /** Of the page with the buttons. */
  url: string
  /** The paths for the registrations of the plugin and of its services. */
  pluginUrl: string
  servicesUrl: string
  /** Before this, the page says that the system starts. */
  open(parts: {
    pluginId: string
    consoleUrl: string
    platform: string
    operations: Operations
    host: Host | null
  }): void
  close(): Promise<void>
}

type Parts = Parameters<ControlServer['open']>[0]

/** Serves the page and the proxy on loopback. Throws a SettingsError if the port is in use. */
export async function startControlServer(proxy: FaultProxy, port: number): Promise<ControlServer> {
  const services = createEventServices()
  let opened: Parts | null = null
  let notice: string | null = null
  let resent: { body: string; response: string } | null = null
  const server = createServer((incoming, outgoing) => {
    respond(incoming, outgoing).catch((error: unknown) => {
      notice = error instanceof Error ? error.message : 'The request failed'
      redirect(outgoing)
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) =>
      reject(new SettingsError(`Port ${port} is in use; choose another one with --controls-port`, { cause })),
    )
    server.listen(port, '127.0.0.1', resolve)
  })
  // a listening server always has such an address
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const url = `http://${host}`

  async function respond(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const path = incoming.url ?? ''
    // a page of another site must not press the buttons, call the plugin, nor read a response under another host name
    const isOurs = incoming.headers.host === host && (incoming.headers.origin ?? url) === url
    if (!isOurs) return void outgoing.writeHead(403).end()
    if (path === '/plugin') return proxy.handle(incoming, outgoing)
    if (path.startsWith('/services/')) return services.handle(incoming, outgoing)
    if (opened === null) return void outgoing.writeHead(503).end()
    if (incoming.method !== 'POST') return show(outgoing, opened)
    notice = null
    await act(path, new URLSearchParams(await textOf(incoming)), opened)
    return redirect(outgoing)
  }

  async function show(outgoing: ServerResponse, parts: Parts): Promise<void> {
    const calls = proxy.calls()
    const [last] = calls
    const html = renderPage({
      ...parts,
      operations: await parts.operations.list(),
      output: parts.host === null ? null : lastLines(parts.host.output()),
      planted: proxy.planted(),
      calls,
      events: services.received(),
      notice,
      resend: resent ?? (last === undefined ? null : { body: last.request, response: null }),
    })
    outgoing.writeHead(200, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'",
      'cache-control': 'no-store',
    })
    outgoing.end(html)
  }

  async function act(path: string, fields: URLSearchParams, { operations, host }: Parts): Promise<void> {
    if (path === '/start') {
      const type = OPERATION_TYPES.find((one) => one === fields.get('type'))
      if (type === undefined) return
      resent = null
      const { operationId } = await operations.start(type)
      notice = `${type} ${operationId} has started.`
    }
    if (path === '/fault') {
      const fault = fields.get('fault') ?? ''
      if (fault === 'killed' && host === null) notice = NOT_STARTED_HERE
      else proxy.plant(isFault(fault) ? fault : null)
    }
    if (path === '/restart' && host !== null)
      notice = (await proxy.restart()) ?? 'The plugin was started again.'
    if (path === '/resend') {
      const body = originalOf((fields.get('body') ?? '').replaceAll('\r\n', '\n'))
      const fault = faultOf(body)
      if (fault !== null) notice = `The body was sent as it is, and without a token: ${fault}.`
      resent = { body, response: await proxy.resend(body) }
    }
  }

  /** The bytes that the field shows, if it was not edited: a plugin refuses a repeat with others. */
  function originalOf(shown: string): string {
    const sent = [...(resent === null ? [] : [resent.body]), ...proxy.calls().map(({ request }) => request)]
    return sent.find((body) => pretty(body) === shown) ?? shown
  }

  return {
    url,
    pluginUrl: `${url}/plugin`,
    servicesUrl: `${url}/services`,
    open(parts) {
      opened = parts
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** The end of the plugin's output, as a page can show it. */
const lastLines = (output: string): string => output.trimEnd().split('\n').slice(-100).join('\n')

/** Why an edited body is not JSON that a plugin accepts; null if it is. */
function faultOf(body: string): string | null {
  try {
    parseStrictJson(body)
    return null
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error
    return error.messageWithoutPath
  }
}

const isFault = (text: string): text is Fault => Object.hasOwn(FAULTS, text)

const redirect = (outgoing: ServerResponse): void => void outgoing.writeHead(303, { location: '/' }).end()

async function textOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of incoming as AsyncIterable<Uint8Array>) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}
