import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { SealingKey } from './sealing-key.ts'

/** What a code is for; each has a key of its own, derived from the sealing key. */
export type CodePurpose = 'backup'

/** Codes of one text, by the fingerprint of the sealing key. */
export type Codes = Readonly<Record<string, string>>

type Key = Pick<SealingKey, 'key' | 'fingerprint'>

/** A code of the text for each sealing key. Nobody makes one without the key. */
export function codesOf(keys: readonly Key[], purpose: CodePurpose, text: string): Codes {
  return Object.fromEntries(keys.map((key) => [key.fingerprint, codeOf(key, purpose, text)]))
}

/**
 * Whether a text is as somebody with a sealing key wrote it: `unknown` if it has no code for any of these keys, `forged` if one does
 * not match.
 */
export function authenticityOf(
  codes: Codes,
  keys: readonly Key[],
  { purpose, text }: { purpose: CodePurpose; text: string },
): 'authentic' | 'forged' | 'unknown' {
  const known = keys.filter(({ fingerprint }) => Object.hasOwn(codes, fingerprint))
  if (known.length === 0) return 'unknown'
  const isRight = known.every((key) => {
    const given = Buffer.from(codes[key.fingerprint] ?? '')
    const expected = Buffer.from(codeOf(key, purpose, text))
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
  return isRight ? 'authentic' : 'forged'
}

function codeOf({ key }: Key, purpose: CodePurpose, text: string): string {
  return createHmac('sha256', Buffer.from(hkdfSync('sha256', key, '', purpose, 32)))
    .update(text)
    .digest('hex')
}
