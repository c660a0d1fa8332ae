import { isJsonObject, type JsonValue } from '#contract/json-schema/json.ts'
import { getOwn } from '#contract/json-schema/get-own.ts'
import type { StoredValue } from '../../model/stored-value.ts'
import { isSealed } from '../../sealing/stored-value.ts'

/** The order of the keys of a value, for the column `key_order`; null if the database keeps it. */
export function keyOrderOf(value: StoredValue): string | null {
  if (value['@type'] !== 'Data' || isSealed(value) || isAsStored(value.value)) return null
  return JSON.stringify(keysOf(value.value))
}

/** The value with its keys in the order of `keyOrderOf`. Keys that the order does not name follow the others. */
export function inWrittenOrder(value: StoredValue, order: JsonValue): StoredValue {
  if (order === null || value['@type'] !== 'Data' || isSealed(value)) return value
  return { ...value, value: ordered(value.value, order) }
}

function keysOf(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(keysOf)
  if (!isJsonObject(value)) return 0
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, keysOf(inner)]))
}

function ordered(value: JsonValue, order: JsonValue): JsonValue {
  if (Array.isArray(value)) {
    return Array.isArray(order) ? value.map((item, index) => ordered(item, order[index] ?? 0)) : value
  }
  if (!isJsonObject(value) || !isJsonObject(order)) return value
  const known = Object.keys(order).filter((key) => Object.hasOwn(value, key))
  const others = Object.keys(value).filter((key) => !Object.hasOwn(order, key))
  return Object.fromEntries(
    [...known, ...others].map((key) => [key, ordered(value[key] ?? null, getOwn(order, key) ?? 0)]),
  )
}

/** Whether the keys are in the order of jsonb: shorter ones first, then by their bytes. */
function isAsStored(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.every(isAsStored)
  if (!isJsonObject(value)) return true
  const keys = Object.keys(value).map((key) => Buffer.from(key))
  const isSorted = keys.every((key, index) => {
    const before = keys[index - 1]
    return before === undefined || (before.length - key.length || before.compare(key)) < 0
  })
  return isSorted && Object.values(value).every(isAsStored)
}
