import type { PropertyView } from '#contract/console-api/shapes.ts'
import type { Edit } from '../../../forms/edit.ts'
import {
  allEdits,
  countEdits,
  editAt,
  editOn,
  EMPTY,
  isSamePlace,
  takeStep,
  type Base,
  type Draft,
  type DraftEdit,
  type DraftStep,
  type PropertyPlace,
} from './draft.ts'
import { readDraft, writeDraft } from './stored-draft.ts'

/** Where drafts are kept; the browser's storage, which may be missing, full or cleared at any time. */
export interface Keeper {
  read: () => string | null
  write: (text: string | null) => void
}

/** Something that the server said of an edit; void as soon as the edit is another. */
export type Remark = PropertyPlace & { message: string; of: DraftEdit | undefined }

/** The field that has the focus. */
export interface ActiveField extends PropertyPlace {
  /**
   * What the typing in it began from; null until something is typed. The field shows it, and not what others save
   * meanwhile, also where nothing is left of the edit: the text under the caret never changes between two keys.
   */
  began: Base | null
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

const KEEP_MS = 250
const SETTLE_MS = 120

/**
 * The edits of one person in one scope. They belong to the person, not to the tab: every tab writes only the properties
 * that were edited in it into what is kept, and takes over what others wrote, so that two tabs never undo one another.
 * Sensitive edits are in the memory of this tab alone.
 */
export class DraftStore {
  private draft: Draft
  private resting: Draft
  private lost: readonly PropertyPlace[]
  private remarks: readonly Remark[] = []
  private news: News | null = null
  private active: ActiveField | null = null
  private readonly unkept = new Map<string, PropertyPlace>()
  private readonly listeners = new Set<() => void>()
  private readonly watchers = new Map<string, Set<() => void>>()
  private timer: ReturnType<typeof setTimeout> | undefined
  private settling: ReturnType<typeof setTimeout> | undefined
  private readonly keeper: Keeper

  constructor(keeper: Keeper) {
    this.keeper = keeper
    const { edits, withheld } = readDraft(keeper.read())
    this.draft = edits
    this.resting = edits
    this.lost = withheld
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /** Told of one property alone: of two hundred fields only the one that is typed in has something to do. */
  watch(locator: string, property: string, listener: () => void): () => void {
    const key = keyOf({ locator, property })
    const watchers = this.watchers.get(key) ?? new Set()
    this.watchers.set(key, watchers.add(listener))
    return () => {
      watchers.delete(listener)
      if (watchers.size === 0) this.watchers.delete(key)
    }
  }

  readonly current = (): Draft => this.draft

  /**
   * The draft as it stands when the typing rests, for everything but the field itself: a page that counts, judges and
   * compares all edits need not do so with every key. Which properties are edited is never late.
   */
  readonly settled = (): Draft => this.resting

  settle(): void {
    clearTimeout(this.settling)
    this.settling = undefined
    if (this.resting === this.draft) return
    this.resting = this.draft
    this.tell([])
  }

  edit(locator: string, property: string): DraftEdit | undefined {
    return editAt(this.draft, locator, property)
  }

  /** Sensitive values that were typed before and could not be kept. */
  readonly notKept = (): readonly PropertyPlace[] => this.lost

  readonly currentRemarks = (): readonly Remark[] => this.remarks

  remark(locator: string, property: string): Remark | undefined {
    return this.remarks.find((remark) => remark.locator === locator && remark.property === property)
  }

  /** The active field, if it is this one. */
  activeAt(locator: string, property: string): ActiveField | undefined {
    return this.active !== null && isSamePlace(this.active, { locator, property }) ? this.active : undefined
  }

  /** The active field as soon as something was typed in it. */
  readonly typedIn = (): ActiveField | null =>
    this.active === null || this.active.began === null ? null : this.active

  /** Called when a field gets the focus. */
  enter(place: PropertyPlace): void {
    if (this.activeAt(place.locator, place.property) === undefined) this.activate({ ...place, began: null })
  }

  /** The focus is in no field any more: each shows what is saved, or my edit. */
  leave(): void {
    if (this.active !== null) this.activate(null)
  }

  /** Stores the content of a field, with the base of its edit or of the typing. */
  type(
    { locator, property }: PropertyPlace,
    edit: Edit,
    { saved, version, isSensitive }: { saved: PropertyView | null; version: number; isSensitive: boolean },
  ): void {
    const active = this.activeAt(locator, property)
    const from: Base = this.edit(locator, property) ?? active?.began ?? { base: saved, version }
    const next = editOn(from, edit, { saved, isSensitive })
    this.put([{ locator, property, next }], active === undefined ? this.active : typedFrom(active, from))
  }

  take(step: DraftStep): void {
    if (step.length === 0) return
    const { active } = this
    const isDecided = active !== null && step.some((place) => isSamePlace(place, active))
    this.put(step, isDecided ? { ...active, began: null } : active)
  }

  private put(step: DraftStep, active: ActiveField | null): void {
    const isTyping = step.every(
      ({ locator, property, next }) => next !== null && this.edit(locator, property) !== undefined,
    )
    this.draft = takeStep(this.draft, step)
    this.active = active
    if (!isTyping) this.resting = this.draft
    for (const { locator, property } of step) this.unkept.set(`${locator} ${property}`, { locator, property })
    this.lost = this.lost.filter((place) => !step.some((one) => isSamePlace(one, place)))
    this.remarks = this.remarks.filter((remark) => this.edit(remark.locator, remark.property) === remark.of)
    this.tell(step)
    this.timer ??= setTimeout(() => this.keep(), KEEP_MS)
    clearTimeout(this.settling)
    if (isTyping) this.settling = setTimeout(() => this.settle(), SETTLE_MS)
  }

  /** Takes edits out, but only those that are still what was sent: what was typed since stays. */
  drop(sent: Draft): void {
    this.take(
      allEdits(sent)
        .filter(({ locator, property }) => this.edit(locator, property) === editAt(sent, locator, property))
        .map(({ locator, property }) => ({ locator, property, next: null })),
    )
  }

  clear(): void {
    this.take(allEdits(this.draft).map(({ locator, property }) => ({ locator, property, next: null })))
    this.forgetNotKept()
    this.keep()
  }

  setRemarks(remarks: readonly (PropertyPlace & { message: string })[]): void {
    this.remarks = remarks.map((remark) => ({ ...remark, of: this.edit(remark.locator, remark.property) }))
    this.tell()
  }

  forgetNotKept(): void {
    if (this.lost.length === 0) return
    this.lost = []
    this.tell()
    this.keep()
  }

  readonly currentNews = (): News | null => this.news

  tellNews(news: News | null): void {
    if (news === this.news) return
    this.news = news
    this.tell([])
  }

  hasSensitive(): boolean {
    return allEdits(this.draft).some(({ isSensitive }) => isSensitive)
  }

  /** Writes what was edited here on top of what is kept. */
  keep(): void {
    clearTimeout(this.timer)
    this.timer = undefined
    const mine = [...this.unkept.values()].map((place) => ({
      ...place,
      next: this.edit(place.locator, place.property) ?? null,
    }))
    this.unkept.clear()
    const kept = takeStep(this.kept(), mine)
    this.keeper.write(countEdits(kept) === 0 ? null : writeDraft(kept))
  }

  /** Another tab wrote: its edits become the ones here, except where something was typed here since. */
  takeOver(): void {
    const mine = [...this.unkept.values()].map((place) => ({
      ...place,
      next: this.edit(place.locator, place.property) ?? null,
    }))
    const before = this.active === null ? undefined : this.edit(this.active.locator, this.active.property)
    this.draft = keepSame(this.draft, takeStep(this.kept(), mine))
    this.resting = this.draft
    if (this.active !== null && this.edit(this.active.locator, this.active.property) !== before)
      this.active = { ...this.active, began: null }
    this.tell()
  }

  /** What is kept, with the sensitive edits of this tab. */
  private kept(): Draft {
    const sensitive = allEdits(this.draft)
      .filter(({ isSensitive }) => isSensitive)
      .map(({ locator, property }) => ({ locator, property, next: this.edit(locator, property) ?? null }))
    return takeStep(readDraft(this.keeper.read()).edits, sensitive)
  }

  private activate(next: ActiveField | null): void {
    const places = [this.active, next].filter((place) => place !== null)
    this.active = next
    this.tell(places)
  }

  private tell(places?: readonly PropertyPlace[]): void {
    const keys = places === undefined ? [...this.watchers.keys()] : places.map(keyOf)
    for (const key of new Set(keys)) for (const listener of this.watchers.get(key) ?? []) listener()
    for (const listener of this.listeners) listener()
  }
}

/** The very same field while the typing goes on from the same base: with every key only the field itself renders. */
function typedFrom(active: ActiveField, { base, version }: Base): ActiveField {
  const isKnown = active.began?.base === base && active.began.version === version
  return isKnown ? active : { ...active, began: { base, version } }
}

const keyOf = ({ locator, property }: PropertyPlace): string => `${locator} ${property}`

/** The draft that was read, with the very objects that are known already where they say the same: fewer fields render. */
function keepSame(known: Draft, read: Draft): Draft {
  const step = allEdits(read).map(({ locator, property }) => {
    const now = editAt(read, locator, property)
    const before = editAt(known, locator, property)
    const isEqual = before !== undefined && JSON.stringify(before) === JSON.stringify(now)
    return { locator, property, next: (isEqual ? before : now) ?? null }
  })
  return takeStep(EMPTY, step)
}
