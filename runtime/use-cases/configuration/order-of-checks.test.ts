import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { DomainError } from '../../engine/refusals.ts'
import type { Problem } from '../../engine/refusals.ts'
import { checkSave } from './save.ts'

const kinds = [
  'shape',
  'protected',
  'ownership',
  'managers',
  'validity',
  'claim',
  'retired',
  'checks',
  'gate',
] as const
const codes = {
  shape: 'REQUEST_INVALID',
  protected: 'PROPERTY_PROTECTED',
  ownership: 'RESOURCE_OWNERSHIP_MISSING',
  managers: 'PROPERTY_MANAGED',
  validity: 'PROPERTY_INVALID',
  claim: 'OPERATION_IN_PROGRESS',
  retired: 'PLUGIN_RETIRED',
  checks: 'PLUGIN_NOT_CHECKED',
  gate: 'CHANGES_FROZEN',
} as const
const change = { locator: 'dev/b/MODULE/a', property: 'p', before: null, after: null }
const problemsOf = (kind: (typeof kinds)[number], count: number): Problem[] =>
  Array.from({ length: count }, () => ({ errorCode: codes[kind], message: kind }))

describe('the order of the checks', () => {
  it('is shape, protected, stale, no change, ownership, managers, validity, claim, retired, checks, gate; all problems of the first kind are reported', () => {
    const counts = fc.record(
      Object.fromEntries(kinds.map((kind) => [kind, fc.nat(3)])) as Record<
        (typeof kinds)[number],
        fc.Arbitrary<number>
      >,
    )
    fc.assert(
      fc.property(counts, fc.boolean(), fc.boolean(), (count, stale, isChanged) => {
        const evaluation = {
          stale,
          changes: isChanged ? [change] : [],
          problems: {
            shape: problemsOf('shape', count.shape),
            protected: problemsOf('protected', count.protected),
            ownership: problemsOf('ownership', count.ownership),
            managers: problemsOf('managers', count.managers),
            validity: problemsOf('validity', count.validity),
            claim: problemsOf('claim', count.claim),
            retired: problemsOf('retired', count.retired),
            checks: problemsOf('checks', count.checks),
            gate: problemsOf('gate', count.gate),
          },
        }
        const expected = expectedOf(count, stale, isChanged)
        try {
          assert.equal(checkSave(evaluation, { snapshot_version: 3 }), expected)
        } catch (error) {
          if (!(error instanceof DomainError)) throw error
          assert.equal(error.code, expected)
          const kind = kinds.find((name) => codes[name] === error.code)
          if (kind !== undefined) assert.equal(error.details.length, count[kind])
        }
      }),
    )
  })
})

function expectedOf(count: Record<(typeof kinds)[number], number>, stale: boolean, isChanged: boolean) {
  if (count.shape > 0) return codes.shape
  if (count.protected > 0) return codes.protected
  if (stale) return 'CONFIGURATION_SNAPSHOT_STALE'
  if (!isChanged) return false
  if (count.ownership > 0) return codes.ownership
  if (count.managers > 0) return codes.managers
  if (count.validity > 0) return codes.validity
  if (count.claim > 0) return codes.claim
  if (count.retired > 0) return codes.retired
  if (count.checks > 0) return codes.checks
  if (count.gate > 0) return codes.gate
  return true
}
