/** A part of a text. */
export interface TextPart {
  text: string
  /** Shown for characters that cannot be seen; null where they speak for themselves. */
  sign: string | null
}

/** White space, control and format characters, what no font shows, and the braille blank. */
const UNSEEN = String.raw`\p{White_Space}\p{C}\p{Default_Ignorable_Code_Point}\u2800`
/** One line break, or another such character as often as it is repeated. */
const RUN = new RegExp(String.raw`\r\n?|\n|([${UNSEEN}])\1*`, 'gu')
const ONE = new RegExp(`^[${UNSEEN}]$`, 'u')
const SIGNS: Partial<Record<string, string>> = {
  '\n': '↵',
  '\r': 'CR',
  '\t': '⇥',
  ' ': '·',
}

/**
 * The parts of a text between two positions. A space gets a sign only where it would not be noticed: at an end of the
 * text or of a line, or beside other white space. In JSON (`isJson`) line breaks and what indents a line are no part of
 * the value.
 */
export function partsOf(
  text: string,
  { from = 0, to = text.length, isJson = false }: { from?: number; to?: number; isJson?: boolean } = {},
): TextPart[] {
  const parts: TextPart[] = []
  let at = from
  RUN.lastIndex = from
  for (let run = RUN.exec(text); run !== null && run.index < to; run = RUN.exec(text)) {
    const { 0: whole, 1: one = whole, index } = run
    const isAlone = whole === ' ' && isSeen(text[index - 1]) && isSeen(text[index + 1])
    const isLayout = isJson && (one === '\n' || (one === ' ' && text[index - 1] === '\n'))
    if (isAlone || isLayout) continue
    if (index > at) parts.push({ text: text.slice(at, index), sign: null })
    at = Math.min(index + whole.length, to)
    const part = text.slice(index, at)
    parts.push({
      text: part,
      sign: [...part].map((character) => SIGNS[character] ?? codeOf(character)).join(''),
    })
  }
  if (to > at) parts.push({ text: text.slice(at, to), sign: null })
  return parts
}

/** Half of a pair of surrogates belongs to a character that can be seen. */
const isSeen = (unit: string | undefined): boolean =>
  unit !== undefined && (/[\ud800-\udfff]/.test(unit) || !ONE.test(unit))

/** `U+00A0` */
const codeOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`

/** The characters of a text that are not ASCII, each followed by its code, for texts that look the same otherwise. */
export const spelledOut = (text: string, isJson = false): TextPart[] =>
  partsOf(text, { isJson }).flatMap((part) =>
    part.sign === null
      ? [...part.text.matchAll(/[\0-\x7f]+|[^\0-\x7f]/gu)].flatMap(([piece]): TextPart[] => [
          { text: piece, sign: null },
          ...(/^[\0-\x7f]/.test(piece) ? [] : [{ text: '', sign: codeOf(piece) }]),
        ])
      : [part],
  )

// cspell:disable
/** Letters, quotes and dashes that look like the ones below them. */
const LOOKS = 'АВСЕНІЈКМОРЅТХУаеорсухіјѕһԛԝΑΒΕΖΗΙΚΜΝΟΡΤΥΧονρ‐‑‒–—−‘’“”'
const LETTERS = 'ABCEHIJKMOPSTXYaeopcyxijshqwABEZHIKMNOPTYXovp------\'\'""'
// cspell:enable
const LIKE = new Map([...LOOKS].map((letter, index) => [letter, LETTERS[index] ?? letter]))

/** Whether two different texts look the same in most fonts, even with signs for what cannot be seen. */
export const looksLike = (one: string, other: string): boolean =>
  one !== other && /[^\0-\x7f]/.test(one + other) && looksOf(one) === looksOf(other)

const looksOf = (text: string): string =>
  [...text.normalize('NFKC')].map((letter) => LIKE.get(letter) ?? letter).join('')
