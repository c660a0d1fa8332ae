/** Why a text is not JSON that we accept. */
export type JsonTextProblem =
  | {
      reason: 'valueExpected' | 'incomplete' | 'keyExpected' | 'colonExpected' | 'commaAtEnd' | 'textAfterEnd'
    }
  | { reason: 'stringOpen' | 'stringControl' | 'stringEscape' | 'notUtf8' }
  | { reason: 'moreExpected'; bracket: string }
  | { reason: 'keyRepeated' | 'keyReserved' | 'nul' | 'surrogate' | 'numberChanges' | 'numberTooLarge' }
  | { reason: 'tooDeep' | 'tooManyKeys' | 'stringTooLong'; n: number }

/** The problem in English; nothing of the text is in it. */
function jsonProblemMessage(problem: JsonTextProblem): string {
  switch (problem.reason) {
    case 'moreExpected':
      return `A comma or "${problem.bracket}" is expected`
    case 'tooDeep':
      return `The nesting is deeper than ${problem.n}`
    case 'tooManyKeys':
      return `There are more than ${problem.n} keys`
    case 'stringTooLong':
      return `A string is longer than ${problem.n} bytes`
    default:
      return MESSAGES[problem.reason]
  }
}

type Plain = Exclude<JsonTextProblem, { n: number } | { bracket: string }>['reason']

const MESSAGES: Readonly<Record<Plain, string>> = {
  valueExpected: 'A JSON value is expected',
  incomplete: 'The JSON text is incomplete',
  keyExpected: 'A key in double quotes is expected',
  colonExpected: 'A colon is expected after the key',
  commaAtEnd: 'There is a comma before a closing bracket',
  textAfterEnd: 'There is text after the end of the JSON value',
  stringOpen: 'A string is not terminated',
  stringControl: 'A string contains a raw control character',
  stringEscape: 'A string contains an invalid escape',
  notUtf8: 'The text is not valid UTF-8',
  keyRepeated: 'The key is duplicated in one object',
  keyReserved: 'The key "__proto__" is not allowed',
  nul: 'A string contains the character NUL',
  surrogate: 'A string contains half of a surrogate pair',
  numberChanges: 'A number cannot be represented exactly and would change; write fewer digits, or a string',
  numberTooLarge: 'A number is too large; write a string',
}

/** The place of a problem in a text: offsets, and line and column counted from 1. */
export interface TextPlace {
  from: number
  to: number
  line: number
  column: number
}

/** A place by its offsets. The column counts UTF-16 units, as editors do. */
export function placeIn(text: string, from: number, to = from): TextPlace {
  let line = 1
  let start = 0
  for (let end = text.indexOf('\n'); end !== -1 && end < from; end = text.indexOf('\n', start)) {
    line++
    start = end + 1
  }
  return { from, to, line, column: from - start + 1 }
}

/** The text is not JSON that we accept. `path` is a JSON pointer to the place; the message contains no value. */
export class StrictJsonError extends Error {
  override name = 'StrictJsonError'
  readonly problem: JsonTextProblem
  readonly path: string
  readonly place: TextPlace
  constructor(problem: JsonTextProblem, path: string, place: TextPlace) {
    const pointer = path === '' ? '' : `, at ${path.slice(0, 200)}`
    super(`${jsonProblemMessage(problem)} (line ${place.line}, column ${place.column}${pointer})`)
    this.problem = problem
    this.path = path
    this.place = place
  }

  /** The message without the path: a key that was put in a wrong place may be a secret. */
  get messageWithoutPath(): string {
    return `${jsonProblemMessage(this.problem)} (line ${this.place.line}, column ${this.place.column})`
  }
}
