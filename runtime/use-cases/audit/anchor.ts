import { appendFile, readFile } from 'node:fs/promises'
import * as z from 'zod'

/** The end of the chain at one time, stored where nobody who can change the database can change it. */
export const Anchor = z.object({
  sequence: z.int().positive(),
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  /** When the entry was written; a log line has its own time. */
  at: z.string().optional(),
})
export type Anchor = z.infer<typeof Anchor>

/** Appends a line to a file of anchors; creates the file if it does not exist. */
export function appendAnchor(file: string, anchor: Anchor): Promise<void> {
  return appendFile(file, `${JSON.stringify(anchor)}\n`)
}

/**
 * Reads a file of anchors, one JSON object per line. Other fields of a line, such as those of a log line, are ignored.
 *
 * @throws Error with a one-line message if the file cannot be read or a line is not an anchor.
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
    throw new Error(`${place} is not an anchor; a line must be {"sequence":1,"hash":"…","at":"…"}`, {
      cause: error,
    })
  }
}
