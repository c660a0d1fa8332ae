import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wrapData } from '#contract/protocol/data.ts'
import type { Changes } from '#contract/runtime-api/common.ts'
import { mergeChanges } from './merge-changes.ts'
import { boundWork } from '../../../lab/verification/bound-work.ts'

test('the lists of all properties together are compared for a short time (J01)', () => {
  const changes = (side: string, length: number): Changes => ({
    'dev/mail/MODULE/smtp': Object.fromEntries(
      Array.from({ length: 150 }, (_, at) => [
        `p${at}`,
        wrapData(Array.from({ length }, (__, item) => ({ [side]: item }))),
      ]),
    ),
  })
  const endWork = boundWork(5)
  const { conflicts } = mergeChanges(changes('m', 500), changes('b', 950), changes('t', 1000), () => false)
  assert.deepEqual(conflicts, [])
  // each property alone takes a tenth of a second
  endWork()
})
