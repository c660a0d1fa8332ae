import { LifecycleResponse } from '../../../contract/protocol/lifecycle.ts'
import { readEnvelope, type FailureData } from '../../../contract/protocol/envelope.ts'
import type { PluginHandler } from '../src/define-plugin.ts'

export interface PluginResponse {
  status: number
  body: string
  /** Null if the response is not a success. */
  response: LifecycleResponse | null
  errorCode: string | null
  failure: FailureData | null
}

/** Anything that responds to a POST: a handler, or an address. */
export type Plugin = PluginHandler | string

/** Sends one lifecycle call; a string is sent unchanged. */
export async function sendRequest(plugin: Plugin, request: unknown, token?: string): Promise<PluginResponse> {
  const init = {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: typeof request === 'string' ? request : JSON.stringify(request),
  }
  const response =
    typeof plugin === 'string'
      ? await fetch(plugin, { ...init, redirect: 'manual' })
      : await plugin(new Request('http://plugin.invalid/lifecycle', init))
  return read(response.status, await response.text())
}

function read(status: number, body: string): PluginResponse {
  const reading = status === 200 ? readEnvelope(JSON.parse(body)) : null
  const isFailure = reading?.kind === 'failure'
  return {
    status,
    body,
    response: reading?.kind === 'success' ? LifecycleResponse.parse(reading.data) : null,
    errorCode: isFailure ? reading.errorCode : null,
    failure: isFailure ? reading.failure : null,
  }
}
