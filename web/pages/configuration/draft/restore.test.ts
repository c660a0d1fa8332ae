import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EMPTY, type DraftEdit } from './draft.ts'
import { configuration, CORE, data, define, hidden, MAIL, resource, snapshot } from '../testing.ts'
import { differences, restore, undo } from './restore.ts'

const now = configuration(7, {
  [CORE]: resource({
    properties: { name: data('new'), color: data('red'), secret: hidden(true), tenant: data('t-1') },
    definitions: {
      name: define(),
      color: define(),
      secret: define({ isSensitive: true }),
      tenant: define(),
      note: define(),
    },
    writtenBy: { tenant: 'provisioner' },
  }),
  [MAIL]: resource({
    properties: { port: data(25) },
    definitions: { port: define() },
    claim: {
      operationId: 'o-1',
      operationType: 'CONFIGURE',
      state: 'RUNNING',
      since: '2026-11-21T00:00:00.000Z',
      requestedBy: { id: 'ling', name: 'Ling Zhao' },
    },
  }),
})
const change = (locator: string, property: string, before: unknown, after: unknown) => ({
  locator,
  property,
  before: before === null ? null : data(before as string),
  after: after === null ? null : data(after as string),
})
const whyOf = (left: ReturnType<typeof undo>['left']) => left.map(({ property, why }) => [property, why])

test('undoing a save restores every value that it changed and nobody has changed since', () => {
  const { step, left } = undo(
    snapshot(6, [
      change(CORE, 'name', 'old', 'new'),
      change(CORE, 'color', 'blue', 'green'),
      change(CORE, 'note', 'kept', null),
    ]),
    now,
    EMPTY,
  )
  assert.deepEqual(
    step.map(({ property, next }) => [property, next?.edit, next?.version]),
    [
      ['name', { kind: 'set', value: { '@type': 'Data', value: 'old' } }, 7],
      ['note', { kind: 'set', value: { '@type': 'Data', value: 'kept' } }, 7],
    ],
  )
  assert.deepEqual(whyOf(left), [['color', 'changedSince']])
})

test('a value that was not set before is removed', () => {
  const { step } = undo(snapshot(6, [change(CORE, 'name', null, 'new')]), now, EMPTY)
  assert.deepEqual(step[0]?.next?.edit, { kind: 'removed' })
})

test('what cannot be restored stays, with the reason', () => {
  const { step, left } = restore(
    [
      { locator: CORE, property: 'secret', value: hidden(true) },
      { locator: CORE, property: 'tenant', value: data('t-0') },
      { locator: CORE, property: 'gone', value: data(1) },
      { locator: CORE, property: 'color', value: data('red') },
    ],
    now,
    EMPTY,
  )
  assert.deepEqual(step, [])
  assert.deepEqual(whyOf(left), [
    ['secret', 'sensitive'],
    ['tenant', 'plugin'],
    ['gone', 'gone'],
    ['color', 'same'],
  ])
})

test('unsaved edits that are replaced are named, and removed where the restored value is saved', () => {
  const edited = (value: string, saved: string): DraftEdit => ({
    edit: { kind: 'set', value: { '@type': 'Data', value } },
    base: data(saved),
    version: 7,
    isSensitive: false,
  })
  const draft = {
    [CORE]: { name: edited('mine', 'new'), color: edited('green', 'red'), note: edited('kept', '') },
  }
  const { step, left, replaced } = restore(
    [
      { locator: CORE, property: 'name', value: data('old') },
      { locator: CORE, property: 'color', value: data('red') },
      { locator: CORE, property: 'note', value: data('kept') },
    ],
    now,
    draft,
  )
  assert.deepEqual(
    step.map(({ property, next }) => [property, next?.edit]),
    [
      ['name', { kind: 'set', value: { '@type': 'Data', value: 'old' } }],
      ['color', undefined],
      ['note', { kind: 'set', value: { '@type': 'Data', value: 'kept' } }],
    ],
  )
  assert.deepEqual(left, [])
  assert.deepEqual(
    replaced.map(({ property }) => property),
    ['name', 'color'],
  )
})

test('a value of a locked resource is restored in the draft, which waits for the operation', () => {
  const { step, left } = restore([{ locator: MAIL, property: 'port', value: data(587) }], now, EMPTY)
  assert.deepEqual([step.length, left], [1, []])
})

test('two configurations differ where values do; of sensitive ones only whether they are set is known', () => {
  const before = configuration(3, {
    [CORE]: resource({ properties: { name: data('old'), color: data('red'), secret: hidden(false) } }),
  })
  assert.deepEqual(
    differences(before, now).map(({ locator, property }) => [locator, property]),
    [
      [CORE, 'name'],
      [CORE, 'secret'],
      [CORE, 'tenant'],
      [MAIL, 'port'],
    ],
  )
})

test('a required property is never restored to nothing, neither by a comparison nor by undoing a save', () => {
  const required = configuration(7, {
    [CORE]: resource({
      properties: { name: data('new') },
      definitions: { name: define({ required: true }) },
    }),
  })
  const { step, left } = restore([{ locator: CORE, property: 'name', value: null }], required, EMPTY)
  assert.deepEqual([step, whyOf(left)], [[], [['name', 'required']]])
  const undone = undo(snapshot(6, [change(CORE, 'name', null, 'new')]), required, EMPTY)
  assert.deepEqual([undone.step, whyOf(undone.left)], [[], [['name', 'required']]])
})
