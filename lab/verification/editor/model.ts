import { EDITABLE, type Field } from './bundle.ts'
import type { History } from './history.ts'
import { mergeDiffers } from './merged.ts'
import { contentOf, hasParts, isMeant, meansSame, valueOf, type Content, type Value } from './values.ts'

/** A promise of the editor that was broken. */
export class InvariantViolation extends Error {
  readonly promise: string
  readonly seen: string

  constructor(promise: string, seen: string) {
    super(`${promise}: ${seen}`)
    this.name = 'InvariantViolation'
    this.promise = promise
    this.seen = seen
  }
}

/** An edit as the person remembers it. */
export interface Edit {
  content: Content
  /** Removed with "Remove value", not emptied by typing. */
  isRemoved: boolean
  /** What the person has seen of the saved value; of a secret, the newest snapshot only. */
  seen: Value[]
  /** What the edit may be based on: of these, the value that it began from, or was last applied on top of. */
  bases: Value[]
  seenVersion: number
  /** The snapshot that the page showed at the last key press. */
  typedVersion: number
  /**
   * The snapshot since which the page may drop the edit, because the same value is saved, or one with all of its changes,
   * or because the edit is back at its base; null where there is none.
   */
  savedSince: number | null
}

/** What the person knows: their edits, what they have seen, and what each of their pages should show. */
export class Model {
  private readonly shared = new Map<string, Edit>()
  private readonly ofTab = new Map<string, Edit>()
  readonly history: History
  /** The edits as they were when the last save was sent, and the tab that sent it. */
  sent: { tab: number; edits: ReadonlyMap<string, Edit> } | null = null

  constructor(history: History) {
    this.history = history
  }

  /** A sensitive edit exists only in the memory of its page. */
  edit(tab: number, { property, kind }: Field): Edit | undefined {
    return kind === 'secret' ? this.ofTab.get(`${tab} ${property}`) : this.shared.get(property)
  }

  set(tab: number, { property, kind }: Field, mine: Edit | null): void {
    const [map, key] = kind === 'secret' ? [this.ofTab, `${tab} ${property}`] : [this.shared, property]
    if (mine === null) map.delete(key)
    else map.set(key, mine)
  }

  /** All edits, as this page has them. */
  edits(tab: number): [Field, Edit][] {
    return EDITABLE.flatMap((field): [Field, Edit][] => {
      const mine = this.edit(tab, field)
      return mine === undefined ? [] : [[field, mine]]
    })
  }

  /** Reads what has been saved since, and which edits the page may drop because of it. */
  async refresh(tab: number): Promise<void> {
    await this.history.sync()
    for (const [field, mine] of this.edits(tab)) this.note(field, mine)
  }

  valueOf({ kind }: Pick<Field, 'kind'>, { content, isRemoved }: Edit): Value | undefined {
    return isRemoved ? null : valueOf(kind, content)
  }

  /** Records whether nothing of the edit is left to save since it was typed: then the page may drop it. */
  note({ property, kind }: Field, mine: Edit): void {
    if (kind === 'secret' || mine.savedSince !== null) return
    const value = this.valueOf({ kind }, mine)
    if (value === undefined) return
    const since = this.history.since(property, mine.typedVersion)
    const isUndone = mine.bases.some((base) => isMeant(value, base))
    const isIn = (saved: Value) =>
      hasParts(kind) &&
      mine.bases.some((base) => mergeDiffers({ base, theirs: saved, mine: value, now: saved }, []) === null)
    const found = since.find((one) => isMeant(value, one.value) || isUndone || isIn(one.value))
    if (found === undefined) return
    mine.savedSince = Math.max(found.version, mine.typedVersion)
    // what the field shows is the saved value, so the person has seen it
    mine.seen.push(value, found.value)
    mine.bases.push(value, found.value)
  }

  /** A secret that was sent may equal the saved one: then the save does not change it, and the page drops the edit. */
  noteSentSecrets(version: number): void {
    const { sent } = this
    for (const field of EDITABLE) {
      if (sent === null || field.kind !== 'secret' || !sent.edits.has(field.property)) continue
      const mine = this.edit(sent.tab, field)
      if (mine !== undefined) mine.savedSince ??= version
    }
  }

  /** What a field may show once the page is up to date: my edit, or the saved value where the page may drop the edit. */
  allowed(tab: number, field: Field): Content[] {
    const mine = this.edit(tab, field)
    const saved = contentOf(field.kind, this.history.now(field.property).value)
    if (mine === undefined) return [saved]
    this.note(field, mine)
    return mine.savedSince === null ? [mine.content] : [mine.content, saved]
  }

  contentsSince({ property, kind }: Field, version: number): Content[] {
    return this.history.since(property, version).map(({ value }) => contentOf(kind, value))
  }

  /** Removes an edit that the page has dropped. */
  settle(tab: number, field: Field, content: Content): void {
    const mine = this.edit(tab, field)
    if (mine !== undefined && mine.savedSince !== null && !meansSame(field.kind, mine.content, content))
      this.set(tab, field, null)
  }
}
