import { parseTrustedJson } from '#contract/protocol/strict-json.ts'
import type { JsonValue } from '#contract/json-schema/json.ts'
import { wrapSensitive } from '#contract/protocol/data.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import type { TypedValue } from '#contract/protocol/typed-value.ts'
import { asError } from '#http-kit/text/as-error.ts'
import type { Db } from '../model/db.ts'
import type { SealedData, StoredValue } from '../model/plan.ts'
import type { Vault, Place } from '../model/vault.ts'

/** Sealed bytes start with the format and the id of their data key, so that both can change. */
export const FORMAT = 1

export const HEADER_BYTES = 5

/** Returns the id of the data key that sealed the bytes, or null if they are not sealed. */
export function keyIdOf(sealed: Buffer): number | null {
  return sealed.length >= HEADER_BYTES && sealed[0] === FORMAT ? sealed.readUInt32BE(1) : null
}

export function headerOf(id: number): Buffer {
  const header = Buffer.alloc(HEADER_BYTES)
  header[0] = FORMAT
  header.writeUInt32BE(id, 1)
  return header
}

/** A sealed value names a data key that this replica does not know, or not yet. */
export class UnknownDataKey extends Error {
  override name = 'UnknownDataKey'
}

/** A sealed value is damaged, or was sealed for another place. */
export class DoesNotOpen extends Error {
  override name = 'DoesNotOpen'
}

/**
 * Opens values that were read from the database. If another replica has added a data key since, reads the keys first:
 * a transaction that sees a value also sees the key that sealed it.
 */
export async function opening<Opened>(vault: Vault, db: Db, open: () => Opened): Promise<Opened> {
  try {
    return open()
  } catch (error) {
    if (!(error instanceof UnknownDataKey)) throw error
    await vault.learn(db)
    return open()
  }
}

/**
 * Opens each of several values. The result of a value that does not open, or is damaged in another way, is its error;
 * the other values are not affected.
 */
export async function openingEach<Stored, Opened>(
  vault: Vault,
  db: Db,
  all: readonly Stored[],
  open: (stored: Stored) => Opened,
): Promise<(Opened | Error)[]> {
  const openAll = () =>
    all.map((stored) => {
      try {
        return open(stored)
      } catch (error) {
        return asError(error)
      }
    })
  const opened = openAll()
  if (!opened.some((one) => one instanceof UnknownDataKey)) return opened
  // whatever keys could be read are used, even if not all could; the other values do not need them
  const learnError = await vault.learn(db).then(() => null, asError)
  const again = openAll()
  return learnError === null ? again : again.map((one) => (one instanceof UnknownDataKey ? learnError : one))
}

type Definition = Pick<PropertyDefinition, 'isSensitive'> | undefined

/** Maps one value of a structure at its place, with its definition if the structure has it. */
export type ValueChange<From, To> = (value: From, place: Place, definition?: Definition) => To

export function isSealed(value: StoredValue): value is SealedData {
  return value['@type'] === 'Data' && 'sealed' in value
}

/** Seals the values that are sensitive by their definition or, without a definition, by their own mark. */
export function sealingWith(vault: Vault): ValueChange<TypedValue, StoredValue> {
  return (value, place, definition) => {
    if (value['@type'] !== 'Data') return value
    if (value.isSensitive !== true && definition?.isSensitive !== true) return value
    return sealData(vault, value.value, place)
  }
}

/** Opens sealed values and marks them as sensitive. */
export function openingWith(vault: Vault): ValueChange<StoredValue, TypedValue> {
  return (value, place) =>
    isSealed(value)
      ? wrapSensitive(parseTrustedJson(vault.open(bytesOf(value), place).toString('utf8')) as JsonValue)
      : value
}

/** Seals with the current key what another key has sealed, and sensitive values that are not sealed. */
export function resealingWith(vault: Vault): ValueChange<StoredValue, StoredValue> {
  const [open, seal] = [openingWith(vault), sealingWith(vault)]
  return (value, place, definition) => {
    const isCurrent = isSealed(value) && keyIdOf(bytesOf(value)) === vault.currentKeyId()
    return isCurrent ? value : seal(open(value, place), place, definition)
  }
}

function sealData(vault: Vault, value: JsonValue, place: Place): SealedData {
  const sealed = vault.seal(Buffer.from(JSON.stringify(value)), place).toString('base64url')
  return { '@type': 'Data', isSensitive: true, sealed }
}

const bytesOf = ({ sealed }: SealedData): Buffer => Buffer.from(sealed, 'base64url')
