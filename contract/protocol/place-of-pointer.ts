import { pointerSegments } from '../json-schema/json.ts'
import { placeIn, type TextPlace } from './json-text-problem.ts'

/** A string, a number or word, or one of the characters that separate them. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[^\s"{}[\],:]+|[{}[\],:]/g

/**
 * Where a JSON pointer leads in a text that is known to be JSON: the key of a member, or an item. If it leads to something
 * that is not there, such as a missing member, the last that is there.
 */
export function placeOfPointer(text: string, pointer: string): TextPlace {
  const segments = pointerSegments(pointer)
  /** What is open: the key or index that is being read in it, and whether the pointer leads there. */
  const open: { isObject: boolean; key: string | number; isOnWay: boolean }[] = []
  let found = { from: text.search(/\S|$/), to: text.length, depth: 0 }
  let isKey = false
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const top = open.at(-1)
    const see = (): void => {
      if (top === undefined) return
      const isNext = segments[open.length - 1] === String(top.key)
      top.isOnWay = isNext && open.slice(0, -1).every(({ isOnWay }) => isOnWay)
      // an object that is read with a key twice keeps the last
      if (top.isOnWay && open.length >= found.depth)
        found = { from: index, to: index + token.length, depth: open.length }
    }
    if (token === '}' || token === ']') {
      open.pop()
      isKey = false
    } else if (token === ',') {
      if (top?.isObject === true) isKey = true
      else if (typeof top?.key === 'number') top.key++
    } else if (token === ':') isKey = false
    else if (isKey && top !== undefined) {
      top.key = JSON.parse(token) as string
      see()
    } else {
      if (top?.isObject === false) see()
      if (token === '{' || token === '[') {
        open.push({ isObject: token === '{', key: token === '{' ? '' : 0, isOnWay: false })
        isKey = token === '{'
      }
    }
  }
  return placeIn(text, found.from, found.to)
}
