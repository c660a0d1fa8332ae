import { isUtf8 } from 'node:buffer'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { StrictJsonError } from '#contract/protocol/json-text-problem.ts'
import { STRICT_JSON_LIMITS } from '#contract/protocol/limits.ts'
import { StrictJsonScanner } from '#contract/protocol/strict-json-scanner.ts'
import { readStrictJson } from '#http-kit/text/strict-json.ts'
import type { Violation } from '../suite.ts'
import { judge, type Case, type Explanation, type PartReport } from './comparison.ts'

/** A file of JSONTestSuite: `y` must be accepted, `n` refused, `i` is for each parser to decide. */
export interface JsonFile {
  name: string
  verdict: string
  bytes: Buffer
}

const FOLDER = 'test_parsing'

const EXPLANATIONS: readonly Explanation[] = [
  {
    difference: 'is refused',
    why: 'a repeated key means another thing to each reader, and NUL cannot be stored',
    cases: {
      [FOLDER]:
        'y_object_duplicated_key.json y_object_duplicated_key_and_value.json y_object_escaped_null_in_key.json y_string_null_escape.json',
    },
  },
  {
    difference: 'is accepted',
    why: 'left to the parser: a large integer that is exactly what is written',
    cases: { [FOLDER]: 'i_number_too_big_pos_int.json' },
  },
]

export const jsonFilesIn = (data: string): JsonFile[] =>
  readdirSync(join(data, 'json-test-suite', FOLDER))
    .filter((name) => name.endsWith('.json'))
    .toSorted()
    .map((name) => ({
      name,
      verdict: name.slice(0, 1),
      bytes: readFileSync(join(data, 'json-test-suite', FOLDER, name)),
    }))

/**
 * JSONTestSuite against the reader of every body, file and editor. What the suite leaves open is refused, unless the table names it.
 * The scanner alone, which the reader asks only where it doubts, agrees.
 */
export function compareJsonText(data: string): PartReport {
  const violations: Violation[] = []
  const cases = jsonFilesIn(data).map(({ name, verdict, bytes }): Case => {
    const isAccepted = isReadable(bytes)
    if (isAccepted !== isReadableByScanner(bytes))
      violations.push({ promise: 'JSON text', seen: `${name}: reader and scanner disagree` })
    const difference = isAccepted === (verdict === 'y') ? null : isAccepted ? 'is accepted' : 'is refused'
    return { file: FOLDER, id: name, name: verdict, difference }
  })
  const report = judge('JSON text', cases, EXPLANATIONS)
  return { ...report, violations: [...report.violations, ...violations] }
}

/** Whether our reader accepts a text. */
export const isReadable = (bytes: Uint8Array): boolean => isDone(() => readStrictJson(bytes))

const isReadableByScanner = (bytes: Buffer): boolean =>
  isUtf8(bytes) && isDone(() => new StrictJsonScanner(bytes.toString(), STRICT_JSON_LIMITS).document())

/** False if it throws the one kind of error that a reader may throw. */
function isDone(read: () => unknown): boolean {
  try {
    read()
    return true
  } catch (error) {
    if (error instanceof StrictJsonError) return false
    throw error
  }
}
