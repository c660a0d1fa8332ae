import * as z from 'zod'
import { pointerTo, pointerSegments } from '../json-schema/json.ts'
import { StrictJsonError, placeIn, type TextPlace } from './json-text-problem.ts'
import { AuthorManifest, checkManifest } from './manifest.ts'
import { parseStrictJson } from './strict-json.ts'

/** What is wrong in a manifest: line and column are counted from 1, the path is a JSON pointer. */
export interface ManifestProblem {
  line: number
  column: number
  path: string
  message: string
}

export type ManifestReading =
  | { manifest: AuthorManifest; problems: null }
  | { manifest: null; problems: ManifestProblem[] }

/** A problem as compilers print it: `file:line:column: path: message`. */
export const describeManifestProblem = (
  file: string,
  { line, column, path, message }: ManifestProblem,
): string => `${file}:${line}:${column}: ${path === '' ? '' : `${path}: `}${message}`

/** Reads the text of a manifest by the rules by which it is published, and returns all problems in the order of the text. */
export function readManifest(text: string): ManifestReading {
  let json: unknown
  try {
    json = parseStrictJson(text)
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error
    const { line, column } = error.place
    return refused([{ line, column, path: error.path, message: error.message.replace(/ \(line .*$/s, '') }])
  }
  const at = (path: string, message: string): ManifestProblem => {
    const { line, column } = placeOfPointer(text, path)
    return { line, column, path, message }
  }
  const reading = AuthorManifest.safeParse(json, { error: membersOf })
  if (!reading.success)
    return refused(
      reading.error.issues.flatMap((issue) => {
        const path = issue.path.map(String)
        return issue.code === 'unrecognized_keys'
          ? issue.keys.map((key) => at(pointerTo(...path, key), issue.message))
          : [at(pointerTo(...path), issue.message)]
      }),
    )
  const problems = checkManifest(reading.data).map(({ path = '', message }) => at(path, message))
  return problems.length > 0 ? refused(problems) : { manifest: reading.data, problems: null }
}

/** What an object may have that has an unknown member; undefined for other issues, which have their message. */
const membersOf: z.core.$ZodErrorMap = ({ code, inst }) =>
  code === 'unrecognized_keys' && inst instanceof z.ZodObject
    ? `Is not a member of this object; its members are ${Object.keys(inst.shape).join(', ')}`
    : undefined

const refused = (problems: ManifestProblem[]): ManifestReading => ({
  manifest: null,
  problems: problems.sort((one, other) => one.line - other.line || one.column - other.column),
})

/** A string, a number or word, or one of the characters that separate them. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[^\s"{}[\],:]+|[{}[\],:]/g

/**
 * Where a JSON pointer leads in a text that is known to be JSON: the key of a member, or an item. If it leads to something
 * that is not there, such as a missing member, the last that is there.
 */
function placeOfPointer(text: string, pointer: string): TextPlace {
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
