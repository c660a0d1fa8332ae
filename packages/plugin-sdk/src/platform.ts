import { setTimeout as wait } from 'node:timers/promises'
import { readEnvelope } from '../../../contract/protocol/envelope.ts'
import type { JsonValue } from '../../../contract/json-schema/json.ts'
import { postJson } from './post-json.ts'
import type { Awaitable } from './awaitable.ts'

/**
 * The plugin's credential, or a function that reads it. The function is called for every request, and once more if the
 * platform refuses what it returned, so that a rotated credential is used without a restart.
 */
export type Credential = string | (() => Awaitable<string>)

export interface PlatformOptions {
  /** The registered address of the platform. */
  platformApiBase: string
  credential: Credential
  /** How long reading the credential and sending a request may take together; default 10 s. */
  timeoutMs?: number
}

/** The platform refused the request, or gave no valid response: `errorCode` is then PLATFORM_UNCERTAIN. */
export class PlatformCallFailed extends Error {
  override readonly name = 'PlatformCallFailed'
  readonly errorCode: string
  readonly retryable: boolean
  /** The HTTP status of a response without an envelope; null if there was an envelope or no response. */
  readonly status: number | null

  constructor(
    errorCode: string,
    message: string,
    { retryable, status = null, cause }: { retryable: boolean; status?: number | null; cause?: unknown },
  ) {
    super(message, { cause })
    this.errorCode = errorCode
    this.retryable = retryable
    this.status = status
  }
}

/** Builds the failure of a request whose result is not known. */
export const platformUncertain = (message: string, cause?: unknown): PlatformCallFailed =>
  new PlatformCallFailed('PLATFORM_UNCERTAIN', message, { retryable: true, cause })

const PREFIX = '/module-plugin-manager/api/bundle-plugin'
const TIMEOUT_MS = 10_000

/** Sends a request with the credential of the plugin. Returns the data of the envelope; throws PlatformCallFailed. */
export async function callPlatform(
  options: PlatformOptions,
  path: `/${string}`,
  request: unknown,
): Promise<JsonValue> {
  const { platformApiBase, credential, timeoutMs = TIMEOUT_MS } = options
  const url = baseOf(platformApiBase) + PREFIX + path
  const body = JSON.stringify(request)
  const send = async (authorization: Authorization) =>
    readResponse(await post({ url, body, ...authorization }))
  const first = await readCredential(credential, timeoutMs)
  try {
    return await send(first)
  } catch (error) {
    if (typeof credential === 'string' || !isCredentialRefused(error)) throw error
    const second = await readCredential(credential, timeoutMs)
    if (second.credential === first.credential) throw error
    return send(second)
  }
}

/** The credential of a request, and the signal that aborts it after the timeout. */
interface Authorization {
  credential: string
  signal: AbortSignal
}

/** The timeout also covers the author's function, so that a request always ends. */
async function readCredential(credential: Credential, timeoutMs: number): Promise<Authorization> {
  const signal = AbortSignal.timeout(timeoutMs)
  if (typeof credential === 'string') return { credential, signal }
  const timer = new AbortController()
  try {
    const timeout = wait(timeoutMs, null, { signal: timer.signal }).catch(() => null)
    const read = await Promise.race([credential(), timeout])
    if (read === null) throw platformUncertain('The credential was not read in time')
    return { credential: read, signal }
  } finally {
    timer.abort()
  }
}

/** The platform's address without a trailing slash. */
export const baseOf = (platformApiBase: string): string => platformApiBase.replace(/\/+$/, '')

async function post(request: Authorization & { url: string; body: string }) {
  try {
    return await postJson({
      url: request.url,
      headers: { authorization: `Bearer ${request.credential}` },
      body: request.body,
      signal: request.signal,
    })
  } catch (cause) {
    throw platformUncertain('The platform did not respond', cause)
  }
}

const credentialRejected = (why: string): string =>
  `The platform rejected the credential: ${why}. Create another one on the page of the plugin in the console, and give it to the plugin.`

function readResponse({ status, json }: { status: number; json: unknown }): JsonValue {
  if (status === 401)
    throw new PlatformCallFailed('AUTHENTICATION_REQUIRED', credentialRejected('it is unknown'), {
      retryable: false,
      status,
    })
  if (status !== 200)
    throw new PlatformCallFailed('PLATFORM_UNCERTAIN', `The platform responded with status ${status}`, {
      retryable: true,
      status,
    })
  const envelope = readEnvelope(json)
  if (envelope.kind === 'invalid') throw platformUncertain('The response of the platform is not an envelope')
  if (envelope.kind === 'success') return envelope.data
  const { errorCode, failure } = envelope
  if (errorCode === 'CREDENTIAL_REVOKED')
    throw new PlatformCallFailed(errorCode, credentialRejected('it was revoked'), { retryable: false })
  throw new PlatformCallFailed(errorCode, failure?.message ?? 'The platform rejected the request', {
    retryable: failure?.retryable ?? false,
  })
}

const CREDENTIAL_CODES = new Set(['AUTHENTICATION_REQUIRED', 'CREDENTIAL_REVOKED'])

/** Whether the platform refused the credential: the same request succeeds only after a person has replaced it. */
export const isCredentialRefused = (error: unknown): boolean =>
  error instanceof Error && 'errorCode' in error && CREDENTIAL_CODES.has(String(error.errorCode))
