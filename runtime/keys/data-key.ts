import { hkdfSync, randomBytes } from 'node:crypto'
import { decrypt, encrypt, KEY_BYTES } from './cipher.ts'
import type { SealingKey } from './sealing-key.ts'
import type { WrappedDataKey } from '../model/data-key.ts'

/** An unwrapped key that seals values. */
export interface DataKey {
  id: number
  key: Buffer
  /** For digests: each key has only one purpose. */
  digestKey: Buffer
}

export const newDataKey = (id: number): DataKey => dataKey(id, randomBytes(KEY_BYTES))

export function wrapDataKey({ id, key }: DataKey, sealingKey: SealingKey): WrappedDataKey {
  return { id, wrapped: encrypt(sealingKey.key, key, contextOf(id)), fingerprint: sealingKey.fingerprint }
}

/** Returns null if none of the sealing keys has wrapped the data key. Throws if it is damaged. */
export function unwrapDataKey(
  { id, wrapped, fingerprint }: WrappedDataKey,
  sealingKeys: readonly SealingKey[],
): DataKey | null {
  const sealingKey = sealingKeys.find((one) => one.fingerprint === fingerprint)
  return sealingKey === undefined ? null : dataKey(id, decrypt(sealingKey.key, wrapped, contextOf(id)))
}

function dataKey(id: number, key: Buffer): DataKey {
  return { id, key, digestKey: Buffer.from(hkdfSync('sha256', key, '', 'digest', KEY_BYTES)) }
}

const contextOf = (id: number): Buffer => Buffer.from(JSON.stringify(['data_key', id]))
