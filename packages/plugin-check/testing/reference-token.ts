import { createHmac, createPublicKey, verify } from 'node:crypto'
import type { LifecycleRequest } from '../../../contract/protocol/lifecycle.ts'
import type { DefectName } from './defects.ts'

type Claims = Record<string, unknown>
type Key = { kid: string; kty: string; crv: string; x: string }

export interface TokenVerifier {
  /** The verified claims of a header; null if it is not accepted. */
  verify(authorization: string | undefined): Promise<Claims | null>
  matches(claims: Claims, request: LifecycleRequest): boolean
}

export function createTokenVerifier(
  platform: string,
  pluginId: string,
  has: (defect: DefectName) => boolean,
): TokenVerifier {
  let keys: Key[] = []

  async function keyOf(kid: unknown): Promise<Key | undefined> {
    const known = keys.find((key) => key.kid === kid)
    if (known !== undefined) return known
    const response = await fetch(`${platform}/bundle-runtime/api/.well-known/jwks.json`)
    // the key set of the platform
    keys = ((await response.json()) as { keys: Key[] }).keys
    return keys.find((key) => key.kid === kid)
  }

  return {
    async verify(authorization) {
      const token = /^Bearer ([^.]+)\.([^.]+)\.([^.]*)$/.exec(authorization ?? '')
      if (token === null) return null
      const [, head = '', body = '', signature = ''] = token
      const header = parse(head)
      const claims = parse(body)
      const key = await keyOf(header['kid'])
      if (key === undefined) return null
      const input = Buffer.from(`${head}.${body}`)
      const isSigned =
        header['alg'] === 'HS256' && has('algorithm-of-token')
          ? createHmac('sha256', Buffer.from(key.x, 'base64url')).update(input).digest('base64url') ===
            signature
          : header['alg'] === 'EdDSA' &&
            verify(null, input, createPublicKey({ key, format: 'jwk' }), Buffer.from(signature, 'base64url'))
      const isValid =
        claims['iss'] === platform &&
        (has('no-audience') || claims['aud'] === pluginId) &&
        Number(claims['exp']) > Date.now() / 1000 - 30
      return isSigned && isValid ? claims : null
    },
    matches: (claims, request) =>
      claims['sub'] === request.operation.operationId &&
      (has('no-stage-claim') || claims['stage'] === request.stage) &&
      claims['executionSequence'] === request.executionSequence,
  }
}

function parse(part: string): Claims {
  try {
    const json: unknown = JSON.parse(Buffer.from(part, 'base64url').toString())
    return typeof json === 'object' && json !== null ? (json as Claims) : {}
  } catch {
    return {}
  }
}
