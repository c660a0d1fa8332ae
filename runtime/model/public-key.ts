import type { JWK } from 'jose'

/** The public half of a signing key, as published in a JWKS. */
export type PublicKey = JWK & { kid: string }
