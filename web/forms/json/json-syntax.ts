import { pointerSegments, pointerTo } from '#contract/json-schema/json.ts'

const TOKEN =
  // oxlint-disable-next-line no-control-regex -- JSON strings must not contain them
  /\s*(?:([{}[\],:])|("(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.]))/y

/** The line of an offset in a text; lines count from 1. */
export function lineAt(text: string, offset: number): number {
  let line = 1
  for (let end = text.indexOf('\n'); end !== -1 && end < offset; end = text.indexOf('\n', end + 1)) line += 1
  return line
}

/** The offsets of a value in a text. */
export interface JsonPlace {
  from: number
  to: number
  /** False if the pointer leads to nothing; the place is then that of the innermost value around it. */
  isExact: boolean
}

/**
 * The places of the values that JSON pointers lead to, in one pass. In a text that is not valid JSON, only what precedes
 * the error is found; a pointer without any place has no entry.
 */
export function findJsonPlaces(text: string, pointers: readonly string[]): ReadonlyMap<string, JsonPlace> {
  const around = new Map(pointers.map((pointer) => [pointer, pointersAround(pointer)]))
  const places = placesOf(text, new Set([...around.values()].flat()))
  const found = new Map<string, JsonPlace>()
  for (const [pointer, candidates] of around) {
    const nearest = candidates.find((candidate) => places.has(candidate))
    const place = nearest === undefined ? undefined : places.get(nearest)
    if (place !== undefined) found.set(pointer, { ...place, isExact: nearest === pointer })
  }
  return found
}

/** A pointer and the pointers to the values around its value, from the inside out. */
function pointersAround(pointer: string): string[] {
  const segments = pointerSegments(pointer)
  return [...segments, ''].map((_, index) => pointerTo(...segments.slice(0, segments.length - index)))
}

interface OpenValue {
  /** Null if nothing inside the value is wanted. */
  pointer: string | null
  from: number
  /** The key or position of the value that is read; null where a key is expected. */
  child: string | number | null
}

/** @param wanted With each pointer, also those to the values around its value. */
function placesOf(text: string, wanted: ReadonlySet<string>): Map<string, { from: number; to: number }> {
  const places = new Map<string, { from: number; to: number }>()
  if (wanted.size === 0) return places
  const open: OpenValue[] = []
  const end = (pointer: string | null, from: number, to: number) => {
    if (pointer !== null) places.set(pointer, { from, to })
  }
  const pointerHere = () => {
    const outer = open.at(-1)
    if (outer?.pointer === null) return null
    const pointer = outer === undefined ? '' : outer.pointer + pointerTo(outer.child ?? '')
    return wanted.has(pointer) ? pointer : null
  }
  let offset = 0
  for (;;) {
    TOKEN.lastIndex = offset
    const [whole, sign, string, scalar] = TOKEN.exec(text) ?? []
    if (whole === undefined) break
    offset += whole.length
    const outer = open.at(-1)
    if (sign === '{' || sign === '[')
      open.push({ pointer: pointerHere(), from: offset - 1, child: sign === '{' ? null : 0 })
    else if (sign === '}' || sign === ']') {
      const closed = open.pop()
      if (closed !== undefined) end(closed.pointer, closed.from, offset)
    } else if (sign === ',' && outer !== undefined)
      outer.child = typeof outer.child === 'number' ? outer.child + 1 : null
    else if (string !== undefined && outer?.child === null)
      outer.child = outer.pointer === null ? '' : (JSON.parse(string) as string)
    else {
      const value = string ?? scalar
      if (value !== undefined) end(pointerHere(), offset - value.length, offset)
    }
  }
  for (const { pointer, from } of open) end(pointer, from, offset)
  return places
}
