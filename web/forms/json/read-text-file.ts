import { placeIn } from '#contract/protocol/json-text-problem.ts'
import type { Translate } from '../../i18n/use-text.ts'

export type TextFileReading = { text: string; refusal: null } | { text: null; refusal: string }

/**
 * The text of a file that a person chose. A file that is not UTF-8 is refused: read anyway, its letters would become
 * others. A file larger than `maxBytes` is not read. Rejects if the file has been moved or changed.
 */
export async function readTextFile(
  file: Blob,
  { maxBytes, t }: { maxBytes: number; t: Translate },
): Promise<TextFileReading> {
  if (file.size > maxBytes)
    return refuse(t('forms.file.tooLarge', { n: Math.floor(maxBytes / (1024 * 1024)) }))
  const bytes = new Uint8Array(await file.arrayBuffer())
  if (isWide(bytes)) return refuse(t('forms.file.utf16'))
  try {
    // drops a byte order mark
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), refusal: null }
  } catch {
    const { line, column } = placeOfError(bytes)
    return refuse(t('forms.file.notUtf8', { line, column }))
  }
}

const refuse = (refusal: string): TextFileReading => ({ text: null, refusal })

/** Whether the first characters are those of UTF-16 or UTF-32, with or without a byte order mark. */
function isWide(bytes: Uint8Array): boolean {
  const [first = 1, second = 1, third = 1, fourth = 1] = bytes
  const isMarked = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)
  return isMarked || [first, second, third, fourth].includes(0)
}

/** Where the first byte is that cannot be there. */
function placeOfError(bytes: Uint8Array): { line: number; column: number } {
  let valid = 0
  for (let step = bytes.length; step > 0; step = Math.floor(step / 2))
    while (valid + step <= bytes.length && isStart(bytes.subarray(0, valid + step))) valid += step
  const before = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, valid), {
    stream: true,
  })
  return placeIn(before, before.length)
}

/** Whether bytes are UTF-8, except that the last character may be incomplete. */
function isStart(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
    return true
  } catch {
    return false
  }
}
