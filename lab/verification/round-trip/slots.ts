import fc from 'fast-check'
import type { JsonObject, JsonValue } from '#contract/json-schema/json.ts'
import { findMasks } from '#contract/protocol/data.ts'
import type { Properties } from '../public/world.ts'
import { anyJson, anyNumber, anyObject, anyText, anyTextMap } from './values.ts'

/** How a property is shown and edited. */
export type Kind =
  | 'text'
  | 'long-text'
  | 'number'
  | 'list'
  | 'object'
  | 'map'
  | 'json'
  | 'secret'
  | 'secret-json'

/**
 * What a person does with a property on the page: nothing; something that must leave its value, such as an edit of another member; or
 * an edit of the value.
 */
export type Touch = 'none' | 'elsewhere' | 'here'
const TOUCHES: readonly Touch[] = ['none', 'elsewhere', 'here']

/** A property of the bundle of this suite. Each batch gives all of them new values. */
export interface Slot {
  module: string
  property: string
  kind: Kind
  touch: Touch
  /** An edit here replaces the value by a paste; otherwise it types at the end. */
  isPasted: boolean
  /** Whether the quick form does not touch it: every other pair of those that are touched alike. */
  isCarriedInQuickForm: boolean
}

/** The slots of each kind, by touch. Most are not touched: a touch costs as much as a hundred values that are only carried. */
const COUNTS: Readonly<Record<Kind, Record<Touch, number>>> = {
  text: { none: 60, elsewhere: 12, here: 14 },
  'long-text': { none: 24, elsewhere: 6, here: 6 },
  number: { none: 30, elsewhere: 8, here: 8 },
  list: { none: 42, elsewhere: 10, here: 8 },
  object: { none: 48, elsewhere: 10, here: 8 },
  map: { none: 36, elsewhere: 8, here: 4 },
  json: { none: 54, elsewhere: 8, here: 6 },
  secret: { none: 18, elsewhere: 4, here: 8 },
  'secret-json': { none: 6, elsewhere: 2, here: 2 },
}

/** A form with more than 60 properties shows only those near the window. */
const MODULES = ['core', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth']

export const SLOTS: readonly Slot[] = Object.entries(COUNTS)
  .flatMap(([kind, counts]) =>
    TOUCHES.flatMap((touch) =>
      Array.from({ length: counts[touch] }, (_, index) => ({
        property: `${kind}-${touch}-${index}`,
        // the keys of the table
        kind: kind as Kind,
        touch,
        isPasted: index % 2 === 1,
        isCarriedInQuickForm: index % 4 > 1,
      })),
    ),
  )
  .map((slot, index) => ({ ...slot, module: MODULES[index % MODULES.length] ?? '' }))

export const isSecret = ({ kind }: Slot): boolean => kind === 'secret' || kind === 'secret-json'

/** A text that each batch edits, so that there is something to save. */
export const NOTE = 'note'
export const NOTE_MODULE = 'core'

/** The member, entry or item that an edit elsewhere in a value changes. */
export const MARK = 'mark'
export const TAIL = 'tail'
/** What is typed. */
export const TYPED = 'x'

const SCHEMAS: Readonly<Record<Kind, JsonObject>> = {
  text: { type: 'string' },
  'long-text': { type: 'string', maxLength: 10_000 },
  number: { type: 'number' },
  list: { type: 'array', items: { type: 'string' } },
  object: {
    type: 'object',
    properties: { text: { type: 'string' }, [MARK]: { type: 'string' }, count: { type: 'number' } },
  },
  map: { type: 'object', additionalProperties: { type: 'string' } },
  json: {},
  secret: { type: 'string' },
  'secret-json': { type: 'object' },
}

/** The properties of each Module. The note is in the first. */
export const PROPERTIES: Readonly<Record<string, Properties>> = Object.fromEntries(
  MODULES.map((module): [string, Properties] => [
    module,
    Object.fromEntries([
      ...(module === NOTE_MODULE ? [[NOTE, { kind: 'DATA', schema: { type: 'string' } }]] : []),
      ...SLOTS.filter((slot) => slot.module === module).map((slot) => [
        slot.property,
        { kind: 'DATA', schema: SCHEMAS[slot.kind], ...(isSecret(slot) && { isSensitive: true }) },
      ]),
    ]),
  ]),
)

/** In every sensitive value and in no other: in a file, it is a leak. */
export const CANARY = 'canary-7f3a91'

const VALUES: Readonly<Record<Kind, fc.Arbitrary<JsonValue>>> = {
  text: anyText,
  'long-text': anyText,
  number: anyNumber,
  list: fc.array(anyText, { minLength: 1, maxLength: 4 }).map((texts) => [...texts, TAIL]),
  object: fc
    .record({ text: anyText, count: anyNumber, others: anyObject })
    .map(({ others, ...named }) => ({ ...others, ...named, [MARK]: TAIL })),
  map: anyTextMap.map((entries) => ({ ...entries, [MARK]: TAIL })),
  json: anyJson.map((value) => ({ value, [MARK]: TAIL })),
  secret: fc.tuple(anyText, anyText).map(([before, after]) => `${before}${CANARY}${after}`),
  // a text such as `*` is taken for a mask, and refused
  'secret-json': anyObject
    .filter((value) => findMasks(value).length === 0)
    .map((value) => ({ ...value, key: CANARY })),
}

/** A value, and another one for an edit that replaces it. */
export interface Trial {
  slot: Slot
  value: JsonValue
  other: JsonValue
}

/** The trials of a batch: the same seed gives the same values. */
export function trialsOf(seed: number, isQuick: boolean): Trial[] {
  return SLOTS.map((one, index) => {
    const slot: Slot = isQuick && one.isCarriedInQuickForm ? { ...one, touch: 'none' } : one
    const [value = null, other = null] = fc.sample(VALUES[slot.kind], {
      numRuns: 2,
      // small values, and large ones
      seed: seed * 10_007 + index,
    })
    return { slot, value, other }
  })
}

/** The value after the page was used. */
export function expectedOf({ slot: { kind, touch, isPasted }, value, other }: Trial): JsonValue {
  if (touch === 'none') return value
  switch (kind) {
    case 'text':
    case 'long-text':
      return touch === 'elsewhere' ? value : isPasted ? other : `${String(value)}${TYPED}`
    case 'number':
    case 'secret':
    case 'secret-json':
      return touch === 'elsewhere' ? value : other
    case 'list': {
      // as generated
      const items = value as string[]
      const at = touch === 'elsewhere' ? items.length - 1 : 0
      return items.with(at, `${items[at]}${TYPED}`)
    }
    case 'object':
      return touch === 'elsewhere'
        ? { ...(value as JsonObject), [MARK]: TAIL + TYPED }
        : { ...(value as JsonObject), text: `${String((value as JsonObject)['text'])}${TYPED}` }
    case 'map':
    case 'json':
      return touch === 'elsewhere' ? { ...(value as JsonObject), [MARK]: TAIL + TYPED } : other
  }
}
