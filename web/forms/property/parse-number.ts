import { isExactNumber } from '#contract/json-schema/json.ts'

/** What a text means as a number. */
export type NumberReading =
  | {
      kind: 'number'
      value: number
      /** Where the text has another reading too: how this one takes its sign. */
      taken?: { sign: ',' | '.'; as: 'decimal' | 'thousands' }
    }
  /** A number with more digits than can be kept; `nearest` is the one that would be kept instead. */
  | { kind: 'inexact'; nearest: number }
  | { kind: 'tooLarge' }
  | { kind: 'none' }

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/
/** Digits in groups of three: `1,000`, `12 500`, `1’000.5`. After a leading zero, a comma is the decimal sign. */
const GROUPED = /^[+-]?[1-9]\d{0,2}(?:([,\s'’])\d{3})(?:\1\d{3})*(?:\.\d*)?$/
/** `1.000,5`, `1 000,5` */
const GROUPED_BEFORE_COMMA = /^[+-]?[1-9]\d{0,2}(?:([.\s'’])\d{3})(?:\1\d{3})*,\d*$/
/** `1.000.000`: of two points, neither is the decimal sign. */
const GROUPED_BY_POINTS = /^[+-]?[1-9]\d{0,2}(?:\.\d{3}){2,}$/
/** `1,500` and `1.500` mean one and a half in some countries, and fifteen hundred in others. */
const AMBIGUOUS = /^[+-]?[1-9]\d{0,2}([,.])\d{3}$/

/** Reads a number as people write it: with either decimal sign, with groups, in full-width digits, with any minus. */
export function readNumber(text: string): NumberReading {
  const written = normalized(text)
  const plain = plainOf(written)
  if (!NUMBER.test(plain)) return { kind: 'none' }
  const value = Number(plain)
  if (!Number.isFinite(value)) return { kind: 'tooLarge' }
  if (!isExactNumber(inJson(plain))) return { kind: 'inexact', nearest: value }
  const taken = takenSign(written)
  return { kind: 'number', value, ...(taken !== undefined && { taken }) }
}

/** The number that a text means; null for any other text, and for a number that would not be kept as written. */
export function parseNumber(text: string): number | null {
  const reading = readNumber(text)
  return reading.kind === 'number' ? reading.value : null
}

/** `２`, `−` and `。` as `2`, `-` and `.`; but no superscript becomes a digit. */
const normalized = (text: string): string =>
  /\p{No}/u.test(text) ? text : text.normalize('NFKC').trim().replaceAll('\u2212', '-').replaceAll('。', '.')

function plainOf(text: string): string {
  if (GROUPED_BEFORE_COMMA.test(text)) return text.replaceAll(/[.\s'’]/g, '').replace(',', '.')
  if (GROUPED_BY_POINTS.test(text)) return text.replaceAll('.', '')
  return GROUPED.test(text) ? text.replaceAll(/[,\s'’]/g, '') : text.replace(',', '.')
}

function takenSign(text: string): Extract<NumberReading, { kind: 'number' }>['taken'] {
  const sign = AMBIGUOUS.exec(text)?.[1]
  if (sign === ',') return { sign, as: 'thousands' }
  if (sign === '.') return { sign, as: 'decimal' }
  if (GROUPED_BY_POINTS.test(text)) return { sign: '.', as: 'thousands' }
  return text.includes('.') && GROUPED_BEFORE_COMMA.test(text) ? { sign: ',', as: 'decimal' } : undefined
}

/** `+.5` and `5.` as `0.5` and `5`. */
const inJson = (plain: string): string =>
  plain
    .replace('+', '')
    .replace(/^(-?)\./, '$10.')
    .replace(/\.(?=$|[eE])/, '')
