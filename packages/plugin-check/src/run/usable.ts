import { DEFAULT_CREDENTIAL } from '../profile.ts'
import { printable } from '../../../../contract/protocol/foreign-text.ts'
import { parseJson, type Answer } from '../wire/read-answer.ts'
import type { Exchange } from '../wire/send.ts'
import type { Bench } from './trial.ts'

/**
 * One line that says that the plugin called the platform with a wrong credential; null if it did not, or if the call
 * succeeded nevertheless.
 */
export function credentialProblem({ platform, profile }: Bench, answer: Answer): string | null {
  const isWrong = platform.calls.some(({ authorization }) => authorization !== `Bearer ${profile.credential}`)
  return isWrong && answer.kind !== 'success'
    ? `The plugin called the platform with a wrong credential. Configure it with the credential of the profile; if the profile has none, with ${DEFAULT_CREDENTIAL}.`
    : null
}

/** One line that says why no plugin answered a valid call, and what to do; null if one did. */
export function endpointProblem(
  { url, platform, profile }: Bench,
  { response, problem, isConnected }: Exchange,
): string | null {
  if (response === null)
    return isConnected
      ? `The plugin at ${url} gave no complete response: ${problem}. Correct it, or check --url.`
      : `The plugin at ${url} cannot be reached: ${problem}. Start it, and check --url.`
  const { status } = response
  if (status === 401 || status === 403)
    return `The plugin refused a valid token for ${profile.pluginId} (${status}). Set its platform API base to ${platform.url} and restart it, or correct pluginId of the profile.`
  if (status === 503)
    return `The plugin is not available (503). If it cannot reach its platform, set its platform API base to ${platform.url} and restart it.`
  if (status === 404 || status === 405 || (status >= 300 && status < 400))
    return `There is no lifecycle endpoint at ${url} (HTTP status ${status}). Check the path of --url.`
  if (isNotJson(response)) return notJsonProblem(url, response)
  return null
}

/** Whether a successful response is not JSON: there is no plugin at that address, or something damages its responses. */
export const isNotJson = ({ status, body }: NonNullable<Exchange['response']>): boolean =>
  status >= 200 && status < 300 && parseJson(body) === undefined

function notJsonProblem(url: string, { headers, body }: NonNullable<Exchange['response']>): string {
  if (body.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK))
    return `The response of the plugin at ${url} begins with a byte order mark, so it is not JSON. Send UTF-8 without it.`
  return `There is no lifecycle endpoint at ${url}: the response is not JSON${typeOf(headers)}. Check --url.`
}

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf])

function typeOf({ 'content-type': type }: Record<string, string>): string {
  return type === undefined ? '' : `, but ${printable(type.split(';', 1)[0] ?? '').slice(0, 80)}`
}
