import { createHmac, timingSafeEqual } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import type { PlatformKey, Signature } from '#contract/runtime-api/platform-keys.ts'
import type { Clock } from '#http-kit/clock.ts'
import { listDataKeys } from '../store/data-keys.ts'
import type { DataKeyRow } from '../store/data-keys.ts'
import { platformKeysOf, signaturesOf } from './platform-keys.ts'
import { decrypt, encrypt, unwrapDataKey } from './sealing-key.ts'
import type { DataKey, SealingKey } from './sealing-key.ts'
import { DoesNotOpen, UnknownDataKey, FORMAT, HEADER_BYTES, headerOf } from '../sealing/sealed-value.ts'
import type { Db } from '../model/db.ts'
import type { Place, SignedKind, Vault } from '../model/vault.ts'

/**
 * The maximum age of the knowledge which data key is current. A replica that was disconnected for longer refuses to
 * seal, because its key may have been replaced. So no replica uses a replaced key after this time.
 */
export const MAX_AGE_MS = 60 * 60_000

/** The vault of a replica: the unwrapped data keys of its database. Empty until `take` is called. */
export class Keyring implements Vault {
  readonly #clock: Pick<Clock, 'now' | 'monotonic'>
  readonly #dataKeys = new Map<number, DataKey>()
  #sealingKeys: readonly SealingKey[] = []
  #current: DataKey | undefined
  #lacksKeys = false
  #readAt = { wall: 0, monotonic: 0 }

  constructor(clock: Pick<Clock, 'now' | 'monotonic'>) {
    this.#clock = clock
  }

  seal(plain: Uint8Array, place: Place): Buffer {
    const dataKey = this.#freshKey()
    const header = headerOf(dataKey.id)
    return Buffer.concat([header, encrypt(dataKey.key, plain, valueContextOf(header, place))])
  }

  open(sealed: Buffer, place: Place): Buffer {
    const dataKey = this.#keyNamedIn(sealed)
    const header = sealed.subarray(0, HEADER_BYTES)
    try {
      return decrypt(dataKey.key, sealed.subarray(HEADER_BYTES), valueContextOf(header, place))
    } catch {
      // without the cause: it may contain decrypted bytes
      throw new DoesNotOpen(
        `The value sealed for ${JSON.stringify(place)} does not open: it was changed or moved`,
      )
    }
  }

  currentKeyId(): number {
    return this.#freshKey().id
  }

  digest(message: string): Buffer {
    const { id, digestKey } = this.#freshKey()
    return Buffer.concat([headerOf(id), hmac(digestKey, message)])
  }

  isDigestOf(digest: Buffer, message: string): boolean {
    const { digestKey } = this.#keyNamedIn(digest)
    const wanted = hmac(digestKey, message)
    const found = digest.subarray(HEADER_BYTES)
    return found.length === wanted.length && timingSafeEqual(found, wanted)
  }

  signatures(kind: SignedKind, text: string): Signature[] {
    return signaturesOf(this.#sealingKeys, kind, text)
  }

  platformKeys(): PlatformKey[] {
    return platformKeysOf(this.#sealingKeys)
  }

  async learn(db: Db): Promise<void> {
    const foreign = this.addDataKeys(await listDataKeys(db), this.#sealingKeys)
    this.#lacksKeys = foreign.length > 0
    if (this.#lacksKeys)
      throw new Error(
        'A data key was wrapped with a sealing key that this replica does not have; name its file in SEALING_KEY_FILE, and restart',
      )
  }

  lacksKeys(): boolean {
    return this.#lacksKeys
  }

  /** Adds the data keys that these sealing keys unwrap. Returns those that none of them unwraps. */
  addDataKeys(rows: readonly DataKeyRow[], sealingKeys: readonly SealingKey[]): DataKeyRow[] {
    const readAt = { wall: this.#clock.now().getTime(), monotonic: this.#clock.monotonic() }
    this.#sealingKeys = sealingKeys
    const foreign: DataKeyRow[] = []
    for (const row of rows) {
      // a known key stays usable after it was rewrapped with a key that is unknown here
      const dataKey = this.#dataKeys.get(row.id) ?? unwrapDataKey(row, sealingKeys)
      if (dataKey === null) foreign.push(row)
      else this.#dataKeys.set(row.id, dataKey)
      if (dataKey !== null && row.replacedAt === null) {
        this.#current = dataKey
        this.#readAt = readAt
      }
    }
    return foreign
  }

  #freshKey(): DataKey {
    if (this.#current === undefined) throw new Error('The vault is not open yet')
    // the monotonic clock stops while the machine sleeps, and the wall clock may be set back
    const age = Math.max(
      this.#clock.monotonic() - this.#readAt.monotonic,
      this.#clock.now().getTime() - this.#readAt.wall,
    )
    if (age > MAX_AGE_MS) throw new Error('The data keys were read too long ago to be used for sealing')
    return this.#current
  }

  #keyNamedIn(sealed: Buffer): DataKey {
    if (sealed.length < HEADER_BYTES || sealed[0] !== FORMAT)
      throw new DoesNotOpen('The value is not sealed, or its format is unknown to this version')
    const id = sealed.readUInt32BE(1)
    const dataKey = this.#dataKeys.get(id)
    if (dataKey === undefined) throw new UnknownDataKey(`The data key ${id} is unknown`)
    return dataKey
  }
}

const valueContextOf = (header: Buffer, place: Place): Buffer =>
  Buffer.concat([header, Buffer.from(JSON.stringify(place))])

const hmac = (key: KeyObject, message: string): Buffer => createHmac('sha256', key).update(message).digest()
