/** Runbooks of one plugin. */
export const RUNBOOKS_MAX = 100

/** The positions of runbooks whose code an earlier one has: a plugin has one for each code. */
export function repeatedCodes(runbooks: readonly { errorCode: string }[]): number[] {
  const known = new Set<string>()
  return runbooks.flatMap(({ errorCode }, index) => {
    const isRepeated = known.has(errorCode)
    known.add(errorCode)
    return isRepeated ? [index] : []
  })
}
