import type { JsonValue } from '#contract/json-schema/json.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import type { TypedValue } from '#contract/protocol/typed-value.ts'
import { wrapSensitive } from '#contract/protocol/data.ts'
import type { SealedData, StoredValue } from '../model/stored-value.ts'
import type { Place, Vault } from '../model/vault.ts'
import { keyIdOf } from './format.ts'

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
    isSealed(value) ? wrapSensitive(JSON.parse(vault.open(bytesOf(value), place).toString('utf8'))) : value
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
