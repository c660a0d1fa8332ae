/** A flagged phrase in a text. */
export interface PhraseHit {
  /** Counted from 1. */
  line: number
  phrase: string
}

/**
 * Finds phrases in a text, in any case. A phrase is also found where it continues on the next line of a paragraph or a
 * comment.
 */
export function findPhrases(text: string, phrases: readonly string[]): PhraseHit[] {
  return phrases
    .flatMap((phrase) =>
      Array.from(text.matchAll(pattern(phrase)), ({ index }) => ({ line: lineAt(text, index), phrase })),
    )
    .sort((left, right) => left.line - right.line)
}

/** The words of the phrase; between two of them white space, and the marker of a comment line after a line break. */
function pattern(phrase: string): RegExp {
  return new RegExp(
    `\\b${phrase.split(' ').join(String.raw`(?:[ \t]+|[ \t]*\n[ \t]*(?:(?:\/\/|\*|--|>)[ \t]+)?)`)}\\b`,
    'gi',
  )
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length
}
