import { setTimeout as sleep } from 'node:timers/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'

/** What happens to the next call: see {@link FAULTS}. */
export type Fault = keyof typeof FAULTS

export const FAULTS = {
  lost: 'Lose the response',
  delayed: 'Delay the response',
  twice: 'Send the call twice at once',
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
  /** Sends a body to the plugin with the token of the last call. Returns the response as text. */
  resend(body: string): Promise<string>
}

const KEPT = 20

/** @param delayMs longer than the timeout of the plugin, so that the runtime does not wait for a delayed response. */
export function createFaultProxy(pluginUrl: string, { delayMs }: { delayMs: number }): FaultProxy {
  let planted: Fault | null = null
  let token = ''
  const passed: PassedCall[] = []

  async function send(body: string): Promise<Answer> {
    const response = await fetch(pluginUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: token },
      body,
      redirect: 'manual',
    })
    const type = response.headers.get('content-type') ?? 'application/octet-stream'
    return { status: response.status, type, body: await response.text() }
  }

  return {
    async handle(incoming, outgoing) {
      const chunks: Uint8Array[] = []
      for await (const chunk of incoming as AsyncIterable<Uint8Array>) chunks.push(chunk)
      const request = Buffer.concat(chunks).toString()
      token = incoming.headers.authorization ?? ''
      const fault = planted
      planted = null
      const call: PassedCall = { at: new Date(), fault, request, responses: [] }
      passed.unshift(call)
      passed.splice(KEPT)
      const answers = await Promise.allSettled(
        fault === 'twice' ? [send(request), send(request)] : [send(request)],
      )
      call.responses = answers.map((answer) =>
        answer.status === 'fulfilled' ? describe(answer.value) : 'The plugin cannot be reached',
      )
      const answer = answers.find((one) => one.status === 'fulfilled')?.value
      // the runtime sees what it would see if the network or the plugin failed
      if (fault === 'lost' || answer === undefined) return void outgoing.destroy()
      if (fault === 'delayed') await sleep(delayMs)
      outgoing.writeHead(answer.status, { 'content-type': answer.type }).end(answer.body)
    },
    plant(fault) {
      planted = fault
    },
    planted: () => planted,
    calls: () => passed,
    resend: async (body) => {
      try {
        return describe(await send(body))
      } catch {
        return 'The plugin cannot be reached'
      }
    },
  }
}

const describe = ({ status, body }: Answer): string =>
  status === 200 ? body : `HTTP status ${status}\n${body}`
