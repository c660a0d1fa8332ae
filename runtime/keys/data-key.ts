import { hkdfSync, randomBytes } from 'node:crypto'
import { decrypt, encrypt, KEY_BYTES } from './cipher.ts'
import type { SealingKey } from './sealing-key.ts'
import type { WrappedDataKey } from '../model/data-key.ts'

/** A key that seals values, as it is used. */
export interface DataKey {
  id: number
  key: Buffer
  /** For digests: no key is used for two things. */
  digestKey: Buffer
}

export const newDataKey = (id: number): DataKey => dataKey(id, randomBytes(KEY_BYTES))

export function wrapDataKey({ id, key }: DataKey, sealingKey: SealingKey): WrappedDataKey {
  return { id, wrapped: encrypt(sealingKey.key, key, contextOf(id)), fingerprint: sealingKey.fingerprint }
}

/** Null where none of the sealing keys is the one that wrapped it. Throws where it is damaged. */
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
