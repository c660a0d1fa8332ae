import assert from 'node:assert/strict'

/**
 * Begins work on hostile input, and returns what ends it: that fails, naming `what` took so long, if it took more than `seconds` of
 * processor time.
 *
 * Only for work that once grew faster than its input: the bound is several times what it takes now, and far below what it took then. It is
 * not wall-clock time, so a busy machine changes nothing. What a request, a page or an operation takes is measured in `lab/bench`.
 */
export function boundWork(seconds: number): (what?: string) => void {
  const begun = process.cpuUsage()
  return (what = 'it') => {
    const { user } = process.cpuUsage(begun)
    assert.ok(
      user < seconds * 1e6,
      `${what} took ${user / 1e6} s of processor time, and may take ${seconds} s`,
    )
  }
}
