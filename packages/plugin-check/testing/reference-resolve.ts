import type { LifecycleRequest } from '../../../contract/protocol/lifecycle.ts'
import { readEnvelope } from '../../../contract/protocol/envelope.ts'
import { AccessResolutionResponse } from '../../../contract/protocol/access-resolution.ts'
import type { DefectName } from './defects.ts'

interface ResolveOptions {
  platform: string
  credential: string
  has: (defect: DefectName) => boolean
}

/** The tokens of all references of an INSTALL, once they resolve; null if the platform is not available. */
export async function resolveReferences(
  request: LifecycleRequest,
  options: ResolveOptions,
): Promise<string[] | 'refused' | null> {
  if (request.stage !== 'AFTER_RESOURCES' || request.operation.operationType !== 'INSTALL') return []
  const tokens: string[] = []
  for (const [resource, { references }] of Object.entries(request.resources))
    for (const propertyKey of Object.keys(references)) {
      const found = await resolve(request, resource, propertyKey, options)
      if (found === null || found === 'refused') return found
      tokens.push(...found)
    }
  return tokens
}

async function resolve(
  { installation }: LifecycleRequest,
  resource: string,
  propertyKey: string,
  { platform, credential, has }: ResolveOptions,
): Promise<string[] | 'refused' | null> {
  const path = '/module-plugin-manager/api/bundle-plugin/service-reference/resolve'
  const response = await fetch(`${platform}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
    body: JSON.stringify({ contractVersion: '4.0.0', installation, resource, propertyKey }),
  })
  if (response.status !== 200) return null
  const envelope = readEnvelope(await response.json())
  const reading = AccessResolutionResponse.safeParse(envelope.kind === 'success' ? envelope.data : null)
  if (!reading.success) return has('ignores-refusal') ? [] : 'refused'
  const { access, expiresAt, installation: found } = reading.data
  const isExpired = expiresAt !== null && Date.parse(expiresAt) < Date.now() && !has('uses-expired-access')
  if (isExpired || found.bundleInstallId !== installation.bundleInstallId) return 'refused'
  return Object.values(access).map(({ token }) => token)
}
