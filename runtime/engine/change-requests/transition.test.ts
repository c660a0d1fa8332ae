import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { CHANGE_STATES } from '#contract/runtime-api/vocabulary.ts'
import { CHANGE_STEPS, LIVE_STATES, transition } from './transition.ts'
import type { ChangeFacts } from './transition.ts'

const ENDS = new Set(['APPLIED', 'REJECTED', 'WITHDRAWN', 'EXPIRED', 'REFUSED'])

test('every state and step, with all facts, keeps the rules', () => {
  for (const state of CHANGE_STATES)
    for (const step of CHANGE_STEPS)
      for (const approvals of [0, 1, 2])
        for (const needed of [0, 1, 2])
          for (const hasSchedule of [false, true]) {
            const facts: ChangeFacts = { approvals, needed, hasSchedule }
            const next = transition(state, step, facts)
            const at = `${state} ${step} ${JSON.stringify(facts)} → ${next}`
            // an end is an end
            if (ENDS.has(state)) assert.equal(next, null, at)
            if (next === null) continue
            if (next === 'APPLYING') assert.ok(step === 'override' || approvals >= needed, at)
            if (next === 'SCHEDULED') assert.ok(hasSchedule && approvals >= needed, at)
            if (next === 'APPROVED') assert.ok(approvals >= Math.max(1, needed), at)
            if (next === 'APPLIED') assert.equal(state, 'APPLYING', at)
            // a draft needs to be submitted first
            if (state === 'DRAFT') assert.ok(step === 'submit' || ['DRAFT', 'WITHDRAWN'].includes(next), at)
            // a conflict is left only by an edit, a merge or an end
            if (state === 'CONFLICTED' && next !== 'CONFLICTED' && !ENDS.has(next))
              assert.ok(step === 'edit' || step === 'rebase', at)
          }
})

test('from every live state a person can end it, and a history never leaves an end', () => {
  for (const state of LIVE_STATES)
    assert.equal(transition(state, 'withdraw', { approvals: 0, needed: 1, hasSchedule: false }), 'WITHDRAWN')
  const history = fc.array(
    fc.record({
      step: fc.constantFrom(...CHANGE_STEPS),
      approvals: fc.integer({ min: 0, max: 3 }),
      hasSchedule: fc.boolean(),
    }),
    { maxLength: 30 },
  )
  fc.assert(
    fc.property(history, fc.integer({ min: 0, max: 3 }), (steps, needed) => {
      let state: (typeof CHANGE_STATES)[number] = 'DRAFT'
      let wasApplied = 0
      for (const { step, ...facts } of steps) {
        const next = transition(state, step, { ...facts, needed })
        if (next === 'APPLYING') wasApplied++
        if (next !== null) state = next
      }
      assert.ok(wasApplied <= 1)
    }),
    { seed: 20_261_129 },
  )
})
