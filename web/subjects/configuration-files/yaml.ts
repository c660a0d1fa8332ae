import { Composer, Document, isAlias, isMap, isScalar, isSeq, Lexer, Parser, visit } from 'yaml'
import type { CST, Node, Pair, Scalar, YAMLError } from 'yaml'
import { isExactNumber } from '#contract/json-schema/json.ts'
import type { JsonObject, JsonValue } from '#contract/json-schema/json.ts'
import { placeIn } from '#contract/protocol/json-text-problem.ts'
import { STRICT_JSON_LIMITS } from '#contract/protocol/limits.ts'
import { utf8Length } from '#contract/protocol/strict-json-scanner.ts'
import { DOCUMENT_LIMITS } from '../../forms/json/parse-json.ts'
import type { FileProblem, FileReading } from './file-error.ts'

// In a separate file, because the library is loaded only for a YAML file.

/** Keys, values and signs of a file: the library takes several microseconds for each. */
const TOKENS_MAX = 1_000_000

const LIMITS = { ...STRICT_JSON_LIMITS, ...DOCUMENT_LIMITS }

/** Characters that an editor may drop or not show, and those that YAML 1.1 takes for line breaks. */
// oxlint-disable-next-line no-control-regex -- control characters are among them
const ODD = /[\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g

/** In a block, the library drops the white space of such lines. */
const BLANK_LINE = /^[ \t]+$/m

/**
 * JSON data as YAML, without folded lines, so that a diff shows whole values. What YAML 1.1 reads as something else,
 * such as the text `yes`, is quoted; what cannot be seen is escaped.
 */
export function writeYaml(data: unknown): string {
  const document = new Document(data, { aliasDuplicateObjects: false, compat: 'yaml-1.1' })
  visit(document, {
    Scalar: (_, node) => {
      if (typeof node.value === 'string' && (node.value.search(ODD) !== -1 || BLANK_LINE.test(node.value)))
        node.type = 'QUOTE_DOUBLE'
    },
  })
  return document
    .toString({ lineWidth: 0, doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER })
    .replaceAll(ODD, (odd) => `\\u${odd.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/**
 * Reads a document of YAML 1.2 (core schema) by the rules of the JSON reader. What JSON has no equal for is refused:
 * aliases, other tags than those of JSON's types, keys that are not texts, `.inf` and `.nan`, several documents.
 */
export function readYaml(text: string): FileReading {
  try {
    return { value: new Reader().document(composed(text)), error: null }
  } catch (error) {
    if (!(error instanceof YamlRefusal)) throw error
    const { problem, from, to } = error
    return { value: undefined, error: { problem, place: placeIn(text, from, to) } }
  }
}

class YamlRefusal extends Error {
  readonly problem: FileProblem
  readonly from: number
  readonly to: number
  constructor(problem: FileProblem, from: number, to = from) {
    super(problem.reason)
    this.problem = problem
    this.from = from
    this.to = to
  }
}

/**
 * The only document of a text. The parser is stopped where the nesting is too deep: its time would grow with the square
 * of the depth. The library's search for repeated keys is slow in the same way; the reader searches itself.
 */
function composed(text: string): Document.Parsed {
  const parser = new Parser()
  const composer = new Composer({
    schema: 'core',
    version: '1.2',
    uniqueKeys: false,
    resolveKnownTags: false,
    logLevel: 'silent',
  })
  const documents: Document.Parsed[] = []
  let tokens = 0
  for (const lexeme of new Lexer().lex(text)) {
    if (++tokens > TOKENS_MAX)
      throw new YamlRefusal({ reason: 'tooManyTokens', n: TOKENS_MAX }, parser.offset)
    for (const token of parser.next(lexeme)) {
      refuseVersion(token)
      documents.push(...composer.next(token))
    }
    // a mapping in a sequence, and the reverse, takes two levels of the parser
    if (parser.stack.length > 2 * LIMITS.maxDepth)
      throw new YamlRefusal({ reason: 'tooDeep', n: LIMITS.maxDepth }, parser.offset)
    if (documents.length > 1) break
  }
  for (const token of parser.end()) documents.push(...composer.next(token))
  documents.push(...composer.end())
  const [document, second] = documents
  if (document === undefined) throw new YamlRefusal({ reason: 'empty' }, text.length)
  if (second !== undefined) throw new YamlRefusal({ reason: 'severalDocuments' }, second.range[0])
  return document
}

/** YAML 1.1 reads the same text differently: `yes` as true, `010` as 8. */
function refuseVersion(token: CST.Token): void {
  if (token.type === 'directive' && /^%YAML\s+(?!1\.2(?:\s|$))/.test(token.source))
    throw new YamlRefusal({ reason: 'version' }, token.offset, token.offset + token.source.length)
}

/** Tags that say no more than the syntax of JSON does. */
const TAGS: Readonly<Record<string, (value: JsonValue) => boolean>> = {
  'tag:yaml.org,2002:str': (value) => typeof value === 'string',
  'tag:yaml.org,2002:int': (value) => typeof value === 'number',
  'tag:yaml.org,2002:float': (value) => typeof value === 'number',
  'tag:yaml.org,2002:bool': (value) => typeof value === 'boolean',
  'tag:yaml.org,2002:null': (value) => value === null,
  'tag:yaml.org,2002:map': (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'tag:yaml.org,2002:seq': (value) => Array.isArray(value),
}

class Reader {
  private keys = 0

  document({ contents, errors, warnings }: Document.Parsed): JsonValue {
    const unknownTags = warnings.filter(({ code }) => code === 'TAG_RESOLVE_FAILED')
    const [error] = [...errors, ...unknownTags].toSorted((one, other) => one.pos[0] - other.pos[0])
    if (error !== undefined) throw new YamlRefusal(problemOf(error), ...error.pos)
    return this.value(contents, 0)
  }

  private value(node: Node | null, depth: number): JsonValue {
    if (isAlias(node)) this.refuse({ reason: 'alias' }, node)
    if (isScalar(node)) return this.tagged(node, this.scalar(node))
    if (!isMap(node) && !isSeq(node)) return null
    if (depth === LIMITS.maxDepth) this.refuse({ reason: 'tooDeep', n: LIMITS.maxDepth }, node)
    return this.tagged(
      node,
      isMap(node)
        ? this.object(node.items, depth + 1)
        : node.items.map((item) => this.value(item as Node | null, depth + 1)),
    )
  }

  private object(items: readonly Pair[], depth: number): JsonObject {
    const object: JsonObject = {}
    for (const { key: node, value } of items) {
      const key = node as Node | null
      if (isAlias(key)) this.refuse({ reason: 'alias' }, key)
      const name = isScalar(key) ? this.value(key, depth) : null
      if (typeof name !== 'string') this.refuse({ reason: 'keyNotText' }, key ?? (value as Node | null))
      if (name === '<<' && isScalar(key) && key.type === 'PLAIN') this.refuse({ reason: 'merge' }, key)
      if (name === '__proto__') this.refuse({ reason: 'keyReserved' }, key)
      if (Object.hasOwn(object, name)) this.refuse({ reason: 'keyRepeated' }, key)
      if (++this.keys > LIMITS.maxKeys) this.refuse({ reason: 'tooManyKeys', n: LIMITS.maxKeys }, key)
      object[name] = this.value(value as Node | null, depth)
    }
    return object
  }

  private scalar(node: Scalar): JsonValue {
    const { value } = node
    if (typeof value === 'number') return this.number(node, value)
    if (typeof value !== 'string') return value === true || value === false ? value : null
    if (value.includes('\0')) this.refuse({ reason: 'nul' }, node)
    if (!value.isWellFormed()) this.refuse({ reason: 'surrogate' }, node)
    const { maxStringBytes } = LIMITS
    if (value.length * 3 > maxStringBytes && utf8Length(value) > maxStringBytes)
      this.refuse({ reason: 'stringTooLong', n: maxStringBytes }, node)
    return value
  }

  private number(node: Scalar, value: number): number {
    const { source = '' } = node
    if (!/\d/.test(source)) this.refuse({ reason: 'notANumber' }, node)
    // YAML has hexadecimal and octal numbers and writes `+1`, `.5` and `5.`
    const decimal = /^0[xo]/.test(source)
      ? String(BigInt(source))
      : source
          .replace(/^\+/, '')
          .replace(/^-?(?=\.)/, '$&0')
          .replace(/\.(?!\d)/, '.0')
    if (/^-?0\d/.test(decimal)) this.refuse({ reason: 'leadingZero' }, node)
    if (!Number.isFinite(value)) this.refuse({ reason: 'numberTooLarge' }, node)
    if (!isExactNumber(decimal)) this.refuse({ reason: 'numberChanges' }, node)
    return value
  }

  private tagged(node: Node, value: JsonValue): JsonValue {
    if (node.tag !== undefined && TAGS[node.tag]?.(value) !== true) this.refuse({ reason: 'tag' }, node)
    return value
  }

  private refuse(problem: FileProblem, node: Node | null): never {
    const [from, to] = node?.range ?? [0, 0]
    throw new YamlRefusal(problem, from, to)
  }
}

function problemOf({ code }: YAMLError): FileProblem {
  switch (code) {
    case 'TAG_RESOLVE_FAILED':
      return { reason: 'tag' }
    case 'TAB_AS_INDENT':
      return { reason: 'tabIndent' }
    case 'BAD_INDENT':
      return { reason: 'indent' }
    default:
      return { reason: 'notYaml' }
  }
}
