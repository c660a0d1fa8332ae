import { UsageError } from '../profile.ts'
import type { Case } from '../cases/case.ts'
import { printable } from '../../../../contract/protocol/foreign-text.ts'
import { CaseBlocked, CaseFailed, CaseUntested, type Sent, type Trial } from './trial.ts'

export type Status = 'PASSED' | 'FAILED' | 'BLOCKED' | 'NOT_TESTED'

export interface CaseResult {
  id: string
  status: Status
  /** Why it did not pass. */
  problem: string | null
  /** It failed, and no other call at the same time can be the cause. */
  isCertain?: boolean
  /** What the repeat after the case found. */
  repeatProblem: string | null
  ms: number
  /** The exchanges of a case that failed. */
  sent: readonly Sent[]
}

type Verdict = Pick<CaseResult, 'status' | 'problem' | 'isCertain'>

/** Runs a judgement. Throws nothing: whatever the plugin answers becomes a verdict. */
export async function judge(run: () => Promise<void>): Promise<Verdict> {
  try {
    await run()
    return { status: 'PASSED', problem: null }
  } catch (error) {
    return verdictOf(error)
  }
}

function verdictOf(error: unknown): Verdict {
  if (error instanceof CaseFailed)
    return { status: 'FAILED', problem: printable(error.message), isCertain: error.isCertain }
  if (error instanceof CaseUntested) return { status: 'NOT_TESTED', problem: error.message }
  // a state address or a plugin that was usable at the start of the run, and no longer is
  if (error instanceof CaseBlocked || error instanceof UsageError)
    return { status: 'BLOCKED', problem: printable(error.message) }
  const detail = error instanceof Error ? error.message.slice(0, 200) : 'unknown error'
  return { status: 'FAILED', problem: `The response could not be judged: ${printable(detail)}` }
}

/** The cases that judge what every case of the run does. */
export interface Judges {
  has(one: Case): boolean
  /** Shows them what a case did. */
  hear(one: Case, trial: Trial): void
  /** The result of one of them after the run, from that of its own calls. */
  verdict(own: CaseResult): CaseResult
}

interface Finding {
  problem: string
  sent: readonly Sent[]
  count: number
}

export function createJudges(cases: readonly Case[]): Judges {
  const judging = cases.filter((one) => one.judge !== undefined || one.review !== undefined)
  const findings = new Map<string, Finding>()

  function hearOne(by: Case, where: string, sent: readonly Sent[], work: () => void): void {
    try {
      work()
    } catch (error) {
      const { status, problem } = verdictOf(error)
      if (status !== 'FAILED' || problem === null) return
      const known = findings.get(by.id)
      if (known === undefined)
        findings.set(by.id, { problem: `${where}: ${problem}`, sent: [...sent], count: 1 })
      else known.count++
    }
  }

  return {
    has: (one) => judging.includes(one),
    hear(one, trial) {
      for (const by of judging) {
        const { judge: judgeOne, review } = by
        if (judgeOne !== undefined)
          for (const sent of trial.sent)
            hearOne(by, placeOf(by, one, sent), [sent], () => judgeOne(trial, sent))
        if (review !== undefined)
          hearOne(by, by === one ? 'Its calls' : `In ${one.id}`, trial.sent, () => review(trial))
      }
    },
    verdict(own) {
      const found = findings.get(own.id)
      if (found === undefined || own.status === 'FAILED') return own
      const others = found.count > 1 ? ` (and ${found.count - 1} more times)` : ''
      return { ...own, status: 'FAILED', problem: `${found.problem}${others}`, sent: found.sent }
    },
  }
}

/** Which response it was: in which case, and of which call. */
function placeOf(by: Case, one: Case, { call }: Sent): string {
  const what =
    call === null ? 'A changed request' : `${call.request.operation.operationType} ${call.request.stage}`
  return by === one ? what : `In ${one.id}, ${what}`
}
