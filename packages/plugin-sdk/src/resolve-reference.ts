import { isDeepStrictEqual } from 'node:util'
import { AccessResolutionResponse, type Access } from '../../../contract/protocol/access-resolution.ts'
import { ACCESS_VERSION } from '../../../contract/protocol/limits.ts'
import type { InstallationIdentity } from '../../../contract/protocol/scope.ts'
import type { Reference } from '../../../contract/protocol/typed-value.ts'
import { callPlatform, PlatformCallFailed, type PlatformOptions } from './platform.ts'

/** A reference property of an installed resource. */
export interface ReferenceLocation {
  installation: InstallationIdentity
  /** A full locator. */
  resource: string
  /** The reference property to resolve; another property bound to the same service does not work. */
  propertyKey: string
}

export interface ResolveOptions extends PlatformOptions, ReferenceLocation {
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

/**
 * Resolves a reference property into addresses and tokens for a single business call. Throws ReferenceNotResolved if
 * the platform rejects the request, if the response is for another installation, resource or property, or if the access
 * has expired.
 */
export async function resolveReference(options: ResolveOptions): Promise<ResolvedReference> {
  const { installation, resource, propertyKey, now = Date.now } = options
  const request = { contractVersion: ACCESS_VERSION, installation, resource, propertyKey }
  try {
    const data = await callPlatform(options, '/service-reference/resolve', request)
    return judgeResolution(data, request, now())
  } catch (error) {
    if (!(error instanceof PlatformCallFailed)) throw error
    const { errorCode, message, retryable, cause } = error
    const code = errorCode === 'PLATFORM_UNCERTAIN' ? 'RESOLUTION_UNCERTAIN' : errorCode
    throw new ReferenceNotResolved(code, message, { retryable, cause })
  }
}

function judgeResolution(
  data: unknown,
  asked: ReferenceLocation & { contractVersion: string },
  now: number,
): ResolvedReference {
  const reading = AccessResolutionResponse.safeParse(data)
  if (!reading.success) throw uncertain('The response of the platform is not an access resolution')
  const { reference, access, expiresAt, ...echo } = reading.data
  if (!isDeepStrictEqual(echo, asked))
    throw uncertain('The response of the platform is for another reference')
  const expiry = expiresAt === null ? null : new Date(expiresAt)
  if (expiry !== null && expiry.getTime() <= now) throw uncertain('The access has already expired')
  return { reference, access, expiresAt: expiry }
}

const uncertain = (message: string): ReferenceNotResolved =>
  new ReferenceNotResolved('RESOLUTION_UNCERTAIN', message, { retryable: true })
