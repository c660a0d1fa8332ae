import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { Edit } from '../../../forms/edit.ts'
import { data } from '../testing.ts'
import { allEdits, countEdits, type DraftEdit } from './draft.ts'
import { DraftStore, type Keeper } from './draft-store.ts'
import { readDraft } from './stored-draft.ts'

const CORE = 'production/crm/MODULE/core'
const edit = (value: string, more: Partial<DraftEdit> = {}): DraftEdit => ({
  edit: { kind: 'set', value: { '@type': 'Data', value } } satisfies Edit,
  base: data('saved'),
  version: 4,
  isSensitive: false,
  ...more,
})

/** One storage, as many tabs as wanted; a write in one is told to the others, as browsers do it. */
function browser() {
  let kept: string | null = null
  const tabs: DraftStore[] = []
  const open = () => {
    const keeper: Keeper = {
      read: () => kept,
      write: (text) => {
        kept = text
        for (const tab of tabs) if (tab !== store) tab.takeOver()
      },
    }
    const store = new DraftStore(keeper)
    tabs.push(store)
    return store
  }
  return { open, kept: () => kept, put: (text: string | null) => (kept = text) }
}

const put = (store: DraftStore, property: string, next: DraftEdit | null) =>
  store.take([{ locator: CORE, property, next }])

describe('a draft', () => {
  it('survives a reload with what it began from', () => {
    const { open } = browser()
    const before = open()
    put(before, 'name', edit('typed'))
    put(before, 'half', edit('', { edit: { kind: 'unfinished', text: '{"a":' } }))
    put(before, 'gone', edit('', { edit: { kind: 'removed' } }))
    before.keep()
    assert.deepEqual(open().current(), before.current())
  })

  it('stores an edit that follows the removal of the only other edit of its resource', () => {
    const { open } = browser()
    const before = open()
    put(before, 'name', edit('typed'))
    before.keep()
    put(before, 'name', null)
    put(before, 'other', edit('typed'))
    before.keep()
    assert.deepEqual(open().current(), { [CORE]: { other: edit('typed') } })
  })

  it('never writes a sensitive value, but says afterwards that it was not kept', () => {
    const world = browser()
    const before = world.open()
    put(before, 'password', edit('hunter2', { isSensitive: true }))
    put(before, 'key', edit('', { isSensitive: true, edit: { kind: 'unfinished', text: 'hunter3' } }))
    put(before, 'name', edit('typed'))
    before.keep()
    assert.ok(!/hunter/.test(world.kept() ?? ''))
    const after = world.open()
    assert.equal(after.edit(CORE, 'password'), undefined)
    assert.deepEqual(
      after.notKept().map(({ property }) => property),
      ['password', 'key'],
    )
    put(after, 'password', edit('again', { isSensitive: true }))
    assert.deepEqual(
      after.notKept().map(({ property }) => property),
      ['key'],
    )
    after.forgetNotKept()
    assert.deepEqual(after.notKept(), [])
  })

  it('is gone from the browser when it is discarded or saved', () => {
    const world = browser()
    const store = world.open()
    put(store, 'name', edit('typed'))
    store.keep()
    assert.ok(world.kept())
    store.clear()
    assert.equal(world.kept(), null)
  })

  it('keeps what was typed after a save was sent', () => {
    const store = browser().open()
    put(store, 'name', edit('sent'))
    put(store, 'other', edit('sent'))
    const sent = store.current()
    put(store, 'name', edit('typed since'))
    store.drop(sent)
    assert.equal(store.edit(CORE, 'other'), undefined)
    assert.deepEqual(store.edit(CORE, 'name'), edit('typed since'))
  })

  it('drops a remark of the server with the edit that it was about', () => {
    const store = browser().open()
    put(store, 'name', edit('bad'))
    store.setRemarks([{ locator: CORE, property: 'name', message: 'Is not good' }])
    assert.equal(store.remark(CORE, 'name')?.message, 'Is not good')
    put(store, 'name', edit('better'))
    assert.equal(store.remark(CORE, 'name'), undefined)
  })

  it('reads whatever stands in the storage without failing', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.jsonValue().map((value) => JSON.stringify({ format: 1, edits: value, withheld: value })),
        ),
        (text) => {
          const { edits, withheld } = readDraft(text)
          assert.equal(countEdits(edits), 0)
          assert.deepEqual(withheld, [])
        },
      ),
    )
  })
})

describe('typing in a field', () => {
  const PORT = { locator: CORE, property: 'port' }
  const setTo = (value: number): Edit => ({ kind: 'set', value: { '@type': 'Data', value } })
  const saved = (value: number, version: number) => ({ saved: data(value), version, isSensitive: false })
  const beganFrom = (store: DraftStore) => {
    const { base, version } = store.edit(CORE, 'port') ?? {}
    return { base, version }
  }

  it('keeps an edit that is typed back to its base when another value has been saved', () => {
    const store = browser().open()
    store.type(PORT, setTo(4431), saved(443, 4))
    store.type(PORT, setTo(443), saved(80, 5))
    assert.deepEqual(store.edit(CORE, 'port')?.edit, setTo(443))
    assert.deepEqual(beganFrom(store), { base: data(443), version: 4 })
    store.type(PORT, setTo(443), saved(443, 6))
    assert.equal(store.edit(CORE, 'port'), undefined)
  })

  it('keeps its base until the field loses the focus', () => {
    const store = browser().open()
    store.enter(PORT)
    store.type(PORT, setTo(4431), saved(443, 4))
    store.type(PORT, setTo(443), saved(443, 4))
    assert.equal(store.edit(CORE, 'port'), undefined)
    assert.deepEqual(store.activeAt(CORE, 'port')?.began, { base: data(443), version: 4 })
    store.type(PORT, setTo(4432), saved(80, 5))
    assert.deepEqual(beganFrom(store), { base: data(443), version: 4 })
    store.type(PORT, setTo(443), saved(443, 6))
    store.leave()
    store.enter(PORT)
    store.type(PORT, setTo(802), saved(80, 7))
    assert.deepEqual(beganFrom(store), { base: data(80), version: 7 })
  })

  it('begins anew after a reset, also where the reset comes from another tab', () => {
    const { open } = browser()
    const [store, other] = [open(), open()]
    store.enter(PORT)
    store.type(PORT, setTo(4431), saved(443, 4))
    store.take([{ ...PORT, next: null }])
    store.type(PORT, setTo(801), saved(80, 5))
    assert.deepEqual(beganFrom(store), { base: data(80), version: 5 })
    store.keep()
    other.take([{ ...PORT, next: null }])
    other.keep()
    assert.equal(store.activeAt(CORE, 'port')?.began, null)
  })

  it('renders only its own field while typing continues', () => {
    const store = browser().open()
    store.enter(PORT)
    store.type(PORT, setTo(4431), saved(443, 4))
    const typedIn = store.typedIn()
    store.type(PORT, setTo(44312), saved(443, 4))
    assert.equal(store.typedIn(), typedIn)
  })
})

describe('two tabs', () => {
  it('see one another and undo nothing of one another', () => {
    const { open } = browser()
    const [one, two] = [open(), open()]
    put(one, 'a', edit('one'))
    put(two, 'b', edit('two'))
    one.keep()
    two.keep()
    for (const tab of [one, two])
      assert.deepEqual(
        allEdits(tab.current())
          .map(({ property }) => property)
          .toSorted(),
        ['a', 'b'],
      )
    put(one, 'a', null)
    one.keep()
    assert.deepEqual(
      allEdits(two.current()).map(({ property }) => property),
      ['b'],
    )
  })

  it('keep the sensitive edits of each to itself, also while the other writes', () => {
    const { open } = browser()
    const [one, two] = [open(), open()]
    put(one, 'password', edit('hunter2', { isSensitive: true }))
    put(two, 'b', edit('two'))
    two.keep()
    one.keep()
    assert.deepEqual(one.edit(CORE, 'password'), edit('hunter2', { isSensitive: true }))
    assert.equal(two.edit(CORE, 'password'), undefined)
    assert.deepEqual(one.edit(CORE, 'b'), edit('two'))
  })

  it('agree with the storage after any order of edits and writes', () => {
    const step = fc.record({
      tab: fc.nat(1),
      property: fc.constantFrom('a', 'b', 'c'),
      value: fc.option(fc.string({ maxLength: 2 }), { nil: null }),
      keeps: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        const { open, kept } = browser()
        const tabs = [open(), open()] as const
        for (const { tab, property, value, keeps } of steps) {
          const store = tabs[tab === 0 ? 0 : 1]
          put(store, property, value === null ? null : edit(value))
          if (keeps) store.keep()
        }
        tabs[0].keep()
        tabs[1].keep()
        assert.deepEqual(tabs[0].current(), tabs[1].current())
        assert.deepEqual(readDraft(kept()).edits, tabs[0].current())
      }),
    )
  })
})
