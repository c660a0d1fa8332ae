import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

// AES-256-GCM; what stands in the database is nonce, ciphertext and tag, one after the other.

export const KEY_BYTES = 32
const ALGORITHM = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Encrypts under a random nonce; `context` is not kept and must be the same when it is decrypted. */
export function encrypt(key: Buffer, plain: Uint8Array, context: Buffer): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
  cipher.setAAD(context)
  const encrypted = cipher.update(plain)
  return Buffer.concat([nonce, encrypted, cipher.final(), cipher.getAuthTag()])
}

/** Throws where anything differs by a bit: key, context or what was encrypted. */
export function decrypt(key: Buffer, encrypted: Buffer, context: Buffer): Buffer {
  if (encrypted.length < NONCE_BYTES + TAG_BYTES) throw new Error('is too short to be encrypted data')
  const nonce = encrypted.subarray(0, NONCE_BYTES)
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
  decipher.setAAD(context)
  decipher.setAuthTag(encrypted.subarray(-TAG_BYTES))
  const plain = decipher.update(encrypted.subarray(NONCE_BYTES, -TAG_BYTES))
  return Buffer.concat([plain, decipher.final()])
}
