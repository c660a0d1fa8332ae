const TOKEN =
  // oxlint-disable-next-line no-control-regex -- JSON strings must not contain them
  /\s*(?:([{}[\],:])|("(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.]))/y

type Expected = 'value' | 'first item' | 'key' | 'first key' | 'colon' | 'more' | 'end'

/** Where a text that is not JSON stops being it; line and column count from 1. The engines name a place only sometimes. */
export function findSyntaxError(text: string): { line: number; column: number } {
  const before = text.slice(0, errorOffset(text)).split('\n')
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}

function errorOffset(text: string): number {
  const open: ('{' | '[')[] = []
  let expected: Expected = 'value'
  let offset = 0
  const next = (): Expected => (open.length === 0 ? 'end' : 'more')
  for (;;) {
    const start = offset + (/^\s*/.exec(text.slice(offset))?.[0].length ?? 0)
    TOKEN.lastIndex = offset
    const [whole = '', sign, string, scalar] = TOKEN.exec(text) ?? []
    if (whole === '') return start
    const isItem = expected === 'value' || expected === 'first item'
    const isKey = expected === 'key' || expected === 'first key'
    if (isItem && (string ?? scalar) !== undefined) expected = next()
    else if (isItem && (sign === '{' || sign === '[')) {
      open.push(sign)
      expected = sign === '{' ? 'first key' : 'first item'
    } else if (isKey && string !== undefined) expected = 'colon'
    else if (expected === 'colon' && sign === ':') expected = 'value'
    else if (expected === 'more' && sign === ',') expected = open.at(-1) === '{' ? 'key' : 'value'
    else if (closes(sign, open.at(-1), expected)) {
      open.pop()
      expected = next()
    } else return start
    offset += whole.length
  }
}

const closes = (sign: string | undefined, open: '{' | '[' | undefined, expected: Expected): boolean =>
  open === '{'
    ? sign === '}' && (expected === 'more' || expected === 'first key')
    : open === '[' && sign === ']' && (expected === 'more' || expected === 'first item')
