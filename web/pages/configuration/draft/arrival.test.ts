import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Left } from '../../../subjects/arrival/left.ts'
import { CORE, data, MAIL } from '../testing.ts'
import { isWhole, type Offer } from './arrival.ts'
import { applyStep, EMPTY } from './draft.ts'

const edited = (locator: string, property: string) => ({
  locator,
  property,
  edit: { kind: 'set' as const, value: { '@type': 'Data' as const, value: 'old' } },
})
const name = edited(CORE, 'name')
const port = edited(MAIL, 'port')
const draftOf = (...places: (typeof name)[]) =>
  applyStep(
    EMPTY,
    places.map(({ edit, ...place }) => ({
      ...place,
      next: { edit, base: data('new'), version: 7, isSensitive: false },
    })),
  )
const arrivalOf = (...left: Left[]) => ({
  offers: [name, port].map((place): Offer => ({ ...place, bound: null, own: null })),
  left: left.map((why) => ({ locator: CORE, property: 'color', why })),
  replaced: [],
  reason: '',
  title: 'Undo of snapshot 6',
})

test('an undo is whole only with all of its values, without others, and with nothing left out', () => {
  assert.equal(isWhole(arrivalOf(), draftOf(name, port)), true)
  assert.equal(isWhole(arrivalOf(), draftOf(name)), false)
  assert.equal(isWhole(arrivalOf(), draftOf(name, port, edited(CORE, 'note'))), false)
  assert.equal(isWhole(arrivalOf('changedSince'), draftOf(name, port)), false)
  assert.equal(isWhole(arrivalOf('same'), draftOf(name, port)), true)
})
