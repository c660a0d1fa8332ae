import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { PropertyView, Snapshot } from '#contract/console-api/shapes.ts'
import type { JsonValue } from '#contract/json-schema/json.ts'
import type { Side } from '#contract/json-schema/merge-json.ts'
import type { Edit } from '../../../forms/property/property-edit.ts'
import {
  allEdits,
  draftChanges,
  editAt,
  editOn,
  EMPTY,
  applyStep,
  viewAt,
  type Draft,
  type DraftEdit,
} from './draft.ts'
import {
  chooseSide,
  countOpen,
  mergeDraft,
  movesAutomatically,
  openPaths,
  rebase,
  isCurrentChoice,
  touchesOf,
  type SideChoice,
  type Merged,
} from './merge.ts'
import { configuration, CORE, data, define, hidden, MAIL, resource, snapshot } from '../testing.ts'

const setTo = (value: JsonValue): Edit => ({ kind: 'set', value: { '@type': 'Data', value } })
const edited = (edit: Edit, base: PropertyView | null, version = 1): DraftEdit => ({
  edit,
  base,
  version,
  isSensitive: false,
})
const draftOf = (property: string, edit: DraftEdit): Draft => ({ [CORE]: { [property]: edit } })
const none = () => undefined
const take = (of: Merged, side: Side): SideChoice => chooseSide(of, side, openPaths(of))
const only = (merged: readonly Merged[]): Merged => {
  assert.equal(merged.length, 1)
  const [one] = merged
  assert.ok(one)
  return one
}

describe('merging an edit with what others saved', () => {
  const at = (version: number, value: PropertyView | null) =>
    configuration(version, {
      [CORE]: resource({
        definitions: { p: define() },
        properties: value === null ? {} : { p: value },
      }),
    })

  it('keeps mine where they left the property unchanged', () => {
    const draft = draftOf('p', edited(setTo(2), data(1)))
    const merged = mergeDraft(draft, at(3, data(1)), touchesOf([], 1))
    assert.equal(only(merged).verdict.kind, 'kept')
    const next = applyStep(draft, rebase(merged, none, 3))
    assert.deepEqual(editAt(next, CORE, 'p'), edited(setTo(2), data(1), 3))
  })

  it('discards mine where they saved the same value', () => {
    const draft = draftOf('p', edited(setTo(2), data(1)))
    const merged = mergeDraft(draft, at(3, data(2)), touchesOf([], 1))
    assert.equal(only(merged).verdict.kind, 'same')
    assert.deepEqual(applyStep(draft, rebase(merged, none, 3)), EMPTY)
  })

  it('needs a choice where both changed it, and names the other person', () => {
    const draft = draftOf('p', edited(setTo(2), data(1)))
    const history = [snapshot(3, [{ locator: CORE, property: 'p', before: data(1), after: data(9) }])]
    const merged = mergeDraft(draft, at(3, data(9)), touchesOf(history, 1))
    const { verdict } = only(merged)
    assert.equal(verdict.kind === 'conflict' && verdict.by?.savedBy.name, 'Ling Zhao')
    assert.deepEqual(applyStep(draft, rebase(merged, none, 3)), draft)
  })

  it('applies theirs, mine, or a third value as chosen', () => {
    const draft = draftOf('p', edited(setTo(2), data(1)))
    const merged = mergeDraft(draft, at(3, data(9)), touchesOf([], 1))
    const of = only(merged)
    const after = (choice: SideChoice) =>
      applyStep(
        draft,
        rebase(merged, () => choice, 3),
      )
    assert.deepEqual(after(take(of, 'theirs')), EMPTY)
    assert.deepEqual(after(take(of, 'base')), draftOf('p', edited(setTo(1), data(9), 3)))
    assert.deepEqual(after(take(of, 'mine')), draftOf('p', edited(setTo(2), data(9), 3)))
    assert.deepEqual(after({ of, take: 'other', edit: setTo(5) }), draftOf('p', edited(setTo(5), data(9), 3)))
    assert.deepEqual(after({ of, take: 'other', edit: setTo(9) }), EMPTY)
  })

  it('invalidates a choice when they save again', () => {
    const draft = draftOf('p', edited(setTo(2), data(1)))
    const before = only(mergeDraft(draft, at(3, data(9)), touchesOf([], 1)))
    const now = mergeDraft(draft, at(4, data(10)), touchesOf([], 1))
    const choice = take(before, 'mine')
    const secret: Draft = draftOf('p', { ...edited(setTo(2), hidden(true)), isSensitive: true })
    const replaced = (version: number) =>
      only(
        mergeDraft(
          secret,
          at(version, hidden(true)),
          touchesOf([snapshot(version, [{ locator: CORE, property: 'p', before: null, after: null }])], 1),
        ),
      )
    assert.equal(isCurrentChoice(take(replaced(3), 'mine'), replaced(4)), false)
    assert.equal(isCurrentChoice(take(replaced(3), 'mine'), replaced(3)), true)
    assert.equal(isCurrentChoice(choice, only(now)), false)
    assert.equal(countOpen(only(now), choice), 1)
    assert.deepEqual(
      applyStep(
        draft,
        rebase(now, () => choice, 4),
      ),
      draft,
    )
  })

  it('joins changes of different leaves, and asks only for those that both changed', () => {
    const base = { city: 'Hamburg', vat: '', tags: ['a'] }
    const draft = draftOf('p', edited(setTo({ ...base, city: 'Kiel', vat: 'DE1' }), data(base)))
    const after = (theirs: JsonValue, side: Side | null) => {
      const merged = mergeDraft(draft, at(3, data(theirs)), touchesOf([], 1))
      const of = only(merged)
      const choice = side === null ? undefined : take(of, side)
      return {
        kind: of.verdict.kind,
        open: countOpen(of, choice),
        draft: applyStep(
          draft,
          rebase(merged, () => choice, 3),
        ),
      }
    }
    const theirs = { ...base, tags: ['a', 'b'] }
    assert.deepEqual(after(theirs, null), {
      kind: 'merged',
      open: 0,
      draft: draftOf('p', edited(setTo({ ...theirs, city: 'Kiel', vat: 'DE1' }), data(theirs), 3)),
    })
    const other = { ...theirs, city: 'Lübeck' }
    assert.deepEqual(after(other, null), { kind: 'conflict', open: 1, draft })
    assert.deepEqual(after(other, 'theirs'), {
      kind: 'conflict',
      open: 0,
      draft: draftOf('p', edited(setTo({ ...other, vat: 'DE1' }), data(other), 3)),
    })
    // they have made each of my changes
    assert.equal(after({ ...other, city: 'Kiel', vat: 'DE1' }, null).kind, 'same')
  })

  it('needs a choice for each leaf', () => {
    const draft = draftOf('p', edited(setTo({ a: 2, b: 2, c: 2 }), data({ a: 1, b: 1, c: 1 })))
    const theirs = data({ a: 3, b: 3, c: 1 })
    const merged = mergeDraft(draft, at(2, theirs), touchesOf([], 1))
    const of = only(merged)
    assert.deepEqual(openPaths(of), ['/a', '/b'])
    const first = chooseSide(of, 'theirs', ['/a'])
    assert.equal(countOpen(of, first), 1)
    assert.deepEqual(
      applyStep(
        draft,
        rebase(merged, () => first, 2),
      ),
      draft,
    )
    const both = chooseSide(of, 'mine', ['/b'], first)
    const next = applyStep(
      draft,
      rebase(merged, () => both, 2),
    )
    assert.deepEqual(editAt(next, CORE, 'p'), edited(setTo({ a: 3, b: 2, c: 2 }), theirs, 2))
  })

  it('ends an edit that equals its base again, whatever they saved', () => {
    const touches = touchesOf([], 1)
    for (const [mine, base, theirs] of [
      [setTo(1), data(1), data(9)],
      [setTo({ a: [1] }), data({ a: [1] }), data({ a: [1, 2] })],
      [setTo(1), data(1), null],
      [{ kind: 'removed' }, null, data(9)],
    ] as const) {
      const draft = draftOf('p', edited(mine, base))
      const merged = mergeDraft(draft, at(3, theirs), touches)
      assert.deepEqual(only(merged).verdict, { kind: 'undone' })
      assert.equal(movesAutomatically(merged, touches, []), true)
      assert.equal(movesAutomatically(merged, touches, [{ locator: CORE, property: 'p' }]), false)
      assert.deepEqual(applyStep(draft, rebase(merged, none, 3)), EMPTY)
    }
    const hiddenBase = draftOf('p', { ...edited(setTo(1), hidden(true)), isSensitive: true })
    assert.notEqual(only(mergeDraft(hiddenBase, at(3, hidden(true)), touches)).verdict.kind, 'undone')
  })

  it('detects the change of a hidden value from the history only', () => {
    const mine: DraftEdit = { edit: setTo(2), base: hidden(true), version: 1, isSensitive: true }
    const draft = draftOf('p', mine)
    const history = (property: string) => [
      snapshot(2, [{ locator: CORE, property, before: hidden(true), after: hidden(true) }]),
    ]
    const now = at(2, hidden(true))
    assert.equal(only(mergeDraft(draft, now, touchesOf(history('p'), 1))).verdict.kind, 'conflict')
    assert.equal(only(mergeDraft(draft, now, touchesOf(history('q'), 1))).verdict.kind, 'kept')
    assert.equal(only(mergeDraft(draft, now, null)).verdict.kind, 'conflict')
  })

  it('never discards automatically an edit that can no longer be saved', () => {
    const draft = draftOf('p', edited(setTo(2), data(1)))
    const gone = (resources: Parameters<typeof configuration>[1]) => {
      const merged = mergeDraft(draft, configuration(2, resources), touchesOf([], 1))
      assert.deepEqual(applyStep(draft, rebase(merged, none, 2)), draft)
      const of = only(merged)
      assert.equal(countOpen(of, take(of, 'mine')), 1)
      assert.deepEqual(
        applyStep(
          draft,
          rebase(merged, () => take(of, 'theirs'), 2),
        ),
        EMPTY,
      )
      return of.verdict
    }
    assert.deepEqual(gone({}), { kind: 'gone', why: 'resource' })
    assert.deepEqual(gone({ [CORE]: resource() }), { kind: 'gone', why: 'property' })
    assert.deepEqual(
      gone({ [CORE]: resource({ definitions: { p: define() }, writtenBy: { p: 'tenants' } }) }),
      { kind: 'gone', why: 'plugin' },
    )
  })

  it('moves automatically only past saves that touched none of my resources', () => {
    const draft = draftOf('p', edited(setTo(2), data(1)))
    const change = (locator: string, property: string) => [
      snapshot(2, [{ locator, property, before: null, after: data(1) }]),
    ]
    const moves = (history: Snapshot[]) => {
      const touches = touchesOf(history, 1)
      return movesAutomatically(mergeDraft(draft, at(2, data(1)), touches), touches, [])
    }
    assert.equal(moves(change(MAIL, 'x')), true)
    assert.equal(moves(change(CORE, 'other')), false)
    assert.equal(movesAutomatically(mergeDraft(draft, at(2, data(1)), null), null, []), false)
  })

  it('does not treat an edit as saved while it is being typed', () => {
    const draft = draftOf('p', edited(setTo(80), data(443)))
    const touches = touchesOf([], 1)
    const merged = mergeDraft(draft, at(2, data(80)), touches)
    assert.equal(only(merged).verdict.kind, 'same')
    assert.equal(movesAutomatically(merged, touches, [{ locator: CORE, property: 'p' }]), false)
    assert.equal(movesAutomatically(merged, touches, [{ locator: CORE, property: 'q' }]), true)
    assert.equal(movesAutomatically(merged, touches, []), true)
  })
})

// --- Any history of two people --------------------------------------------------------------------------------------

const PLAIN = ['a', 'b', 'c']
const SECRET = ['s', 't']
const PROPERTIES = [...PLAIN, ...SECRET]

/** The server, one person's page, and what that person knows. It shares no code with the tested module. */
class Simulation {
  version = 1
  readonly values = new Map<string, number | null>(PROPERTIES.map((name) => [name, 0]))
  readonly touched = new Map<string, number>(PROPERTIES.map((name) => [name, 1]))
  readonly history: Snapshot[] = []
  shown = this.configuration()
  private known = new Map<string, { value: number | null; touched: number }>()
  draft: Draft = EMPTY
  /** The values (and for hidden ones, the snapshots that set them) that I saw when I decided on mine. */
  readonly seen = new Map<string, { value: number | null; touched: number }[]>()
  readonly choices = new Map<string, SideChoice>()
  readonly mine = new Map<string, Edit>()

  configuration() {
    const properties = Object.fromEntries(
      PROPERTIES.flatMap((name) => {
        const view = this.viewOf(name)
        return view === null ? [] : [[name, view]]
      }),
    )
    const definitions = Object.fromEntries(
      PROPERTIES.map((name) => [name, define(SECRET.includes(name) ? { isSensitive: true } : {})]),
    )
    return configuration(this.version, { [CORE]: resource({ properties, definitions }) })
  }

  private viewOf(name: string): PropertyView | null {
    const value = this.values.get(name) ?? null
    if (SECRET.includes(name)) return hidden(value !== null)
    return value === null ? null : data(value)
  }

  write(changes: Record<string, number | null>): void {
    const real = Object.entries(changes).filter(([name, value]) => this.values.get(name) !== value)
    if (real.length === 0) return
    this.version += 1
    const before = new Map(real.map(([name]) => [name, this.viewOf(name)]))
    for (const [name, value] of real) {
      this.values.set(name, value)
      this.touched.set(name, this.version)
    }
    this.history.push(
      snapshot(
        this.version,
        real.map(([name]) => ({
          locator: CORE,
          property: name,
          before: before.get(name) ?? null,
          after: this.viewOf(name),
        })),
      ),
    )
  }

  constructor() {
    this.show()
  }

  private show(): void {
    this.shown = this.configuration()
    this.known = new Map(
      PROPERTIES.map((name) => [
        name,
        { value: this.values.get(name) ?? null, touched: this.touched.get(name) ?? 0 },
      ]),
    )
  }

  /** I look at the page's value of a property, which may be outdated. */
  private look(name: string): void {
    const now = this.known.get(name)
    if (now !== undefined) this.seen.set(name, [...(this.seen.get(name) ?? []), now])
  }

  edit(name: string, value: number | null): void {
    // a new edit is based on the displayed value, which an old page shows outdated
    const before = editAt(this.draft, CORE, name)
    const saved = viewAt(this.shown.resources[CORE], name)
    const base = before === undefined ? saved : before.base
    const version = before === undefined ? this.shown.snapshotVersion : before.version
    const edit: Edit = value === null ? { kind: 'removed' } : setTo(value)
    const isSensitive = SECRET.includes(name)
    const next = editOn({ base, version }, edit, { saved, isSensitive })
    if (before === undefined) {
      this.seen.delete(name)
      this.choices.delete(name)
      this.look(name)
    }
    this.draft = applyStep(this.draft, [{ locator: CORE, property: name, next }])
    if (next === null) this.mine.delete(name)
    else this.mine.set(name, edit)
  }

  private merged(): Merged[] {
    return mergeDraft(this.draft, this.shown, touchesOf(this.history, 0))
  }

  /** Chooses in the dialog. The choice is applied later, when they may have saved again. */
  decide(name: string, chosen: 'theirs' | 'mine' | 'other'): void {
    const of = this.merged().find((one) => one.property === name && one.verdict.kind === 'conflict')
    if (of === undefined) return
    this.look(name)
    this.choices.set(name, chosen === 'other' ? { of, take: chosen, edit: setTo(77) } : take(of, chosen))
  }

  sync(): void {
    this.show()
    const step = rebase(this.merged(), (one) => this.choices.get(one.property), this.version)
    const undone = step.filter(({ property: name }) => isUndone(editAt(this.draft, CORE, name)))
    this.draft = applyStep(this.draft, step)
    for (const { property: name } of step) {
      const choice = this.choices.get(name)
      const kept = editAt(this.draft, CORE, name)
      const isTheirs = choice?.take === 'sides' && choice.sides.get('') === 'theirs'
      if (isTheirs && kept === undefined) this.mine.delete(name)
      // it is not taken if the edit that it was chosen for has changed since
      if (
        choice?.take === 'other' &&
        (kept === undefined ? this.isSaved(name, choice.edit) : sameEdit(kept.edit, choice.edit))
      )
        this.mine.set(name, choice.edit)
      this.choices.delete(name)
    }
    for (const { property: name } of undone) this.mine.delete(name)
  }

  save(): void {
    const stands = allEdits(this.draft).every(({ version }) => version === this.shown.snapshotVersion)
    if (!stands || this.shown.snapshotVersion !== this.version) return
    const changes = draftChanges(this.draft)[CORE] ?? {}
    const writes: Record<string, number | null> = {}
    for (const [name, value] of Object.entries(changes)) {
      this.assertKnown(name)
      writes[name] = value === null ? null : Number(value['@type'] === 'Data' && value.value)
    }
    this.write(writes)
    this.draft = EMPTY
    this.mine.clear()
    this.choices.clear()
  }

  /** None of their values is undone unless I have seen it. */
  private assertKnown(name: string): void {
    const seen = this.seen.get(name) ?? []
    const isKnown = SECRET.includes(name)
      ? seen.some(({ touched }) => touched === this.touched.get(name))
      : seen.some(({ value }) => value === this.values.get(name))
    assert.ok(isKnown, `the value of ${name} was never seen`)
  }

  private isSaved(name: string, edit: Edit): boolean {
    const wanted = edit.kind === 'removed' ? null : edit.kind === 'set' && Number(valueIn(edit))
    return wanted === this.values.get(name)
  }

  /** None of my edits is lost: it is in the draft, or saved. */
  assertNothingLost(): void {
    for (const [name, edit] of this.mine) {
      const kept = editAt(this.draft, CORE, name)?.edit
      if (kept !== undefined) {
        assert.deepEqual(kept, edit)
        continue
      }
      assert.ok(this.isSaved(name, edit), `the edit of ${name} is lost`)
      // it has been saved; later changes are theirs
      this.mine.delete(name)
    }
  }
}

/** An edit back to the visible value that it started from. */
function isUndone(mine: DraftEdit | undefined): boolean {
  if (mine === undefined) return false
  const { base, edit } = mine
  if (edit.kind === 'removed') return base === null || ('isSet' in base && !base.isSet)
  return base !== null && edit.kind === 'set' && JSON.stringify(edit.value) === JSON.stringify(base)
}

const sameEdit = (one: Edit, other: Edit): boolean => JSON.stringify(one) === JSON.stringify(other)

const valueIn = (edit: Extract<Edit, { kind: 'set' }>) =>
  edit.value['@type'] === 'Data' ? edit.value.value : undefined

const property = fc.constantFrom(...PROPERTIES)
const value = fc.option(fc.integer({ min: 0, max: 3 }), { nil: null })
const action = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('edit' as const), property, value }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('theirs' as const),
      changes: fc.dictionary(property, value, { minKeys: 1, maxKeys: 3 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('decide' as const),
      property,
      take: fc.constantFrom('theirs' as const, 'mine' as const, 'other' as const),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('sync' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('save' as const) }) },
)

describe('any order of my edits, their saves, my choices and my saves', () => {
  it('loses none of my edits and undoes none of their values without a choice', () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 40 }), (actions) => {
        const world = new Simulation()
        for (const one of actions) {
          switch (one.kind) {
            case 'edit':
              world.edit(one.property, one.value)
              break
            case 'theirs':
              world.write(one.changes)
              break
            case 'decide':
              world.decide(one.property, one.take)
              break
            case 'sync':
              world.sync()
              world.assertNothingLost()
              break
            case 'save':
              world.save()
              break
          }
        }
      }),
      { numRuns: 3000 },
    )
  })
})
