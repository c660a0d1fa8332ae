import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { Edit } from '../../../forms/property/property-edit.ts'
import { data } from '../testing.ts'
import { allEdits, countEdits, type DraftEdit } from './draft.ts'
import { DraftStore, type DraftStorage } from './draft-store.ts'

const CORE = 'production/crm/MODULE/core'
const edit = (value: string, more: Partial<DraftEdit> = {}): DraftEdit => ({
  edit: { kind: 'set', value: { '@type': 'Data', value } } satisfies Edit,
  base: data('saved'),
  version: 4,
  isSensitive: false,
  ...more,
})

/**
 * One storage for any number of tabs. "Delivering" sends each tab the storage events for the writes of the others. Tabs in
 * one process can read those writes immediately; tabs in separate processes only after delivery.
 */
function browser({ isOneProcess = true } = {}) {
  const items = new Map<string, string>()
  const tabs: { store: DraftStore; view: Map<string, string>; news: string[] }[] = []
  const open = () => {
    const view = isOneProcess ? items : new Map(items)
    const storage: DraftStorage = {
      names: () => [...view.keys()],
      read: (name) => view.get(name) ?? null,
      write: (name, text) => {
        if (text === (view.get(name) ?? null)) return true
        for (const written of new Set([items, view]))
          if (text === null) written.delete(name)
          else written.set(name, text)
        for (const tab of tabs) if (tab.store !== store) tab.news.push(name)
        return true
      },
      readAsked: () => null,
      writeAsked: () => {},
    }
    const store = new DraftStore(storage)
    tabs.push({ store, view, news: [] })
    return store
  }
  const deliver = () => {
    for (const { store, view, news } of tabs)
      for (const name of news.splice(0)) {
        const text = items.get(name)
        if (text === undefined) view.delete(name)
        else view.set(name, text)
        store.syncFromStorage(name)
      }
  }
  return { open, deliver, items }
}

const put = (store: DraftStore, property: string, next: DraftEdit | null) =>
  store.apply([{ locator: CORE, property, next }])

describe('a draft', () => {
  it('survives a reload, including its base', () => {
    const { open } = browser()
    const before = open()
    put(before, 'name', edit('typed'))
    put(before, 'half', edit('', { edit: { kind: 'unfinished', text: '{"a":' } }))
    put(before, 'part', edit('', { edit: { kind: 'unfinished', text: '1e', isPartialNumber: true } }))
    const inside = { value: { a: '1' }, parts: { '/a': { key: '' }, '/b/0': { text: '{"x":' } } }
    put(before, 'inside', edit('', { edit: { kind: 'unfinished', text: '{}', inside } }))
    put(before, 'gone', edit('', { edit: { kind: 'removed' } }))
    assert.deepEqual(open().current(), before.current())
  })

  it('stores an edit that follows the removal of the only other edit of its resource', () => {
    const { open } = browser()
    const before = open()
    put(before, 'name', edit('typed'))
    put(before, 'name', null)
    put(before, 'other', edit('typed'))
    assert.deepEqual(open().current(), { [CORE]: { other: edit('typed') } })
  })

  it('never stores a sensitive value, but later reports that it was not kept (A09, A10)', () => {
    const world = browser()
    const before = world.open()
    put(before, 'password', edit('hunter2', { isSensitive: true }))
    put(before, 'key', edit('', { isSensitive: true, edit: { kind: 'unfinished', text: 'hunter3' } }))
    put(before, 'name', edit('typed'))
    assert.ok(![...world.items.values()].some((text) => text.includes('hunter')))
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
    after.dismissNotKept()
    assert.deepEqual(after.notKept(), [])
    assert.deepEqual(world.open().notKept(), [{ locator: CORE, property: 'password' }])
  })

  it('is removed from the browser when it is discarded or saved', () => {
    const world = browser()
    const store = world.open()
    put(store, 'name', edit('typed'))
    assert.equal(world.items.size, 1)
    store.clear()
    assert.equal(world.items.size, 0)
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

  it('reads any stored text without failing', () => {
    const name = fc.oneof(fc.string(), fc.constant(`${CORE} port`))
    const text = fc.oneof(
      fc.string(),
      fc.json(),
      fc.jsonValue().map((value) => JSON.stringify({ format: 2, edit: value, base: value, version: value })),
    )
    fc.assert(
      fc.property(name, text, (name, text) => {
        const { open, items } = browser()
        items.set(name, text)
        const store = open()
        assert.equal(countEdits(store.current()), 0)
        assert.deepEqual(store.notKept(), [])
      }),
    )
  })

  it('reports that the browser refuses to store an edit until it is stored', () => {
    let isFull = true
    const store = new DraftStore({
      names: () => [],
      read: () => null,
      write: (_, text) => text === null || !isFull,
      readAsked: () => null,
      writeAsked: () => {},
    })
    put(store, 'name', edit('typed'))
    assert.equal(store.isStored(), false)
    assert.deepEqual(store.edit(CORE, 'name'), edit('typed'))
    isFull = false
    put(store, 'name', edit('typed on'))
    assert.equal(store.isStored(), true)
  })

  it('is stored again after the storage was cleared', () => {
    const { open, items } = browser()
    const store = open()
    put(store, 'name', edit('typed'))
    items.clear()
    store.storeAll()
    assert.deepEqual(open().current(), store.current())
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
    store.leave(PORT)
    store.enter(PORT)
    store.type(PORT, setTo(802), saved(80, 7))
    assert.deepEqual(beganFrom(store), { base: data(80), version: 7 })
  })

  it('gets a new base after a reset', () => {
    const store = browser().open()
    store.enter(PORT)
    store.type(PORT, setTo(4431), saved(443, 4))
    store.apply([{ ...PORT, next: null }])
    store.type(PORT, setTo(801), saved(80, 5))
    assert.deepEqual(beganFrom(store), { base: data(80), version: 5 })
  })

  it('is not replaced by an older write of another tab', () => {
    const { open, deliver } = browser()
    const [store, other] = [open(), open()]
    store.enter(PORT)
    store.type(PORT, setTo(4431), saved(443, 4))
    other.apply([{ ...PORT, next: edit('older') }])
    deliver()
    assert.deepEqual(store.edit(CORE, 'port')?.edit, setTo(4431))
    store.leave(PORT)
    deliver()
    assert.deepEqual(other.edit(CORE, 'port')?.edit, setTo(4431))
  })

  it('notifies only its own field while typing continues', () => {
    const store = browser().open()
    store.enter(PORT)
    store.type(PORT, setTo(4431), saved(443, 4))
    const typedIn = store.typedIn()
    store.type(PORT, setTo(44312), saved(443, 4))
    assert.equal(store.typedIn(), typedIn)
  })
})

describe('two tabs', () => {
  it('see the edits of each other and undo none of them', () => {
    const { open, deliver } = browser()
    const [one, two] = [open(), open()]
    put(one, 'a', edit('one'))
    put(two, 'b', edit('two'))
    deliver()
    for (const tab of [one, two])
      assert.deepEqual(
        allEdits(tab.current())
          .map(({ property }) => property)
          .toSorted(),
        ['a', 'b'],
      )
    put(one, 'a', null)
    deliver()
    assert.deepEqual(two.current(), { [CORE]: { b: edit('two') } })
  })

  it('keep their own sensitive edits, also while the other writes', () => {
    const { open, deliver } = browser()
    const [one, two] = [open(), open()]
    put(one, 'password', edit('hunter2', { isSensitive: true }))
    put(two, 'b', edit('two'))
    deliver()
    assert.deepEqual(one.edit(CORE, 'password'), edit('hunter2', { isSensitive: true }))
    assert.equal(two.edit(CORE, 'password'), undefined)
    assert.deepEqual(one.edit(CORE, 'b'), edit('two'))
    assert.deepEqual(
      open()
        .notKept()
        .map(({ property }) => property),
      ['password'],
    )
  })

  it('do not overwrite what was typed in the other, whether its write was delivered or not', () => {
    const { open, deliver } = browser()
    const [one, two] = [open(), open()]
    put(one, 'a', edit('sent'))
    put(one, 'b', edit('moves'))
    deliver()
    const sent = one.current()
    put(two, 'a', edit('typed since'))
    put(two, 'b', edit('typed since'))
    one.drop({ [CORE]: { a: sent[CORE]?.['a'] ?? edit('') } })
    one.applyAutomatically([{ locator: CORE, property: 'b', next: edit('moves', { version: 5 }) }])
    deliver()
    const typed = { [CORE]: { a: edit('typed since'), b: edit('typed since') } }
    assert.deepEqual([one.current(), two.current(), open().current()], [typed, typed, typed])
  })

  it('do not bring back what was discarded in the other while an edit moves to a newer snapshot', () => {
    const { open, deliver, items } = browser({ isOneProcess: false })
    const [one, two] = [open(), open()]
    put(one, 'a', edit('moves'))
    deliver()
    two.clear()
    one.applyAutomatically([{ locator: CORE, property: 'a', next: edit('moves', { version: 5 }) }])
    deliver()
    assert.deepEqual([one.current(), two.current(), items.size], [{}, {}, 0])
  })

  it('agree with the storage after any order of edits, moves and deliveries', () => {
    const step = fc.record({
      tab: fc.nat(1),
      property: fc.constantFrom('a', 'b', 'c'),
      removes: fc.boolean(),
      moves: fc.boolean(),
      delivers: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.boolean(), fc.array(step, { maxLength: 20 }), (isOneProcess, steps) => {
        const { open, deliver } = browser({ isOneProcess })
        const tabs = [open(), open()] as const
        const typed = new Map<string, string | null>()
        for (const [index, { tab, property, removes, moves, delivers }] of steps.entries()) {
          const value = removes ? null : `value ${index}`
          const store = tabs[tab === 0 ? 0 : 1]
          const before = store.edit(CORE, property)
          if (moves && before !== undefined)
            store.applyAutomatically([
              { locator: CORE, property, next: { ...before, version: before.version + 1 } },
            ])
          else if (before !== undefined || value !== null) {
            put(store, property, value === null ? null : edit(value))
            typed.set(property, value)
          }
          if (delivers) deliver()
        }
        deliver()
        for (const [property, value] of typed)
          for (const store of [...tabs, open()]) {
            const { edit: last } = store.edit(CORE, property) ?? {}
            assert.deepEqual(last, value === null ? undefined : edit(value).edit)
          }
      }),
    )
  })
})

describe('what waits for a pause in typing', () => {
  const NAME = { locator: CORE, property: 'name' }
  const inputs: [name: string, (store: DraftStore) => unknown, left: string | undefined][] = [
    ['the focus of a field', (store) => store.enter(NAME), 'waiting'],
    [
      'a key',
      (store) =>
        store.type(NAME, edit('newer').edit, { saved: data('saved'), version: 4, isSensitive: false }),
      'newer',
    ],
    ['another decision', (store) => put(store, 'name', edit('newer')), 'newer'],
    ['undo', (store) => store.undo(), undefined],
    ['redo', (store) => store.redo(), 'waiting'],
    ['a review', (store) => store.flush(), 'waiting'],
    ['discarding all edits', (store) => store.clear(), undefined],
  ]
  for (const [name, input, left] of inputs)
    it(`becomes part of the draft before ${name}`, () => {
      const store = browser().open()
      let isWaiting = true
      const apply = () => {
        if (!isWaiting) return
        isWaiting = false
        put(store, 'name', edit('waiting'))
      }
      store.beforeInput(apply)
      input(store)
      assert.equal(isWaiting, false)
      assert.deepEqual(store.edit(CORE, 'name'), left === undefined ? undefined : edit(left))
    })
})

describe('undo and redo', () => {
  const valueOf = (store: DraftStore, property: string) => {
    const held = store.edit(CORE, property)?.edit
    return held?.kind === 'set' && held.value['@type'] === 'Data' ? held.value.value : (held?.kind ?? null)
  }
  const type = (store: DraftStore, property: string, value: string, typedIn: unknown = null) =>
    store.type({ locator: CORE, property }, edit(value).edit, {
      saved: data('saved'),
      version: 4,
      isSensitive: false,
      typedIn,
    })

  it('takes back every change of the person, the last one first, and carries it out again', () => {
    const store = browser().open()
    type(store, 'host', 'a')
    type(store, 'host', 'b')
    put(store, 'port', edit('1'))
    store.clear()
    const seen = () => [valueOf(store, 'host'), valueOf(store, 'port')]
    assert.deepEqual(seen(), [null, null])
    assert.deepEqual(
      store.undo().map(({ property }) => property),
      ['host', 'port'],
    )
    assert.deepEqual(seen(), ['b', '1'])
    store.undo()
    assert.deepEqual(seen(), ['b', null])
    store.undo()
    assert.deepEqual(seen(), ['a', null])
    store.redo()
    store.redo()
    assert.deepEqual(seen(), ['b', '1'])
    // what is done now replaces what could be redone
    put(store, 'port', null)
    assert.deepEqual(store.redo(), [])
    store.undo()
    assert.deepEqual(seen(), ['b', '1'])
  })

  it('takes what is typed in one control as one change, until something else is done', () => {
    const store = browser().open()
    const [host, port] = [{}, {}]
    type(store, 'host', 'a', host)
    type(store, 'host', 'ab', host)
    type(store, 'port', '1', port)
    type(store, 'host', 'abc', host)
    store.undo()
    assert.equal(valueOf(store, 'host'), 'ab')
    store.undo()
    store.undo()
    assert.equal(valueOf(store, 'host'), null)
    // the control contains another text now, and typing in it is a new change
    type(store, 'host', 'x', host)
    store.undo()
    assert.equal(valueOf(store, 'host'), null)
  })

  it('passes over typing that was taken back in its field', () => {
    const store = browser().open()
    put(store, 'port', edit('1'))
    const host = {}
    type(store, 'host', 'a', host)
    type(store, 'host', 'saved', host)
    store.undo()
    assert.equal(valueOf(store, 'port'), null)
  })

  it('keeps no sensitive value, in neither direction', () => {
    const store = browser().open()
    const secret = edit('hunter2', { isSensitive: true })
    put(store, 'password', secret)
    store.apply([
      { locator: CORE, property: 'password', next: null },
      { locator: CORE, property: 'host', next: edit('a') },
    ])
    assert.doesNotMatch(JSON.stringify(store.lastChange()), /hunter2/)
    store.undo()
    assert.equal(valueOf(store, 'host'), null)
    assert.equal(valueOf(store, 'password'), null)
    assert.equal(store.lastChange(), undefined)
  })

  it('ends with a save, and is not changed by what the page does', () => {
    const store = browser().open()
    put(store, 'host', edit('a'))
    const moved = edit('a', { version: 5 })
    store.applyAutomatically([{ locator: CORE, property: 'host', next: moved }])
    store.undo()
    assert.equal(valueOf(store, 'host'), null)
    store.redo()
    // it keeps its base, so it is merged again
    assert.equal(store.edit(CORE, 'host')?.version, 4)
    store.drop(store.current())
    assert.equal(store.lastChange(), undefined)
  })

  it('leaves alone what another tab has changed since', () => {
    const { open, deliver } = browser()
    const [one, other] = [open(), open()]
    put(one, 'host', edit('mine'))
    one.apply([
      { locator: CORE, property: 'host', next: edit('more') },
      { locator: CORE, property: 'port', next: edit('1') },
    ])
    deliver()
    put(other, 'host', edit('other'))
    deliver()
    one.undo()
    assert.deepEqual([valueOf(one, 'host'), valueOf(one, 'port')], ['other', null])
    assert.deepEqual(one.undo(), [])
  })
})
