/** Whether an error or one of its causes means that a disk is full: on this machine or on the database server. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const isNamed = 'code' in error && CODES.has(String(error.code))
  return isNamed || WORDS.test(error.message) || isDiskFull(error.cause)
}

/** Codes of the operating system and of PostgreSQL. */
const CODES = new Set(['ENOSPC', 'EDQUOT', '53100'])
/** Messages of programs that report no code: PostgreSQL's tools and SQLite. */
const WORDS = /No space left on device|database or disk is full/
