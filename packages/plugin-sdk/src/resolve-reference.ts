import { isDeepStrictEqual } from 'node:util'
import { AccessResolutionResponse, type Access } from '../../../contract/protocol/access-resolution.ts'
import { readEnvelope } from '../../../contract/protocol/envelope.ts'
import { ACCESS_VERSION } from '../../../contract/protocol/limits.ts'
import type { InstallationIdentity } from '../../../contract/protocol/scope.ts'
import type { Reference } from '../../../contract/protocol/typed-value.ts'

export interface ResolveOptions {
  /** The registered address of the platform. */
  platformApiBase: string
  /** The plugin's credential; never the token of a lifecycle call. */
  credential: string
  installation: InstallationIdentity
  /** A full locator. */
  resource: string
  /** The reference property to resolve; another property bound to the same service does not work. */
  propertyKey: string
  /** Default 10 s. */
  timeoutMs?: number
  /** Milliseconds since 1970; default: the system clock. */
  now?: () => number
}

/** Use it for a single business call, then discard it: never store, log or write it back. */
export interface ResolvedReference {
  reference: Reference
  /** Address and token by serviceId; a service that occurs twice in the reference has one entry. */
  access: Readonly<Record<string, Access>>
  /** The earliest expiry, or null if the platform gives none. */
  expiresAt: Date | null
}

/** No access was granted. `errorCode` is the platform's, or RESOLUTION_UNCERTAIN if there was no valid response. */
export class ReferenceNotResolved extends Error {
  override readonly name = 'ReferenceNotResolved'
  readonly errorCode: string
  readonly retryable: boolean

  constructor(
    errorCode: string,
    message: string,
    { retryable, cause }: { retryable: boolean; cause?: unknown },
  ) {
    super(message, { cause })
    this.errorCode = errorCode
    this.retryable = retryable
  }
}

const PATH = '/module-plugin-manager/api/bundle-plugin/service-reference/resolve'
const TIMEOUT_MS = 10_000

/**
 * Resolves a reference property into addresses and tokens for a single business call. Throws ReferenceNotResolved if
 * the platform rejects the request, if the response is for another installation, resource or property, or if the access
 * has expired.
 */
export async function resolveReference(options: ResolveOptions): Promise<ResolvedReference> {
  const { installation, resource, propertyKey, now = Date.now } = options
  const request = { contractVersion: ACCESS_VERSION, installation, resource, propertyKey }
  return judgeResolution(await sendResolution(options, JSON.stringify(request)), request, now())
}

async function sendResolution(
  { platformApiBase, credential, timeoutMs = TIMEOUT_MS }: ResolveOptions,
  body: string,
): Promise<unknown> {
  try {
    const response = await fetch(platformApiBase.replace(/\/+$/, '') + PATH, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${credential}` },
      body,
      // A redirect would send the body to another host.
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    })
    if (response.status === 200) return await response.json()
    await response.body?.cancel()
    if (response.status === 401)
      throw new ReferenceNotResolved('AUTHENTICATION_REQUIRED', 'The platform rejected the credential', {
        retryable: false,
      })
    throw uncertain(`The platform responded with status ${response.status}`)
  } catch (cause) {
    throw cause instanceof ReferenceNotResolved ? cause : uncertain('The platform did not respond', cause)
  }
}

type ResolutionRequest = {
  contractVersion: string
  installation: InstallationIdentity
  resource: string
  propertyKey: string
}

function judgeResolution(json: unknown, asked: ResolutionRequest, now: number): ResolvedReference {
  const envelope = readEnvelope(json)
  if (envelope.kind === 'invalid') throw uncertain('The response of the platform is not an envelope')
  if (envelope.kind === 'failure')
    throw new ReferenceNotResolved(
      envelope.errorCode,
      envelope.failure?.message ?? 'The platform rejected the resolution of the reference',
      { retryable: envelope.failure?.retryable ?? false },
    )
  const reading = AccessResolutionResponse.safeParse(envelope.data)
  if (!reading.success) throw uncertain('The response of the platform is not an access resolution')
  const { reference, access, expiresAt, ...echo } = reading.data
  if (!isDeepStrictEqual(echo, asked))
    throw uncertain('The response of the platform is for another reference')
  const expiry = expiresAt === null ? null : new Date(expiresAt)
  if (expiry !== null && expiry.getTime() <= now) throw uncertain('The access has already expired')
  return { reference, access, expiresAt: expiry }
}

const uncertain = (message: string, cause?: unknown): ReferenceNotResolved =>
  new ReferenceNotResolved('RESOLUTION_UNCERTAIN', message, { retryable: true, cause })
