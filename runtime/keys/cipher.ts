import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

// AES-256-GCM. The encrypted bytes are nonce, ciphertext and tag, in this order.

export const KEY_BYTES = 32
const ALGORITHM = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Encrypts with a random nonce. `context` is not stored; decryption needs the same one. */
export function encrypt(key: Buffer, plain: Uint8Array, context: Buffer): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
  cipher.setAAD(context)
  const encrypted = cipher.update(plain)
  return Buffer.concat([nonce, encrypted, cipher.final(), cipher.getAuthTag()])
}

/** Decrypts. Throws if a single bit of the key, the context or the encrypted bytes differs. */
export function decrypt(key: Buffer, encrypted: Buffer, context: Buffer): Buffer {
  if (encrypted.length < NONCE_BYTES + TAG_BYTES) throw new Error('the encrypted data is too short')
  const nonce = encrypted.subarray(0, NONCE_BYTES)
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
  decipher.setAAD(context)
  decipher.setAuthTag(encrypted.subarray(-TAG_BYTES))
  const plain = decipher.update(encrypted.subarray(NONCE_BYTES, -TAG_BYTES))
  return Buffer.concat([plain, decipher.final()])
}
