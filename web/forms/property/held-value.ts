import { getOwn, pointerTo } from '#contract/json-schema/json.ts'
import type { JsonObject, JsonValue } from '#contract/json-schema/json.ts'
import { dataValue, NO_PARTS, type Edit, type Part, type Parts, type Shown } from './property-edit.ts'

/** A member, an item or an entry of a value: its own value, and what is unfinished there or further inside. */
export interface Held {
  value: JsonValue | undefined
  parts: Parts
}

/** The servers accept no value with this key. */
export const REFUSED_KEY = '__proto__'

/** An entry of a map. While its key is one that it cannot have, `key` is what was typed. */
export interface Entry extends Held {
  name: string
  key?: string
}

export const held = (value: JsonValue | undefined): Held => ({ value, parts: NO_PARTS })

/** The parts inside one member, item or entry, by pointers into that. */
export function partsInside(parts: Parts, segment: string | number): Parts {
  const start = pointerTo(segment)
  const inside = Object.entries(parts).filter(
    ([pointer]) => pointer === start || pointer.startsWith(`${start}/`),
  )
  return inside.length === 0
    ? NO_PARTS
    : Object.fromEntries(inside.map(([pointer, part]) => [pointer.slice(start.length), part]))
}

const partsAt = (segment: string | number, parts: Parts): [string, Part][] =>
  Object.entries(parts).map(([pointer, part]) => [pointerTo(segment) + pointer, part])

/** What a control shows of it. */
export function shownHeld({ value, parts }: Held): Shown {
  const { '': own, ...inside } = parts
  const { text, isPartialNumber = false } = own ?? {}
  if (text !== undefined) return { value: null, unfinished: text, isPartialNumber, parts: NO_PARTS }
  const data = value === undefined ? null : { '@type': 'Data' as const, value }
  return { value: data, unfinished: null, isPartialNumber: false, parts: inside }
}

/** What an edit makes of it. While its input is unfinished, it keeps its value. */
export function heldAfterEdit(before: Held, edit: Edit): Held {
  switch (edit.kind) {
    case 'removed':
      return held(undefined)
    case 'set':
      return held(dataValue(edit.value))
    case 'unfinished': {
      const { text, isPartialNumber, inside } = edit
      if (inside !== undefined) return inside
      return { value: before.value, parts: { '': { text, ...(isPartialNumber && { isPartialNumber }) } } }
    }
  }
}

export const memberOf = (object: JsonObject, parts: Parts, name: string): Held => ({
  value: getOwn(object, name),
  parts: partsInside(parts, name),
})

/** An object with another member; it loses a member that has no value. */
export function withMember(object: JsonObject, parts: Parts, name: string, next: Held) {
  const { [name]: _, ...others } = object
  const kept = Object.entries(parts).filter(([pointer]) => !isInside(pointer, name))
  return {
    value: next.value === undefined ? others : { ...object, [name]: next.value },
    parts: Object.fromEntries([...kept, ...partsAt(name, next.parts)]),
  }
}

const isInside = (pointer: string, segment: string | number): boolean =>
  pointer === pointerTo(segment) || pointer.startsWith(`${pointerTo(segment)}/`)

export const itemsIn = (list: readonly JsonValue[], parts: Parts): Held[] =>
  list.map((value, index) => ({ value, parts: partsInside(parts, index) }))

export const listOf = (items: readonly Held[]) => ({
  // an item without a value keeps its place; null is a value
  value: items.map(({ value }) => value ?? (value === null ? null : '')),
  parts: Object.fromEntries(items.flatMap((item, index) => partsAt(index, item.parts))),
})

export function entriesIn(object: JsonObject, parts: Parts): Entry[] {
  return Object.entries(object).map(([name, value]) => {
    const { '': own, ...inside } = partsInside(parts, name)
    const { key, ...rest } = own ?? {}
    const isEmpty = Object.keys(rest).length === 0
    return {
      name,
      value,
      parts: isEmpty ? inside : { '': rest, ...inside },
      ...(key !== undefined && { key }),
    }
  })
}

/** The object of entries with different names. */
export const mapOf = (entries: readonly Entry[]) => ({
  value: Object.fromEntries(entries.map(({ name, value }) => [name, value ?? null])),
  parts: Object.fromEntries(
    entries.flatMap(({ name, key, parts }) =>
      partsAt(name, key === undefined ? parts : { ...parts, '': { ...parts[''], key } }),
    ),
  ),
})

/**
 * The entries, each with the key that was typed for it as its name, unless that is empty, reserved, or the key of another
 * entry: it then keeps its name, and what was typed beside it.
 */
export function settle(entries: readonly Entry[], reserved: readonly string[]): Entry[] {
  const settled = [...entries]
  let isMoving = true
  // a key becomes free as soon as its entry has another one
  while (isMoving) {
    isMoving = false
    for (const [index, { key, ...entry }] of settled.entries()) {
      if (key === undefined || key === '' || isTaken(settled, key, { reserved, index })) continue
      settled[index] = { ...entry, name: key }
      isMoving = true
    }
  }
  return settled
}

const isTaken = (
  entries: readonly Entry[],
  key: string,
  { reserved, index }: { reserved: readonly string[]; index?: number },
): boolean =>
  key === REFUSED_KEY ||
  reserved.includes(key) ||
  entries.some((other, at) => at !== index && (other.name === key || other.key === key))

/** An entry without a key yet, under a name that is free. */
export function newEntry(entries: readonly Entry[], reserved: readonly string[], value: JsonValue): Entry {
  // nobody types it by accident, and it is never saved
  let name = '…'
  while (isTaken(entries, name, { reserved })) name += '…'
  return { ...held(value), name, key: '' }
}
