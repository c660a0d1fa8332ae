import type { Call } from '../wire/build-call.ts'
import type { Sent, Trial } from '../run/trial.ts'
import { prepare } from './repeats.ts'
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
    'changed-value-refused',
    {
      title: 'A changed property value under the same operationId and stage is refused',
      needs: ['changed'],
      fix: FINGERPRINT,
    },
    async (trial) => {
      const { operation } = await prepare(trial, 'INSTALL')
      await trial.finish(operation.before)
      const changed = operation.variant('BEFORE_RESOURCES', { values: 'changed' })
      trial.checkRefused(await trial.settleBytes(changed.bytes, changed), 'A call with a changed value')
    },
  ),
  bytes(
    'other-sequence-refused',
    { title: 'Another executionSequence under the same operationId and stage is refused', fix: FINGERPRINT },
    async (trial) => {
      const { operation } = await prepare(trial, 'INSTALL')
      await trial.finish(operation.before)
      const changed = operation.variant('BEFORE_RESOURCES', { sequence: 5 })
      trial.checkRefused(await trial.settleBytes(changed.bytes, changed), 'A call with another sequence')
    },
  ),
  bytes(
    'changed-configuration-refused',
    {
      title: 'Another configuration under the same operationId and stage is refused',
      fix: FINGERPRINT,
    },
    async (trial) => {
      const { operation } = await prepare(trial, 'INSTALL')
      await trial.finish(operation.before)
      const changed = operation.variant('BEFORE_RESOURCES', { schemaVersion: 'another' })
      trial.checkRefused(await trial.settleBytes(changed.bytes, changed), 'A call with another schemaVersion')
    },
  ),
  bytes(
    'letter-case-refused',
    {
      title: 'Bytes that differ only in the case of a letter are refused',
      fix: FINGERPRINT,
    },
    async (trial) => {
      const operation = trial.install().operation('INSTALL', 1, { targetVersion: '1.0.0-rc' })
      await trial.finish(operation.before)
      const other = operation.variant('BEFORE_RESOURCES', { targetVersion: '1.0.0-RC' })
      trial.checkRefused(await trial.settleBytes(other.bytes, other), 'A call with another letter case')
    },
  ),
  bytes(
    'same-values-refused',
    {
      title: 'Other bytes are refused, even if they mean the same values',
      level: 'SHOULD',
      fix: 'Hash the bytes of the body as they arrive, not the values that were read from it.',
    },
    async (trial) => {
      const spaced = ({ request }: Call): Buffer => Buffer.from(JSON.stringify(request, null, 1))
      trial.checkRefused((await sendOtherBytes(trial, spaced)).other, 'The same call with more white space')
    },
  ),
  bytes(
    'no-effect',
    { title: 'Other bytes have no effect', needs: ['changed', 'state'], fix: FINGERPRINT },
    async (trial) => {
      const { installation, operation } = await prepare(trial, 'INSTALL')
      await trial.finish(operation.before)
      const state = await trial.state(installation)
      const changed = operation.variant('BEFORE_RESOURCES', { values: 'changed' })
      await trial.sendBytes(changed.bytes, changed)
      await trial.checkSameState(installation, state, 'The other bytes changed the state')
    },
  ),
  bytes(
    'first-response-stays',
    { title: 'After other bytes, the first bytes still get their response', fix: FINGERPRINT },
    async (trial) => {
      const { first } = await sendOtherBytes(trial, otherVersion)
      if (first.call === null) return
      trial.checkSame(first, await trial.send(first.call), 'The first call')
    },
  ),
  bytes(
    'refused-in-after',
    { title: 'Other bytes are refused in AFTER_RESOURCES, too', fix: FINGERPRINT },
    async (trial) => {
      const { operation } = await prepare(trial, 'INSTALL')
      await trial.complete(operation)
      trial.checkRefused(
        await trial.settleBytes(otherVersion(operation.after), operation.after),
        'A call with other bytes',
      )
    },
  ),
]
