import { pointerTo } from '../json-schema/json.ts'
import { StrictJsonError } from './json-text-problem.ts'
import { AuthorManifest, checkManifest } from './manifest.ts'
import { placeOfPointer } from './place-of-pointer.ts'
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
  const reading = AuthorManifest.safeParse(json)
  if (!reading.success)
    return refused(
      reading.error.issues.flatMap((issue) => {
        const path = issue.path.map(String)
        return issue.code === 'unrecognized_keys'
          ? issue.keys.map((key) => at(pointerTo(...path, key), 'Is not a member of this object'))
          : [at(pointerTo(...path), issue.message)]
      }),
    )
  const problems = checkManifest(reading.data).map(({ path = '', message }) => at(path, message))
  return problems.length > 0 ? refused(problems) : { manifest: reading.data, problems: null }
}

const refused = (problems: ManifestProblem[]): ManifestReading => ({
  manifest: null,
  problems: problems.sort((one, other) => one.line - other.line || one.column - other.column),
})
