import * as z from 'zod'
import { MISLEADING } from '#contract/protocol/foreign-text.ts'

/**
 * A backup is a compressed file with one JSON value a line: the header, for each table its head, its rows and its end,
 * and the trailer, whose checksum covers all lines before it, and whose codes nobody can make without a sealing key.
 * Values are text as PostgreSQL writes and reads them.
 */
export const FORMAT = 'bundle-console backup 1'

/** Is printed, also of a file that nobody has authenticated: it must not control the terminal. */
const Printed = z.string().regex(new RegExp(String.raw`^[^${MISLEADING}]*$`, 'u'))

const Migrations = z.array(z.object({ name: Printed, sha256: z.string() }))

export const Header = z.object({
  format: z.literal(FORMAT),
  at: Printed,
  version: Printed,
  /** The commit of the program; absent from backups of earlier versions, null if it was not known. */
  build: Printed.nullable().optional(),
  /** The applied migrations of each schema, in order. */
  migrations: z.object({ runtime: Migrations, bff: Migrations }),
  /** The fingerprints of the sealing keys that open the values. */
  sealingKeys: z.array(z.string().regex(/^[0-9a-f]{16}$/)),
})
export type Header = z.infer<typeof Header>

export const TableHead = z.object({
  table: Printed,
  columns: z.array(z.object({ name: z.string(), type: z.string() })),
})
export type TableHead = z.infer<typeof TableHead>

/** The columns of a row, in the order of the head. */
export const Row = z.array(z.string().nullable())

export const TableEnd = z.object({ end: z.string(), rows: z.number() })

export const Trailer = z.object({
  /** The last value of each sequence that was used. */
  sequences: z.array(z.object({ name: z.string(), value: z.string() })),
  rows: z.number(),
  sha256: z.string(),
  /** By the fingerprint of each sealing key that the environment of the backup had: the code of all of the above. */
  authentication: z.record(z.string(), z.string()).default({}),
})
export type Trailer = z.infer<typeof Trailer>

/** The text whose authentication codes a backup has. The checksum covers everything before the trailer. */
export const authenticatedText = ({ sequences, rows, sha256 }: Omit<Trailer, 'authentication'>): string =>
  JSON.stringify([FORMAT, sha256, rows, sequences])

/**
 * The file of keys: names of files in `DATA_DIR` and their texts. During a change of the sealing key there is also
 * `sealing-2.key`.
 */
export const KeyFile = z.object({
  format: z.literal('bundle-console keys 1'),
  at: z.string(),
  files: z.record(z.string().regex(/^[a-z][a-z0-9-]*\.(?:key|json)$|^runtime-credential$/), z.string()),
})
export type KeyFile = z.infer<typeof KeyFile>
