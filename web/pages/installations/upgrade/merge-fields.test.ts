import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { JsonValue } from '#contract/json-schema/json.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import type { PropertyView } from '#contract/console-api/shapes.ts'
import { fieldId } from '../../../forms/property/property-place.ts'
import type { Edit } from '../../../forms/property/property-edit.ts'
import type { Touches } from '../../../subjects/merge/changes-since.ts'
import type { FormResource } from '../../../subjects/operation-form/property-form.ts'
import { editOnTheirs, isDecided, movedFields } from './merge-fields.ts'

const MAIN = 'production/crm/MODULE/main'
const NAME = fieldId(MAIN, 'address')
const formOf = (definition: PropertyDefinition): FormResource[] => [
  {
    locator: MAIN,
    kind: 'MODULE',
    title: 'Core',
    fields: [
      {
        id: NAME,
        locator: MAIN,
        property: 'address',
        definition,
        fallback: { from: 'nothing', view: null },
        isNeeded: false,
        mark: null,
      },
    ],
  },
]
const address: PropertyDefinition = { kind: 'DATA', schema: { type: 'object' } }
const setTo = (value: JsonValue): Edit => ({ kind: 'set', value: { '@type': 'Data', value } })
const valuesOf = (view: PropertyView | null) => ({
  resources: {
    [MAIN]: { properties: view === null ? {} : { address: view } },
  } as unknown as Parameters<typeof movedFields>[2]['base']['resources'],
})
const data = (value: JsonValue): PropertyView => ({ '@type': 'Data', value })
const NOTHING: Touches = new Map()
const moved = (
  before: PropertyView | null,
  now: PropertyView | null,
  edit: Edit,
  { definition = address, touches = NOTHING }: { definition?: PropertyDefinition; touches?: Touches } = {},
) =>
  movedFields(formOf(definition), new Map([[NAME, edit]]), {
    base: valuesOf(before),
    theirs: valuesOf(now),
    touches,
  })

const BASE = { city: 'Hamburg', street: 'Harbor 1', zip: '20095' }

it('leaves an entered value alone whose property nobody has changed', () => {
  assert.deepEqual(moved(data(BASE), data(BASE), setTo({ ...BASE, zip: '1' })), [])
  assert.deepEqual(moved(null, null, setTo(BASE)), [])
})

it('keeps both changes of different leaves, without a question', () => {
  const [one] = moved(data(BASE), data({ ...BASE, city: 'Kiel' }), setTo({ ...BASE, zip: '1' }))
  assert.ok(one !== undefined)
  assert.deepEqual(one.conflicts, [])
  assert.deepEqual(editOnTheirs(one, new Map()), setTo({ ...BASE, city: 'Kiel', zip: '1' }))
})

it('asks for a leaf that both changed, and keeps the rest of both', () => {
  const mine = { ...BASE, city: 'Lübeck', zip: '1' }
  const [one] = moved(data(BASE), data({ ...BASE, city: 'Kiel', street: 'Market 2' }), setTo(mine))
  assert.ok(one !== undefined)
  assert.deepEqual(
    one.conflicts.map(({ path }) => path),
    ['/city'],
  )
  assert.equal(isDecided(one, new Map()), false)
  const taking = (side: 'mine' | 'theirs') => new Map([[NAME, new Map([['/city', side]])]])
  assert.equal(isDecided(one, taking('theirs')), true)
  const rest = { street: 'Market 2', zip: '1' }
  assert.deepEqual(editOnTheirs(one, taking('theirs')), setTo({ city: 'Kiel', ...rest }))
  assert.deepEqual(editOnTheirs(one, taking('mine')), setTo({ city: 'Lübeck', ...rest }))
})

it('ends an edit that others have saved meanwhile', () => {
  const [one] = moved(data(BASE), data({ ...BASE, zip: '1' }), setTo({ ...BASE, zip: '1' }))
  assert.ok(one !== undefined)
  assert.deepEqual([one.conflicts, editOnTheirs(one, new Map())], [[], null])
})

it('asks about a hidden value as a whole if the history says that it has changed, or is not known', () => {
  const hidden: PropertyView = { '@type': 'Data', isSensitive: true, isSet: true }
  const definition = { ...address, isSensitive: true as const }
  const edit = setTo('secret')
  assert.deepEqual(moved(hidden, hidden, edit, { definition }), [])
  const touch = {
    snapshotVersion: 2,
    savedAt: '2026-11-22T08:00:00.000Z',
    savedBy: { id: 'olivia', name: 'Olivia' },
    reason: null,
    cause: 'SAVE',
    operationId: null,
  } as const
  for (const touches of [null, new Map([[MAIN, new Map([['address', touch]])]])]) {
    const [one] = moved(hidden, hidden, edit, { definition, touches })
    assert.deepEqual(
      one?.conflicts.map(({ path }) => path),
      [''],
    )
  }
})
