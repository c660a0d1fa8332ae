/** Reported to the author of the pattern. */
export class PatternRefused extends Error {}

export const TOO_COMPLEX = 'Is too complex to be checked'

/** The syntax tree of a pattern that is known to compile. */
export const readPattern = (pattern: string): Node => new Reader(pattern).readChoice()

/** A pattern, reduced to what determines the ways in which a text can match it. */
export type Node =
  | { type: 'characters'; mask: bigint }
  | { type: 'sequence'; items: Node[] }
  | { type: 'choice'; options: Node[] }
  | { type: 'repeat'; body: Node; min: number; max: number }
  | { type: 'look'; body: Node }
  | { type: 'start' }
  | { type: 'nothing' }

/** Parses a pattern that is known to compile, and reads only what matters here. */
class Reader {
  readonly #text: string
  readonly #masks: CharacterMasks
  #at = 0

  constructor(text: string) {
    this.#text = text
    this.#masks = new CharacterMasks(text)
  }

  readChoice(): Node {
    const options: Node[] = []
    do options.push(this.#readSequence())
    while (this.#take('|'))
    return options.length === 1 && options[0] !== undefined ? options[0] : { type: 'choice', options }
  }

  #readSequence(): Node {
    const items: Node[] = []
    while (this.#at < this.#text.length && !'|)'.includes(this.#text.charAt(this.#at)))
      items.push(this.#readQuantifier(this.#readAtom()))
    return { type: 'sequence', items }
  }

  #readQuantifier(body: Node): Node {
    const found = this.#match(/(?:[*+?]|\{(\d+)(?:(,)(\d*))?\})\??/y)
    if (found === null) return body
    const [text, low, comma, high] = found
    if (low !== undefined) {
      const min = Number(low)
      const max = comma === undefined ? min : high === '' ? Infinity : Number(high)
      return { type: 'repeat', body, min, max }
    }
    return {
      type: 'repeat',
      body,
      min: text.startsWith('+') ? 1 : 0,
      max: text.startsWith('?') ? 1 : Infinity,
    }
  }

  #readAtom(): Node {
    if (this.#take('^')) return { type: 'start' }
    if (this.#take('$') || this.#match(/\\[bB]/y) !== null) return { type: 'nothing' }
    if (this.#take('(')) return this.#readGroup()
    if (this.#match(/\\(?:[1-9]|k<)/y) !== null) throw new PatternRefused('Must not use back references')
    const atom = this.#match(
      /\[(?:[^\]\\]|\\.)*\]|\\[pP]\{[^}]*\}|\\u\{[^}]*\}|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|\\c[A-Za-z]|\\.|[^]/uy,
    )
    if (atom === null) throw new PatternRefused(TOO_COMPLEX)
    return { type: 'characters', mask: this.#masks.of(atom[0]) }
  }

  #readGroup(): Node {
    const look = this.#match(/\?<?[=!]/y) !== null
    if (!look && this.#match(/\?:|\?<[^>]*>/y) === null && this.#take('?'))
      throw new PatternRefused('Must not change its flags inside')
    const body = this.readChoice()
    this.#take(')')
    return look ? { type: 'look', body } : body
  }

  #take(character: string): boolean {
    if (this.#text.charAt(this.#at) !== character) return false
    this.#at += 1
    return true
  }

  #match(sticky: RegExp): RegExpExecArray | null {
    sticky.lastIndex = this.#at
    const found = sticky.exec(this.#text)
    if (found !== null) this.#at += found[0].length
    return found
  }
}

/**
 * Character sets as bit masks, with one bit for each sample character that distinguishes two sets of this pattern: all
 * of ASCII, a few characters of other scripts, and both ends of every range in the pattern.
 */
class CharacterMasks {
  readonly #samples: string[]
  readonly #known = new Map<string, bigint>()

  constructor(pattern: string) {
    const points = new Set([0x85, 0xa0, 0xe9, 0x3b1, 0x436, 0x5d0, 0x4e2d, 0x2028, 0xfeff, 0xffff, 0x1f600])
    for (let point = 0; point < 128; point += 1) points.add(point)
    const written = [...pattern].map((character) => character.codePointAt(0) ?? 0)
    const escaped = [...pattern.matchAll(/\\(?:u\{([0-9a-fA-F]+)\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2}))/g)]
    for (const [, ...groups] of escaped) written.push(Number.parseInt(groups.find(Boolean) ?? '0', 16))
    for (const point of written)
      for (const near of [point - 1, point, point + 1]) if (near >= 0 && near <= 0x10ffff) points.add(near)
    this.#samples = [...points].map((point) => String.fromCodePoint(point))
  }

  of(atom: string): bigint {
    const known = this.#known.get(atom)
    if (known !== undefined) return known
    const expression = new RegExp(`^${atom}$`, 'u')
    // The first bit is set for sets that samples cannot distinguish, so that two of them always overlap.
    let mask = /\\p\{/i.test(atom) ? 1n : 0n
    for (const sample of this.#samples) mask = (mask << 1n) | (expression.test(sample) ? 1n : 0n)
    this.#known.set(atom, mask)
    return mask
  }
}

/** True if the pattern can match only at the start of the text. */
export function isAnchored(node: Node): boolean {
  switch (node.type) {
    case 'start':
      return true
    case 'choice':
      return node.options.every(isAnchored)
    case 'sequence': {
      const first = node.items.find((item) => item.type !== 'look' && item.type !== 'nothing')
      return first !== undefined && isAnchored(first)
    }
    default:
      return false
  }
}

/**
 * The part of a pattern that decides whether it matches anywhere: without what may match nothing at its end. `.*` needs
 * nothing and `[a-z]+` one character, so that a search for them never returns to an earlier character.
 */
export function neededPart(node: Node): Node {
  switch (node.type) {
    case 'sequence': {
      const items = [...node.items]
      for (let last = items.pop(); last !== undefined; last = items.pop()) {
        const needed = neededPart(last)
        if (!isEmpty(needed)) return { type: 'sequence', items: [...items, needed] }
      }
      return { type: 'sequence', items: [] }
    }
    case 'choice': {
      const options = node.options.map(neededPart)
      return options.some(isEmpty) ? { type: 'sequence', items: [] } : { type: 'choice', options }
    }
    case 'repeat':
      return node.min === 0 ? { type: 'sequence', items: [] } : { ...node, max: node.min }
    default:
      return node
  }
}

const isEmpty = (node: Node): boolean => node.type === 'sequence' && node.items.length === 0

/** True if the node holds a quantifier. */
export const repeats = (node: Node): boolean => {
  switch (node.type) {
    case 'sequence':
      return node.items.some(repeats)
    case 'choice':
      return node.options.some(repeats)
    case 'repeat':
      return true
    default:
      return false
  }
}

/** True if all matching texts have the same length. */
export const isFixed = (node: Node): boolean => {
  switch (node.type) {
    case 'sequence':
      return node.items.every(isFixed)
    case 'repeat':
      return node.min === node.max && isFixed(node.body)
    case 'characters':
      return true
    default:
      return false
  }
}
