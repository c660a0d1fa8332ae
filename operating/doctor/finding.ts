/** What a check found, in one line. */
export interface Finding {
  /** What was checked, in one word. */
  check: string
  /** `fail`: the deployment does not work; `warn`: it works, but has a problem; `skip`: not checked, and why. */
  status: 'ok' | 'warn' | 'fail' | 'skip'
  /** What was found and, unless all is well, what to do. Contains no secret. */
  message: string
}

/** One line each, aligned. */
export function linesOf(findings: readonly Finding[]): string {
  return findings
    .map(({ check, status, message }) => `${status.padEnd(4)}  ${check.padEnd(9)} ${message}`)
    .join('\n')
}

/** A program that finds any failure exits with 1. */
export const exitCodeOf = (findings: readonly Finding[]): 0 | 1 =>
  findings.some(({ status }) => status === 'fail') ? 1 : 0

/** The finding of a check that throws one line. */
export async function checked(check: string, run: () => Promise<Omit<Finding, 'check'>>): Promise<Finding> {
  try {
    return { check, ...(await run()) }
  } catch (error) {
    return { check, status: 'fail', message: error instanceof Error ? error.message : String(error) }
  }
}

export const ok = (message: string): Omit<Finding, 'check'> => ({ status: 'ok', message })
export const warn = (message: string): Omit<Finding, 'check'> => ({ status: 'warn', message })
export const fail = (message: string): Omit<Finding, 'check'> => ({ status: 'fail', message })
export const skip = (message: string): Omit<Finding, 'check'> => ({ status: 'skip', message })
