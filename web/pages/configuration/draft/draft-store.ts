import type { PropertyView } from '#contract/console-api/shapes.ts'
import type { Edit } from '../../../forms/property/property-edit.ts'
import { ActiveFields, type ActiveField } from './active-fields.ts'
import {
  allEdits,
  editAt,
  editOn,
  EMPTY,
  isSamePlace,
  applyStep,
  countEdits,
  type Base,
  type Draft,
  type DraftEdit,
  type DraftStep,
} from './draft.ts'
import { UndoStack, type DraftChange } from './undo-stack.ts'
import { storedName, readEdit, writeEdit } from './stored-draft.ts'
import { placeOf, type PropertyPlace } from '../../../forms/property/property-place.ts'

/**
 * Stores the edits of a draft, each under its own name, so that two tabs never write the same item unless they edit the
 * same property. It is the browser's storage, which may be missing, full, or cleared at any time.
 */
export interface DraftStorage {
  names: () => readonly string[]
  read: (name: string) => string | null
  /** Returns false if the text could not be stored. */
  write: (name: string, text: string | null) => boolean
  /** What the edited change request asked for. It is kept as long as any edit is. */
  readAsked: () => string | null
  writeAsked: (asked: string) => void
}

/** What the notice reports after the page has moved to a new snapshot automatically. */
export interface News {
  version: number
  savedBy: string
  /** The person's edits that turned out to be saved already. */
  alreadySaved: number
  /** The person's edits that are now based on the new snapshot. */
  edits: number
}

const DEBOUNCE_MS = 250

/** The cause of a step: input in its field, another decision of the person, undo or redo, or the page. */
type Origin = 'key' | 'person' | 'undo' | 'automatic'

/**
 * The edits of one person in one scope. They belong to the person, not to the tab: each tab stores an edit at once and
 * adopts the edits of other tabs. Automatic changes of a tab yield to what the person did in another tab, even before
 * this tab has been notified. Sensitive edits exist only in the memory of this tab.
 */
export class DraftStore {
  private draft: Draft
  private debounced: Draft
  private lost: readonly PropertyPlace[]
  private news: News | null = null
  private clears = 0
  private asked: string | null
  /** Whether all edits are what a change request asks for, of which the person has changed nothing. */
  private isUntouched = false
  private readonly active = new ActiveFields()
  private readonly changes = new UndoStack()
  /** What the storage has of each edit, as this tab last read or wrote it. */
  private readonly texts = new Map<string, string | null>()
  /** Edits that the browser refused to store. */
  private readonly refused = new Set<string>()
  private readonly listeners = new Set<() => void>()
  private readonly watchers = new Map<string, Set<() => void>>()
  private readonly editWatchers = new Set<(places: readonly PropertyPlace[]) => void>()
  private readonly earlier = new Set<() => void>()
  private flushTimer: ReturnType<typeof setTimeout> | undefined
  private readonly storage: DraftStorage

  constructor(storage: DraftStorage) {
    this.storage = storage
    this.asked = storage.readAsked()
    const stored = storage.names().flatMap((name) => {
      const place = placeOf(name)
      const edit = readEdit(this.read(name))
      return place === null || edit === null ? [] : [{ ...place, edit }]
    })
    this.lost = stored
      .filter(({ edit }) => edit === 'withheld')
      .map(({ locator, property }) => ({ locator, property }))
    this.draft = applyStep(
      EMPTY,
      stored.map(({ edit, ...place }) => ({ ...place, next: edit === 'withheld' ? null : edit })),
    )
    this.debounced = this.draft
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /** Subscribes to one property, so that of two hundred fields only the edited one is rendered. */
  watch(locator: string, property: string, listener: () => void): () => void {
    const key = storedName({ locator, property })
    const watchers = this.watchers.get(key) ?? new Set()
    this.watchers.set(key, watchers.add(listener))
    return () => {
      watchers.delete(listener)
      if (watchers.size === 0) this.watchers.delete(key)
    }
  }

  /** Calls back with the places of edits that changed in any way other than typing in their field. */
  watchEdits(listener: (places: readonly PropertyPlace[]) => void): () => void {
    this.editWatchers.add(listener)
    return () => this.editWatchers.delete(listener)
  }

  /**
   * Calls back before the person does something else, to make what was typed before it part of the draft. So the edits
   * are made in the order in which the person made them.
   */
  beforeInput(listener: () => void): () => void {
    this.earlier.add(listener)
    return () => this.earlier.delete(listener)
  }

  readonly current = (): Draft => this.draft

  /**
   * The draft as of the last pause in typing, for everything except the field itself, so that the page need not count,
   * validate and compare all edits on each key press. The set of edited properties is always current.
   */
  readonly debouncedDraft = (): Draft => this.debounced

  /** Makes everything that was typed part of the draft and of the debounced draft. */
  flush(): void {
    this.settle()
    clearTimeout(this.flushTimer)
    this.flushTimer = undefined
    if (this.debounced === this.draft) return
    this.debounced = this.draft
    this.notify([])
  }

  edit(locator: string, property: string): DraftEdit | undefined {
    return editAt(this.draft, locator, property)
  }

  /** Sensitive values that were typed earlier and could not be kept. */
  readonly notKept = (): readonly PropertyPlace[] => this.lost

  activeAt(locator: string, property: string): ActiveField | undefined {
    return this.active.at({ locator, property })
  }

  readonly typedIn = this.active.typedIn

  /** The resource of the focused field. */
  readonly activeLocator = (): string | undefined => this.active.newest()?.locator

  activeProperty(locator: string): string | undefined {
    const newest = this.active.newest()
    return newest?.locator === locator ? newest.property : undefined
  }

  /** Called when a field gets the focus. */
  enter(place: PropertyPlace): void {
    if (this.active.at(place) !== undefined) return
    this.settle()
    this.active.enter(place)
    this.notify([place])
  }

  /** Called when a field loses the focus: it then shows the saved value or the edit. */
  leave(place: PropertyPlace): void {
    const field = this.active.at(place)
    if (field === undefined) return
    const { locator, property } = place
    const next = this.edit(locator, property) ?? null
    // what another tab has written over it is older
    if (
      field.began !== null &&
      this.storage.read(storedName(place)) !== (next === null ? null : writeEdit(next))
    )
      this.write({ locator, property, next })
    this.active.leave(place)
    this.notify([place])
  }

  /** Called when the form is unmounted with all its fields. */
  leaveAll(): void {
    for (const place of this.active.all()) this.leave(place)
  }

  /**
   * Stores the content of a field, with the base of its edit or of the typed text. Returns the edit, or null if there
   * is none.
   *
   * @param typedIn the text control that has the focus, which has an undo of its own; null for any other control.
   */
  type(
    { locator, property }: PropertyPlace,
    edit: Edit,
    {
      saved,
      version,
      isSensitive,
      typedIn = null,
    }: { saved: PropertyView | null; version: number; isSensitive: boolean; typedIn?: unknown },
  ): DraftEdit | null {
    this.settle()
    const active = this.activeAt(locator, property)
    const from: Base = this.edit(locator, property) ?? active?.began ?? { base: saved, version }
    if (active !== undefined) this.active.type(active, from)
    const next = editOn(from, edit, { saved, isSensitive })
    this.put([{ locator, property, next }], 'key', typedIn)
    return next
  }

  /** @param typedIn what the person types in, if the step is one of many. */
  apply(step: DraftStep, typedIn: unknown = null): void {
    this.settle()
    this.change(step, 'person', typedIn)
  }

  /** Takes back what the person did last. Returns the places that changed. */
  undo(): readonly PropertyPlace[] {
    this.settle()
    const step = this.changes.undo() ?? []
    this.change(step, 'undo')
    return step
  }

  redo(): readonly PropertyPlace[] {
    this.settle()
    const step = this.changes.redo() ?? []
    this.change(step, 'undo')
    return step
  }

  /** The change that `undo` would take back. */
  readonly lastChange = (): DraftChange | undefined => this.changes.last()

  canRedo(): boolean {
    return this.changes.canRedo()
  }

  /**
   * Applies the consequences of a save. An edit that the person has changed in another tab is not touched. An edit that
   * moves to a newer snapshot is not stored: what another tab did to it may not have arrived here, and would be undone.
   * A reload moves it again.
   */
  applyAutomatically(step: DraftStep): void {
    this.change(step, 'automatic')
  }

  /** What the edited change request asked for when it was last taken over; null if it never was. */
  readonly lastAsked = (): string | null => this.asked

  /**
   * Takes over what the edited change request asks for. It is stored, so that a later visit can merge, once the person
   * has changed something: looking at a request leaves nothing in the browser.
   */
  takeAsked(asked: string, step: DraftStep): void {
    this.asked = asked
    if (countEdits(this.draft) === 0) this.isUntouched = true
    if (this.isUntouched) return this.change(step, 'automatic')
    this.storage.writeAsked(asked)
    this.change(step, 'person')
  }

  private change(step: DraftStep, origin: Origin, typedIn: unknown = null): void {
    if (step.length === 0) return
    for (const place of step) if (this.active.at(place)?.began) this.active.enter(place)
    this.put(step, origin, typedIn)
  }

  private put(step: DraftStep, origin: Origin, typedIn: unknown = null): void {
    if (origin === 'key' || origin === 'person')
      this.changes.record(step, ({ locator, property }) => this.edit(locator, property) ?? null, typedIn)

    const isTyping =
      origin === 'key' &&
      step.every(({ locator, property, next }) => next !== null && this.edit(locator, property) !== undefined)
    const late = origin === 'automatic' ? step.filter((part) => this.isBehind(part)) : []
    const own = step.filter((part) => !late.includes(part))
    for (const part of own) if (origin !== 'automatic' || part.next === null) this.write(part)
    this.draft = applyStep(this.draft, [...own, ...late.map((part) => this.stored(part))])
    if (!isTyping) this.debounced = this.draft
    if (origin !== 'automatic' && this.isUntouched) {
      this.isUntouched = false
      this.storeAll()
    }
    if (this.lost.length > 0)
      this.lost = this.lost.filter((place) => !step.some((one) => isSamePlace(one, place)))
    if (origin !== 'key') this.notifyEditWatchers(step)
    this.notify(step)
    clearTimeout(this.flushTimer)
    if (isTyping) this.flushTimer = setTimeout(() => this.flush(), DEBOUNCE_MS)
  }

  /** Removes the edits that were sent, except those that have changed since. */
  drop(sent: Draft): void {
    // what is saved is undone in the history
    this.changes.clear()
    this.applyAutomatically(
      allEdits(sent)
        .filter(({ locator, property }) => this.edit(locator, property) === editAt(sent, locator, property))
        .map(({ locator, property }) => ({ locator, property, next: null })),
    )
  }

  /** Discards all edits. */
  clear(): void {
    this.settle()
    this.clears += 1
    this.apply(allEdits(this.draft).map(({ locator, property }) => ({ locator, property, next: null })))
    this.dismissNotKept()
  }

  /** How often the person has discarded all edits. */
  readonly timesCleared = (): number => this.clears

  dismissNotKept(): void {
    for (const place of this.lost) this.storage.write(storedName(place), null)
    this.lost = []
    this.notify()
  }

  readonly currentNews = (): News | null => this.news

  setNews(news: News | null): void {
    if (news === this.news) return
    this.news = news
    this.notify([])
  }

  hasSensitive(): boolean {
    return allEdits(this.draft).some(({ isSensitive }) => isSensitive)
  }

  /** False while the browser refuses to store an edit, which then exists only in the memory of this page. */
  isStored(): boolean {
    return this.refused.size === 0
  }

  /** Stores everything again after the storage was cleared, which does not discard edits. */
  storeAll(): void {
    if (this.isUntouched) return
    for (const { locator, property } of allEdits(this.draft))
      this.write({ locator, property, next: this.edit(locator, property) ?? null })
    if (this.asked !== null) this.storage.writeAsked(this.asked)
  }

  /** Adopts an edit that another tab has written or removed, except while the person is typing in its field. */
  syncFromStorage(name: string): void {
    const place = placeOf(name)
    if (place === null || this.active.at(place)?.began) return
    const before = this.edit(place.locator, place.property)
    const { next } = this.stored(place)
    if (before === (next ?? undefined)) {
      // each tab has its own sensitive value; the storage only records that one exists
      if (before?.isSensitive === true) this.write({ ...place, next })
      return
    }
    this.changes.forget(place)
    this.draft = applyStep(this.draft, [{ ...place, next }])
    this.debounced = this.draft
    this.notifyEditWatchers([place])
    this.notify([place])
  }

  private write({ locator, property, next }: DraftStep[number]): void {
    const name = storedName({ locator, property })
    const text = next === null ? null : writeEdit(next)
    if (!this.storage.write(name, text)) return void this.refused.add(name)
    this.refused.delete(name)
    this.texts.set(name, text)
  }

  private read(name: string): string | null {
    const text = this.storage.read(name)
    this.texts.set(name, text)
    return text
  }

  /** Whether another tab has changed an edit since this tab last read it. */
  private isBehind({ locator, property }: PropertyPlace): boolean {
    const known = this.edit(locator, property)
    if (known === undefined || known.isSensitive || !this.isStored()) return false
    const name = storedName({ locator, property })
    return this.storage.read(name) !== (this.texts.get(name) ?? null)
  }

  /** The stored edit, as the same object if it has not changed; a sensitive one as it is in this tab. */
  private stored({ locator, property }: PropertyPlace): DraftStep[number] {
    const known = this.edit(locator, property)
    const name = storedName({ locator, property })
    const before = this.texts.get(name)
    const text = this.read(name)
    if (known !== undefined && (known.isSensitive || text === before))
      return { locator, property, next: known }
    const read = readEdit(text)
    return { locator, property, next: read === 'withheld' ? null : read }
  }

  private settle(): void {
    for (const listener of this.earlier) listener()
  }

  private notifyEditWatchers(places: readonly PropertyPlace[]): void {
    for (const listener of this.editWatchers) listener(places)
  }

  private notify(places?: readonly PropertyPlace[]): void {
    const keys = places === undefined ? [...this.watchers.keys()] : places.map(storedName)
    for (const key of new Set(keys)) for (const listener of this.watchers.get(key) ?? []) listener()
    for (const listener of this.listeners) listener()
  }
}
