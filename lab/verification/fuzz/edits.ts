import fc from 'fast-check'
import type { Arbitrary } from 'fast-check'
import { isJsonObject } from '#contract/json-schema/json.ts'
import type { JsonValue } from '#contract/json-schema/json.ts'
import { SeededRandom } from '../seeded-random.ts'
import { ODD_TEXTS, oddJson, oddText } from './odd-values.ts'

// Values and texts that were valid before a few edits: they get further into a parser than entirely random ones.

/** The index of a document, and a seed for each edit of it. */
const choices = (documents: number, edits: number): Arbitrary<[number, number[]]> =>
  fc.tuple(fc.nat(documents - 1), fc.array(fc.nat(2 ** 31 - 1), { maxLength: edits, size: 'max' }))

/** One of the documents after none to four edits. */
export function edited(documents: readonly JsonValue[]): Arbitrary<JsonValue> {
  const texts = documents.map((document) => JSON.stringify(document))
  return choices(texts.length, 4).map(([which, edits]) =>
    edits.reduce(editJson, JSON.parse(texts[which] ?? 'null') as JsonValue),
  )
}

interface Node {
  holder: JsonValue[] | { [key: string]: JsonValue }
  key: string | number
}

const NODES_MAX = 400

function nodesOf(document: JsonValue): Node[] {
  const nodes: Node[] = []
  const open: JsonValue[] = [document]
  for (let value = open.pop(); value !== undefined && nodes.length < NODES_MAX; value = open.pop()) {
    if (typeof value !== 'object' || value === null) continue
    for (const [key, child] of Object.entries(value)) {
      nodes.push({ holder: value, key: Array.isArray(value) ? Number(key) : key })
      open.push(child)
    }
  }
  return nodes
}

/** Makes one edit, in place where possible. Small seeds shrink well, so each edit is one number. */
export function editJson(document: JsonValue, seed: number): JsonValue {
  const random = new SeededRandom(seed)
  const edit = random.below(7)
  const nodes = nodesOf(document)
  const node = nodes[random.below(nodes.length + 1)]
  if (node === undefined) return edit === 6 ? [document] : oddJson(random)
  const { holder, key } = node
  const current = read(node)
  switch (edit) {
    case 0:
    case 1:
      write(node, oddJson(random))
      break
    case 2:
      if (Array.isArray(holder)) holder.splice(Number(key), 1)
      else delete holder[key]
      break
    case 3:
      if (Array.isArray(current)) current.push(oddJson(random))
      else if (isJsonObject(current)) write({ holder: current, key: oddText(random) }, oddJson(random))
      else if (Array.isArray(holder)) holder.push(oddJson(random))
      else write({ holder, key: oddText(random) }, oddJson(random))
      break
    case 4:
      if (!Array.isArray(holder)) delete holder[key]
      write({ holder, key: Array.isArray(holder) ? holder.length : oddText(random) }, current)
      break
    case 5:
      write(node, structuredClone(read(random.pick(nodes))))
      break
    default:
      write(node, { '@type': 'Data', value: current })
  }
  return document
}

const read = ({ holder, key }: Node): JsonValue =>
  (Array.isArray(holder) ? holder[Number(key)] : holder[key]) ?? null

/** Defines the property, so that `__proto__` becomes an ordinary key, as JSON.parse makes it one. */
function write({ holder, key }: Node, value: JsonValue): void {
  Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true })
}

const CHUNKS: readonly string[] = [
  ...ODD_TEXTS.filter((text) => text.length < 200),
  ...'{}[]",:\\/\n\t;=&?#%-._~+',
  '\\u0000',
  '\\ud800',
  '\\uD83D\\uDE00',
  '\\x41',
  '"__proto__":1,',
  '"a":1,"a":2',
  '9007199254740993',
  '1e999',
  '1E400',
  '-0',
  '01',
  '0x10',
  'NaN',
  '/*',
  'null',
  '\u007f',
  '\r\n',
  '{"a":'.repeat(40),
  '['.repeat(300),
]

/** Makes one edit of a text. */
export function editText(text: string, seed: number): string {
  const random = new SeededRandom(seed)
  const edit = random.below(7)
  const start = random.below(text.length + 1)
  const end = start + random.below(20)
  const chunk = random.below(5) === 0 ? oddText(random) : random.pick(CHUNKS)
  switch (edit) {
    case 0:
    case 1:
      return text.slice(0, start) + chunk + text.slice(start)
    case 2:
      return text.slice(0, start) + text.slice(end)
    case 3:
      return text.slice(0, start) + chunk + text.slice(end)
    case 4:
      return text.slice(0, end) + text.slice(start)
    case 5:
      return text.slice(0, start) + text.slice(start, end).toUpperCase() + text.slice(end)
    default:
      return random.below(3) === 0 ? text.slice(0, start) : text + chunk
  }
}

/** One of the texts after none to three edits, or now and then an arbitrary text. */
export function editedText(texts: readonly string[]): Arbitrary<string> {
  return choices(texts.length + 1, 3).map(([which, edits]) =>
    edits.reduce(editText, texts[which] ?? oddText(new SeededRandom(edits[0] ?? 0))),
  )
}

const ODD_BYTES: readonly number[][] = [
  [0xff],
  [0xc0, 0x80],
  [0xed, 0xa0, 0x80],
  [0xef, 0xbb, 0xbf],
  [0],
  [0xf4, 0x90, 0x80, 0x80],
]

/** The texts as bytes, edited as texts and sometimes as bytes too; or arbitrary bytes. */
export function editedBytes(texts: readonly string[]): Arbitrary<Uint8Array> {
  return fc.tuple(editedText(texts), fc.nat(2 ** 31 - 1)).map(([text, seed]): Uint8Array => {
    const random = new SeededRandom(seed)
    const kind = random.below(8)
    if (kind === 0) return Uint8Array.from({ length: random.below(64) }, () => random.below(256))
    const bytes = Buffer.from(text)
    // not a Buffer, which JSON.stringify prints as a list of numbers
    if (kind > 2) return new Uint8Array(bytes)
    const at = random.below(bytes.length + 1)
    return Uint8Array.from([...bytes.subarray(0, at), ...random.pick(ODD_BYTES), ...bytes.subarray(at)])
  })
}
