import type { Call } from '../wire/build-call.ts'
import type { Sent, Trial } from '../run/trial.ts'
import { caseGroup, type Case } from './case.ts'

const bytes = caseGroup('bytes', { rule: 'other-bytes', kind: 'behaviour' })
const FINGERPRINT = 'Store a hash of the request bytes with the call, and refuse a call whose hash differs.'

/** Finishes INSTALL, sends other bytes under the same operationId and stage, and returns what came back. */
async function sendOtherBytes(
  trial: Trial,
  change: (call: Call) => Buffer,
): Promise<{ first: Sent; other: Sent }> {
  const { before } = trial.install().operation('INSTALL', 1)
  const first = await trial.finish(before)
  return { first, other: await trial.settleBytes(change(before), before) }
}

const otherVersion = ({ bytes: sent }: Call): Buffer =>
  Buffer.from(sent.toString().replaceAll('"targetVersion":"1.0.0"', '"targetVersion":"1.0.9"'))

export const OTHER_BYTES_CASES: readonly Case[] = [
  bytes(
    'refused',
    { title: 'Other bytes with the same operationId and stage are refused', fix: FINGERPRINT },
    async (trial) => {
      const { other } = await sendOtherBytes(trial, otherVersion)
      trial.checkRefused(other, 'A call with other bytes')
    },
  ),
  bytes(
    'same-values-refused',
    {
      title: 'Other bytes are refused, even if they mean the same values',
      fix: 'Hash the bytes of the body as they arrive, not the values that were read from it.',
    },
    async (trial) => {
      const spaced = ({ request }: Call): Buffer => Buffer.from(JSON.stringify(request, null, 1))
      trial.checkRefused((await sendOtherBytes(trial, spaced)).other, 'The same call with more white space')
    },
  ),
]
