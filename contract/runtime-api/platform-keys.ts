import * as z from 'zod'
import { defineEndpoints } from '#contract/endpoint/endpoint.ts'

/** The public half of a platform key, as a JSON Web Key (RFC 8037). */
export const PlatformKey = z.object({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  alg: z.literal('EdDSA'),
  use: z.literal('sig'),
  /** Its thumbprint (RFC 7638). */
  kid: z.string(),
  x: z.string(),
})
export type PlatformKey = z.infer<typeof PlatformKey>

/** A signature with one platform key: Ed25519, in base64url. */
export const Signature = z.object({ keyId: z.string().max(100), value: z.string().max(100) })
export type Signature = z.infer<typeof Signature>

export const platformKeyEndpoints = defineEndpoints({
  'GET /platform-keys': {
    summary: 'The public keys of the signatures of receipts and anchors, to be kept with them',
    access: { needs: 'read', where: 'anywhere' },
    query: z.strictObject({}),
    answer: z.object({ keys: z.array(PlatformKey) }),
    codes: [],
  },
})
