import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { JsonValue } from '#contract/json-schema/json.ts'
import type { Edit } from '../../../forms/property/property-edit.ts'
import type { Draft } from './draft.ts'
import { mergeRequest, type Asked } from './merge-request.ts'

const data = (value: JsonValue) => ({ '@type': 'Data' as const, value })
const set = (value: JsonValue): Edit => ({ kind: 'set', value: data(value) })
const asked = (values: Record<string, Asked[string][string]>): Asked => ({ mail: values })
const draftOf = (edits: Record<string, Edit>): Draft => ({
  mail: Object.fromEntries(
    Object.entries(edits).map(([property, edit]) => [
      property,
      { edit, base: null, version: 1, isSensitive: false },
    ]),
  ),
})
const hidden = { '@type': 'Data' as const, isSensitive: true as const, isSet: true }

describe('two people who edit one change request', () => {
  it('keeps the edits of both where they edited different properties', () => {
    const base = asked({ port: data(25), user: data('a') })
    const theirs = asked({ port: data(465), host: data('mx') })
    const mine = draftOf({ port: set(25), user: set('a'), sender: set('me') })
    assert.deepEqual(mergeRequest(base, theirs, mine), {
      edits: [
        { locator: 'mail', property: 'port', edit: set(465) },
        { locator: 'mail', property: 'user', edit: null },
        { locator: 'mail', property: 'host', edit: set('mx') },
      ],
      conflicts: [],
    })
  })

  it('merges one value leaf by leaf', () => {
    const base = asked({ limits: data({ day: 1, week: 5 }) })
    const theirs = asked({ limits: data({ day: 2, week: 5 }) })
    assert.deepEqual(mergeRequest(base, theirs, draftOf({ limits: set({ day: 1, week: 9 }) })), {
      edits: [{ locator: 'mail', property: 'limits', edit: set({ day: 2, week: 9 }) }],
      conflicts: [],
    })
  })

  it('keeps mine and names theirs where both edited the same', () => {
    const base = asked({ port: data(25), user: data('a') })
    const theirs = asked({ port: data(465) })
    assert.deepEqual(mergeRequest(base, theirs, draftOf({ port: set(587), user: set('b') })), {
      edits: [],
      conflicts: [
        { locator: 'mail', property: 'port', theirs: data(465) },
        { locator: 'mail', property: 'user', theirs: undefined },
      ],
    })
  })

  it('does nothing where both gave the same value, where a value is hidden, and to a draft that was stored', () => {
    const base = asked({ port: data(25), secret: hidden })
    const theirs = asked({ port: data(465), secret: hidden, other: hidden })
    const nothing = { edits: [], conflicts: [] }
    assert.deepEqual(mergeRequest(base, theirs, draftOf({ port: set(465) })), nothing)
    assert.deepEqual(mergeRequest(base, theirs, {}), nothing)
  })
})
