import type { PropertyView } from '#contract/console-api/shapes.ts'
import type { Edit } from '../../../forms/property/edit.ts'
import { ActiveFields, type ActiveField } from './active-fields.ts'
import {
  allEdits,
  editAt,
  editOn,
  EMPTY,
  isSamePlace,
  applyStep,
  type Base,
  type Draft,
  type DraftEdit,
  type DraftStep,
  type PropertyPlace,
} from './draft.ts'
import { nameOf, placeOf, readEdit, writeEdit } from './stored-draft.ts'

/**
 * Where the edits of a draft are kept, each under a name of its own, so that two tabs never write the same unless they edit
 * the same: the browser's storage, which may be missing, full or cleared at any time.
 */
export interface DraftStorage {
  names: () => readonly string[]
  read: (name: string) => string | null
  /** False when it could not be stored. */
  write: (name: string, text: string | null) => boolean
}

/** What is told in one quiet line after the page moved to a new snapshot by itself. */
export interface News {
  version: number
  savedBy: string
  /** Edits of mine that turned out to be saved already. */
  alreadySaved: number
  /** Edits of mine that now stand on it. */
  edits: number
}

const DEBOUNCE_MS = 120

/** What causes a step: a key, another decision of the person, or the page itself. */
type Origin = 'key' | 'person' | 'automatic'

/**
 * The edits of one person in one scope. They belong to the person, not to the tab: each tab writes an edit at once and takes
 * over what others write. What a tab does by itself gives way to what the person did in another, also where it has not
 * heard of that yet. Sensitive edits are in the memory of this tab alone.
 */
export class DraftStore {
  private draft: Draft
  private debounced: Draft
  private lost: readonly PropertyPlace[]
  private news: News | null = null
  private readonly active = new ActiveFields()
  /** Edits that the browser refused to store. */
  private readonly refused = new Set<string>()
  private readonly listeners = new Set<() => void>()
  private readonly watchers = new Map<string, Set<() => void>>()
  private readonly editWatchers = new Set<(places: readonly PropertyPlace[]) => void>()
  private flushTimer: ReturnType<typeof setTimeout> | undefined
  private readonly storage: DraftStorage

  constructor(storage: DraftStorage) {
    this.storage = storage
    const stored = storage.names().flatMap((name) => {
      const place = placeOf(name)
      const edit = readEdit(storage.read(name))
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

  /** Told of one property alone: of two hundred fields only the one that is typed in has something to do. */
  watch(locator: string, property: string, listener: () => void): () => void {
    const key = nameOf({ locator, property })
    const watchers = this.watchers.get(key) ?? new Set()
    this.watchers.set(key, watchers.add(listener))
    return () => {
      watchers.delete(listener)
      if (watchers.size === 0) this.watchers.delete(key)
    }
  }

  /** Calls back with the places of edits that changed in any other way than by typing in their field. */
  watchEdits(listener: (places: readonly PropertyPlace[]) => void): () => void {
    this.editWatchers.add(listener)
    return () => this.editWatchers.delete(listener)
  }

  readonly current = (): Draft => this.draft

  /**
   * The draft as it stands when the typing rests, for everything but the field itself: a page that counts, judges and
   * compares all edits need not do so with every key. Which properties are edited is never late.
   */
  readonly debouncedDraft = (): Draft => this.debounced

  flush(): void {
    clearTimeout(this.flushTimer)
    this.flushTimer = undefined
    if (this.debounced === this.draft) return
    this.debounced = this.draft
    this.notify([])
  }

  edit(locator: string, property: string): DraftEdit | undefined {
    return editAt(this.draft, locator, property)
  }

  /** Sensitive values that were typed before and could not be kept. */
  readonly notKept = (): readonly PropertyPlace[] => this.lost

  activeAt(locator: string, property: string): ActiveField | undefined {
    return this.active.at({ locator, property })
  }

  readonly typedIn = this.active.typedIn

  /** The resource and the property of the field with the focus. */
  readonly activeLocator = (): string | undefined => this.active.newest()?.locator

  activeProperty(locator: string): string | undefined {
    const newest = this.active.newest()
    return newest?.locator === locator ? newest.property : undefined
  }

  /** Called when a field gets the focus. */
  enter(place: PropertyPlace): void {
    if (this.active.at(place) !== undefined) return
    this.active.enter(place)
    this.notify([place])
  }

  /** Called when a field loses the focus: it then shows the saved value or the edit. */
  leave(place: PropertyPlace): void {
    const field = this.active.at(place)
    if (field === undefined) return
    const { locator, property } = place
    const next = this.edit(locator, property) ?? null
    // what another tab has written over it was older
    if (field.began !== null && this.storage.read(nameOf(place)) !== (next === null ? null : writeEdit(next)))
      this.write({ locator, property, next })
    this.active.leave(place)
    this.notify([place])
  }

  /** Called when the form is removed, with all of its fields. */
  leaveAll(): void {
    for (const place of this.active.all()) this.leave(place)
  }

  /** Stores the content of a field, with the base of its edit or of the typing. Returns the edit, null where there is none. */
  type(
    { locator, property }: PropertyPlace,
    edit: Edit,
    { saved, version, isSensitive }: { saved: PropertyView | null; version: number; isSensitive: boolean },
  ): DraftEdit | null {
    const active = this.activeAt(locator, property)
    const from: Base = this.edit(locator, property) ?? active?.began ?? { base: saved, version }
    if (active !== undefined) this.active.type(active, from)
    const next = editOn(from, edit, { saved, isSensitive })
    this.put([{ locator, property, next }], 'key')
    return next
  }

  apply(step: DraftStep): void {
    this.change(step, 'person')
  }

  /** Applies the consequences of a save; an edit that the person has changed in another tab stays as it is there. */
  applyAutomatically(step: DraftStep): void {
    this.change(step, 'automatic')
  }

  private change(step: DraftStep, origin: Origin): void {
    if (step.length === 0) return
    for (const place of step) if (this.active.at(place)?.began) this.active.enter(place)
    this.put(step, origin)
  }

  private put(step: DraftStep, origin: Origin): void {
    const isTyping =
      origin === 'key' &&
      step.every(({ locator, property, next }) => next !== null && this.edit(locator, property) !== undefined)
    const late = origin === 'automatic' ? step.filter((part) => this.isBehind(part)) : []
    const own = step.filter((part) => !late.includes(part))
    for (const part of own) this.write(part)
    this.draft = applyStep(this.draft, [...own, ...late.map((part) => this.stored(part))])
    if (!isTyping) this.debounced = this.draft
    this.lost = this.lost.filter((place) => !step.some((one) => isSamePlace(one, place)))
    if (origin !== 'key') this.notifyEditWatchers(step)
    this.notify(step)
    clearTimeout(this.flushTimer)
    if (isTyping) this.flushTimer = setTimeout(() => this.flush(), DEBOUNCE_MS)
  }

  /** Takes edits out, but only those that are still what was sent: what was typed since stays. */
  drop(sent: Draft): void {
    this.applyAutomatically(
      allEdits(sent)
        .filter(({ locator, property }) => this.edit(locator, property) === editAt(sent, locator, property))
        .map(({ locator, property }) => ({ locator, property, next: null })),
    )
  }

  clear(): void {
    this.apply(allEdits(this.draft).map(({ locator, property }) => ({ locator, property, next: null })))
    this.dismissNotKept()
  }

  dismissNotKept(): void {
    for (const place of this.lost) this.storage.write(nameOf(place), null)
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

  /** Stores everything again after the storage was cleared: that does not discard edits. */
  storeAll(): void {
    for (const { locator, property } of allEdits(this.draft))
      this.write({ locator, property, next: this.edit(locator, property) ?? null })
  }

  /** Takes over an edit that another tab wrote or removed, except where the person is typing. */
  syncFromStorage(name: string): void {
    const place = placeOf(name)
    if (place === null || this.active.at(place)?.began) return
    const before = this.edit(place.locator, place.property)
    const { next } = this.stored(place)
    if (before === (next ?? undefined)) {
      // each tab has its own sensitive value; the storage only records that there is one
      if (before?.isSensitive === true) this.write({ ...place, next })
      return
    }
    this.draft = applyStep(this.draft, [{ ...place, next }])
    this.debounced = this.draft
    this.notifyEditWatchers([place])
    this.notify([place])
  }

  private write({ locator, property, next }: DraftStep[number]): void {
    const name = nameOf({ locator, property })
    if (this.storage.write(name, next === null ? null : writeEdit(next))) this.refused.delete(name)
    else this.refused.add(name)
  }

  /** Whether another tab has changed an edit since this one last read it. */
  private isBehind({ locator, property }: PropertyPlace): boolean {
    const known = this.edit(locator, property)
    if (known === undefined || known.isSensitive || !this.isStored()) return false
    return this.storage.read(nameOf({ locator, property })) !== writeEdit(known)
  }

  /** The stored edit, as the identical object where it has not changed; a sensitive one as it is in this tab. */
  private stored({ locator, property }: PropertyPlace): DraftStep[number] {
    const known = this.edit(locator, property)
    const read = readEdit(this.storage.read(nameOf({ locator, property })))
    const isKnown =
      known !== undefined &&
      (known.isSensitive || (read !== null && read !== 'withheld' && writeEdit(read) === writeEdit(known)))
    return { locator, property, next: isKnown ? known : read === 'withheld' ? null : read }
  }

  private notifyEditWatchers(places: readonly PropertyPlace[]): void {
    for (const listener of this.editWatchers) listener(places)
  }

  private notify(places?: readonly PropertyPlace[]): void {
    const keys = places === undefined ? [...this.watchers.keys()] : places.map(nameOf)
    for (const key of new Set(keys)) for (const listener of this.watchers.get(key) ?? []) listener()
    for (const listener of this.listeners) listener()
  }
}
