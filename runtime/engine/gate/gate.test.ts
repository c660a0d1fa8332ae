import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { CHANGE_KINDS } from '#contract/runtime-api/vocabulary.ts'
import type { ChangeKind } from '#contract/runtime-api/vocabulary.ts'
import { restraintsOn } from './gate.ts'
import type { GateFreeze } from './gate.ts'

const NOW = Date.parse('2026-12-24T12:00:00.000Z')
const SCOPE = { environmentKey: 'prod', applicationRuntimeId: 'shop', workspaceId: 1 }
const PLACES = [
  { environments: ['prod'], scopes: null, isHere: true },
  { environments: ['test'], scopes: null, isHere: false },
  { environments: null, scopes: [SCOPE], isHere: true },
  { environments: null, scopes: [{ ...SCOPE, workspaceId: 2 }], isHere: false },
]
const TIMES = [
  { from: '2026-12-24T00:00:00.000Z', to: '2026-12-27T00:00:00.000Z', isNow: true },
  { from: '2026-12-25T00:00:00.000Z', to: '2026-12-27T00:00:00.000Z', isNow: false },
]
const freezeOf = (given: Partial<GateFreeze>): GateFreeze => ({
  name: 'freeze',
  environments: ['prod'],
  scopes: null,
  from: '2026-12-24T00:00:00.000Z',
  to: '2026-12-27T00:00:00.000Z',
  weekly: null,
  timeZone: 'UTC',
  blocks: [...CHANGE_KINDS],
  allowsRecovery: true,
  message: 'Year end.',
  ...given,
})

describe('the gate', () => {
  it('refuses exactly what a freeze blocks here and now, in every combination', () => {
    for (const { isHere, ...place } of PLACES)
      for (const { isNow, ...time } of TIMES)
        for (const blocked of CHANGE_KINDS)
          for (const allowsRecovery of [true, false])
            for (const isRecovery of [true, false])
              for (const kinds of [
                ...CHANGE_KINDS.map((kind): ChangeKind[] => [kind]),
                ['UPGRADE', 'BATCH'] as ChangeKind[],
              ]) {
                const freeze = freezeOf({ ...place, ...time, blocks: [blocked], allowsRecovery })
                const found = restraintsOn(
                  { kinds, isRecovery, isApproved: false, scope: SCOPE },
                  {
                    now: NOW,
                    freezes: [freeze],
                    needsApproval: [],
                    protection: null,
                    pin: null,
                    recall: null,
                  },
                )
                const expected =
                  isHere && isNow && kinds.includes(blocked) && (!isRecovery || !allowsRecovery) ? 1 : 0
                assert.equal(found.length, expected, JSON.stringify({ freeze, kinds, isRecovery }))
              }
  })

  it('gives one answer for several freezes: the latest end, and what each says', () => {
    const [found, ...more] = restraintsOn(
      { kinds: ['INSTALL'], isRecovery: false, isApproved: false, scope: SCOPE },
      {
        now: NOW,
        needsApproval: [],
        protection: null,
        pin: null,
        recall: null,
        freezes: [
          freezeOf({}),
          freezeOf({ name: 'again' }),
          freezeOf({
            name: 'move',
            to: '2026-12-25T00:00:00.000Z',
            message: 'We move.',
            allowsRecovery: false,
          }),
          // of another kind, so its end does not count
          freezeOf({ name: 'long', to: '2027-02-01T00:00:00.000Z', blocks: ['DETACH'] }),
        ],
      },
    )
    assert.deepEqual(more, [])
    assert.deepEqual(found, {
      problem: {
        errorCode: 'CHANGES_FROZEN',
        message: 'Changes are frozen until 2026-12-27T00:00:00.000Z: Year end. We move.',
        parameters: {
          reason: 'changesFrozen',
          until: '2026-12-27T00:00:00.000Z',
          text: 'Year end. We move.',
        },
      },
      until: '2026-12-27T00:00:00.000Z',
      blocksRecovery: true,
    })
  })

  it('asks for approvals of the kinds of the policy, except of what is approved and of a retry', () => {
    const asks = (
      kinds: ChangeKind[],
      needsApproval: ChangeKind[],
      { isRecovery = false, isApproved = false } = {},
    ) =>
      restraintsOn(
        { kinds, isRecovery, isApproved, scope: SCOPE },
        { now: NOW, freezes: [], needsApproval, protection: null, pin: null, recall: null },
      ).length > 0
    for (const kind of CHANGE_KINDS) {
      assert.equal(asks([kind], [kind]), true)
      assert.equal(asks([kind], [kind], { isApproved: true }), false)
      assert.equal(
        asks(
          [kind],
          CHANGE_KINDS.filter((other) => other !== kind),
        ),
        false,
      )
    }
    assert.equal(asks(['UPGRADE', 'BATCH'], ['BATCH']), true)
    assert.equal(asks(['UPGRADE', 'BATCH'], ['UPGRADE', 'BATCH'], { isRecovery: true }), false)
    // a takeover starts a DETACH, and is a kind of its own
    assert.equal(asks(['TAKEOVER', 'DETACH'], ['DETACH'], { isRecovery: true }), false)
    assert.equal(asks(['TAKEOVER', 'DETACH'], ['TAKEOVER'], { isRecovery: true }), true)
  })

  it('refuses an upgrade to a version that the pin does not name, and nothing else', () => {
    const isRefused = (kind: ChangeKind, versions: string, targetVersion?: string) => {
      const pin = { versions, by: { name: 'ada' }, reason: 'It was certified.' }
      const [found] = restraintsOn(
        {
          kinds: [kind],
          isRecovery: false,
          isApproved: true,
          scope: SCOPE,
          ...(targetVersion !== undefined && { targetVersion }),
        },
        { now: NOW, freezes: [], needsApproval: [], protection: null, pin, recall: null },
      )
      assert.equal(found?.isFirm, found && true)
      return found?.problem.errorCode === 'VERSION_PINNED'
    }
    assert.equal(isRefused('UPGRADE', '1.4.x', '1.4.9'), false)
    assert.equal(isRefused('UPGRADE', '1.4.x', '1.40.0'), true)
    assert.equal(isRefused('UPGRADE', '1.4.x', '1.5.0'), true)
    assert.equal(isRefused('UPGRADE', '1.4.2', '1.4.2'), false)
    assert.equal(isRefused('UPGRADE', '1.4.2', '1.4.20'), true)
    assert.equal(isRefused('UPGRADE', '1.4.2'), false)
    for (const kind of CHANGE_KINDS.filter((one) => one !== 'UPGRADE'))
      assert.equal(isRefused(kind, '1.4.2', '2.0.0'), false)
  })

  it('refuses a recalled version; only a retry can be overridden', () => {
    for (const isRecovery of [true, false]) {
      const [found, ...more] = restraintsOn(
        { kinds: ['INSTALL'], isRecovery, isApproved: true, scope: SCOPE, targetVersion: '1.4.2' },
        {
          now: NOW,
          freezes: [],
          needsApproval: [],
          protection: null,
          pin: null,
          recall: { by: { name: 'ada' }, message: 'It loses data.' },
        },
      )
      assert.deepEqual(more, [])
      assert.equal(found?.problem.errorCode, 'VERSION_RECALLED')
      assert.equal(found.isFirm, isRecovery ? undefined : true)
    }
  })
})
