import { caseGroup, type Case } from './case.ts'
import { provokeRefusals } from './failures.ts'

const runbook = caseGroup('runbook', { rule: 'failure-data', kind: 'shape' })

/** More codes in one message help nobody. */
const NAMED_MAX = 10

/** They run last: they judge the codes of every response of the run. */
export const RUNBOOK_CASES: readonly Case[] = [
  runbook(
    'every-code',
    {
      title: 'Each error code that the plugin answers has a runbook',
      level: 'SHOULD',
      needs: ['runbooks'],
      fix: 'Add an entry with errorCode, title, and text or url to the runbooks of the profile, and to the registration of the plugin.',
    },
    async (trial) => {
      await provokeRefusals(trial)
      const known = new Set(trial.profile.runbooks?.map(({ errorCode }) => errorCode))
      const missing = [...new Set([...trial.profile.errorCodes, ...trial.codes])]
        .filter((code) => !known.has(code))
        .toSorted()
      const more = missing.length > NAMED_MAX ? ` and ${missing.length - NAMED_MAX} more` : ''
      trial.check(missing.length === 0, `No runbook for ${missing.slice(0, NAMED_MAX).join(', ')}${more}`)
    },
  ),
]
