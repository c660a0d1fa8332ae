/** Whether an error, or what caused it, means that a disk is full: of this machine or of the database server. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const isNamed = 'code' in error && CODES.has(String(error.code))
  return isNamed || WORDS.test(error.message) || isDiskFull(error.cause)
}

/** Of the system and of PostgreSQL. */
const CODES = new Set(['ENOSPC', 'EDQUOT', '53100'])
/** Of programs that only say so: PostgreSQL's tools and SQLite. */
const WORDS = /No space left on device|database or disk is full/
