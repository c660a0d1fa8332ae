import { parseTrustedJson } from '#contract/protocol/strict-json.ts'
import { createHash } from 'node:crypto'
import { constants } from 'node:buffer'
import { createReadStream } from 'node:fs'
import { createGunzip } from 'node:zlib'
import type * as z from 'zod'
import { Header, Row, TableEnd, TableHead, Trailer } from './format.ts'

/** A part of a backup, in the order of the file. */
export type BackupPart =
  | { kind: 'header'; header: Header }
  | { kind: 'table'; head: TableHead }
  | { kind: 'rows'; rows: (string | null)[][] }
  | { kind: 'trailer'; trailer: Trailer }

const BATCH = 500
const BATCH_BYTES = 4 * 2 ** 20

/**
 * Reads a backup part by part. Throws an error with a message of one line if the file is incomplete, damaged or not a
 * backup; the trailer is the last part, and is returned only if everything before it is as it was written.
 */
export async function* readBackup(file: string): AsyncGenerator<BackupPart> {
  const hash = createHash('sha256')
  let total = 0
  let isFirst = true
  let table: { name: string; rows: number } | null = null
  let rows: (string | null)[][] = []
  let bytes = 0
  for await (const line of linesOf(file)) {
    const value = parseLine(line)
    if (isFirst) {
      isFirst = false
      hash.update(line)
      yield { kind: 'header', header: shapeOf(Header, value) }
      continue
    }
    if (Array.isArray(value)) {
      if (table === null) throw damaged()
      hash.update(line)
      rows.push(shapeOf(Row, value))
      bytes += line.length
      if (rows.length < BATCH && bytes < BATCH_BYTES) continue
    }
    if (rows.length > 0 && table !== null) {
      table.rows += rows.length
      yield { kind: 'rows', rows }
      rows = []
      bytes = 0
    }
    if (Array.isArray(value)) continue
    const trailer = Trailer.safeParse(value)
    if (trailer.success) {
      if (table !== null || trailer.data.rows !== total || trailer.data.sha256 !== hash.digest('hex'))
        throw damaged()
      return yield { kind: 'trailer', trailer: trailer.data }
    }
    hash.update(line)
    if (table === null) {
      const head = shapeOf(TableHead, value)
      table = { name: head.table, rows: 0 }
      yield { kind: 'table', head }
      continue
    }
    const end = shapeOf(TableEnd, value)
    if (end.end !== table.name || end.rows !== table.rows) throw damaged()
    total += end.rows
    table = null
  }
  throw new Error('The backup is incomplete: its end is missing. Use another one.')
}

/** Lines with their line break. Only `\n` separates them: JSON may contain other separators. */
async function* linesOf(file: string): AsyncGenerator<string> {
  const source = createReadStream(file)
  const unzipped = source.pipe(createGunzip())
  source.on('error', (error) => unzipped.destroy(error))
  // of the line that has not ended
  let parts: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of unzipped as AsyncIterable<Buffer>) {
      let from = 0
      for (let to = chunk.indexOf(10); to !== -1; to = chunk.indexOf(10, from)) {
        const last = chunk.subarray(from, to + 1)
        yield (parts.length === 0 ? last : Buffer.concat([...parts, last])).toString('utf8')
        parts = []
        bytes = 0
        from = to + 1
      }
      if (from < chunk.length) parts.push(chunk.subarray(from))
      bytes += chunk.length - from
      if (bytes > constants.MAX_STRING_LENGTH) throw damaged()
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (code === 'ENOENT') throw new Error(`There is no file ${file}`, { cause: error })
    if (code === 'Z_BUF_ERROR')
      throw new Error('The backup is incomplete: its end is missing. Use another one.', { cause: error })
    if (code.startsWith('Z_')) throw damaged()
    throw error
  }
}

function parseLine(line: string): unknown {
  try {
    return parseTrustedJson(line)
  } catch {
    throw damaged()
  }
}

function shapeOf<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value)
  if (!parsed.success) throw damaged()
  return parsed.data
}

const damaged = (): Error =>
  new Error('The file is not a backup of this program, or it is damaged. Use another one.')
