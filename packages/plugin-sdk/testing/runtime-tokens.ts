import { exportJWK, generateKeyPair, SignJWT, type JSONWebKeySet, type JWTPayload } from 'jose'
import type { LifecycleRequest } from '../../../contract/protocol/lifecycle.ts'

export const ISSUER = 'https://platform.example'

export interface RuntimeTokens {
  keys: JSONWebKeySet
  /** A token for this call as the runtime issues it, with the changes. */
  sign(request: LifecycleRequest, changes?: JWTPayload, expiresIn?: string): Promise<string>
}

/** Plays the runtime's part in authentication, with one key. */
export async function runtimeTokens(kid = 'key-1'): Promise<RuntimeTokens> {
  const { publicKey, privateKey } = await generateKeyPair('EdDSA', { extractable: true })
  return {
    keys: { keys: [{ ...(await exportJWK(publicKey)), kid, alg: 'EdDSA', use: 'sig' }] },
    sign: (request, changes = {}, expiresIn = '5m') =>
      new SignJWT({
        iss: ISSUER,
        aud: request.pluginId,
        sub: request.operation.operationId,
        stage: request.stage,
        executionSequence: request.executionSequence,
        iat: Math.floor(Date.now() / 1000),
        ...changes,
      })
        .setProtectedHeader({ alg: 'EdDSA', kid })
        .setExpirationTime(expiresIn)
        .sign(privateKey),
  }
}
