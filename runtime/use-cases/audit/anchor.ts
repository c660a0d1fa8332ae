import { appendFile, readFile } from 'node:fs/promises'
import * as z from 'zod'

/** What the chain was at a time, kept where whoever may change the database may change nothing. */
export const Anchor = z.object({
  sequence: z.int().positive(),
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  /** When the entry was made; a line of a log has a time of its own. */
  at: z.string().optional(),
})
export type Anchor = z.infer<typeof Anchor>

/** Adds a line to a file of anchors, and makes the file where it is missing. */
export function appendAnchor(file: string, anchor: Anchor): Promise<void> {
  return appendFile(file, `${JSON.stringify(anchor)}\n`)
}

/**
 * Reads a file of anchors, a JSON object a line; what else stands in a line, as in one of a log, is left alone.
 *
 * @throws Error with one line, where the file cannot be read or a line is no anchor.
 */
export async function readAnchors(file: string): Promise<Anchor[]> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new Error(`The file of anchors ${file} cannot be read`, { cause: error })
  })
  const lines = text.split('\n')
  return lines.flatMap((line, index) =>
    line.trim() === '' ? [] : [parseAnchor(line, `${file}:${index + 1}`)],
  )
}

function parseAnchor(line: string, place: string): Anchor {
  try {
    return Anchor.parse(JSON.parse(line))
  } catch (error) {
    throw new Error(`${place} is no anchor; a line should be {"sequence":1,"hash":"…","at":"…"}`, {
      cause: error,
    })
  }
}
