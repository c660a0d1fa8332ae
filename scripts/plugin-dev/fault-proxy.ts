import { setTimeout as sleep } from 'node:timers/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Host } from '../../packages/plugin-check/src/run/host.ts'

/** What happens to the next call: see {@link FAULTS}. */
export type Fault = keyof typeof FAULTS

export const FAULTS = {
  lost: 'Lose the response',
  delayed: 'Delay the response',
  twice: 'Send the call twice at once',
  killed: 'Kill the plugin before its response arrives',
} as const

/** A call that went to the plugin, and the response of the plugin. */
export interface PassedCall {
  at: Date
  fault: Fault | null
  /** The body of the call, as text. */
  request: string
  /** The response of the plugin as text, two of a call that was sent twice; why there is none, if so. */
  responses: string[]
}

/** The process of the plugin. */
export type PluginProcess = Pick<Host, 'kill' | 'start'>

interface Answer {
  status: number
  type: string
  body: string
}

/** Between runtime and plugin: passes each call on, and plants the fault that was chosen for the next one. */
export interface FaultProxy {
  handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void>
  /** Plants a fault into the next call only. */
  plant(fault: Fault | null): void
  planted(): Fault | null
  /** The newest first. */
  calls(): readonly PassedCall[]
  /** Ends the plugin, if it runs, and starts it again. Returns why it does not run, or null. */
  restart(): Promise<string | null>
  /**
   * Sends a body to the plugin, with a new token for the call that it describes, or that of the last call if it
   * describes none. Returns the response as text.
   */
  resend(body: string): Promise<string>
}

const KEPT = 20
/** More than a runtime accepts: a plugin that never ends its response must not fill the memory. */
const RESPONSE_MAX = 4 * 1024 * 1024
const RESPONSE_MS = 60_000

/**
 * @param delayMs longer than the timeout of the plugin, so that the runtime does not wait for a delayed response.
 * @param tokenFor a new token for the call that a body describes, or null if it describes none.
 * @param pluginProcess null if the plugin was started by somebody else, so that it cannot be killed.
 */
export function createFaultProxy(
  pluginUrl: string,
  {
    delayMs,
    tokenFor,
    pluginProcess,
  }: {
    delayMs: number
    tokenFor: (body: string) => Promise<string | null>
    pluginProcess: () => PluginProcess | null
  },
): FaultProxy {
  let planted: Fault | null = null
  let restarting: Promise<string | null> = Promise.resolve(null)
  let lastAuthorization = ''
  const passed: PassedCall[] = []

  async function restart(): Promise<string | null> {
    const running = pluginProcess()
    await running?.kill()
    try {
      await running?.start()
      return null
    } catch (error) {
      return error instanceof Error ? error.message : 'The plugin did not start again'
    }
  }

  async function send(body: string, authorization = lastAuthorization): Promise<Answer> {
    const problem = await restarting
    if (problem !== null) throw new Error(problem)
    const response = await fetch(pluginUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization },
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(RESPONSE_MS),
    })
    const type = response.headers.get('content-type') ?? 'application/octet-stream'
    return { status: response.status, type, body: await textOf(response) }
  }

  return {
    async handle(incoming, outgoing) {
      const chunks: Uint8Array[] = []
      for await (const chunk of incoming as AsyncIterable<Uint8Array>) chunks.push(chunk)
      const request = Buffer.concat(chunks).toString()
      lastAuthorization = incoming.headers.authorization ?? ''
      const fault = planted
      planted = null
      const call: PassedCall = { at: new Date(), fault, request, responses: [] }
      passed.unshift(call)
      passed.splice(KEPT)
      const answers = await Promise.allSettled(
        fault === 'twice' ? [send(request), send(request)] : [send(request)],
      )
      call.responses = answers.map((answer) =>
        answer.status === 'fulfilled' ? describe(answer.value) : unreachable(answer.reason),
      )
      const answer = answers.find((one) => one.status === 'fulfilled')?.value
      // the runtime sees what it would see if the network or the plugin failed
      if (fault === 'killed') restarting = restart()
      if (fault === 'killed' || fault === 'lost' || answer === undefined) return void outgoing.destroy()
      if (fault === 'delayed') await sleep(delayMs)
      outgoing.writeHead(answer.status, { 'content-type': answer.type }).end(answer.body)
    },
    plant(fault) {
      planted = fault
    },
    planted: () => planted,
    calls: () => passed,
    restart: () => (restarting = restart()),
    resend: async (body) => {
      try {
        const token = await tokenFor(body)
        return describe(await (token === null ? send(body) : send(body, `Bearer ${token}`)))
      } catch (error) {
        return unreachable(error)
      }
    },
  }
}

async function textOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.byteLength
    if (size > RESPONSE_MAX) throw new Error('The response of the plugin is larger than 4 MiB')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** `fetch` throws a TypeError; another error says why the plugin did not start. */
const unreachable = (error: unknown): string =>
  error instanceof Error && !(error instanceof TypeError) ? error.message : 'The plugin cannot be reached'

/** Whether the plugin refused the token, by its response as text. */
export const isTokenRefused = (response: string): boolean => response.startsWith('HTTP status 401\n')

const describe = ({ status, body }: Answer): string =>
  status === 200 ? body : `HTTP status ${status}\n${body}`
