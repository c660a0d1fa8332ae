import type { Base, PropertyPlace } from './draft.ts'
import { nameOf } from './stored-draft.ts'

/** A field that has the focus. */
export interface ActiveField extends PropertyPlace {
  /**
   * What the typing in it began from; null until something is typed. The field shows it, and not what others save
   * meanwhile, also where nothing is left of the edit: the text under the caret never changes between two keys.
   */
  began: Base | null
}

/** The fields with the focus: one, and during a mouse press also the one that loses it. */
export class ActiveFields {
  private readonly fields = new Map<string, ActiveField>()
  private typed: readonly ActiveField[] = []

  at(place: PropertyPlace): ActiveField | undefined {
    return this.fields.get(nameOf(place))
  }

  all(): ActiveField[] {
    return [...this.fields.values()]
  }

  /** The field with the focus; the newer one during a mouse press. */
  newest(): ActiveField | undefined {
    return this.all().at(-1)
  }

  /** The fields in which something was typed; the identical list until it changes. */
  readonly typedIn = (): readonly ActiveField[] => this.typed

  enter({ locator, property }: PropertyPlace): void {
    this.set({ locator, property, began: null })
  }

  /** Records what the typing is based on; keeps the identical object while that does not change. */
  type(field: ActiveField, { base, version }: Base): void {
    const isKnown = field.began?.base === base && field.began.version === version
    if (!isKnown) this.set({ ...field, began: { base, version } })
  }

  leave(place: PropertyPlace): void {
    if (this.fields.delete(nameOf(place))) this.list()
  }

  private set(field: ActiveField): void {
    this.fields.set(nameOf(field), field)
    this.list()
  }

  private list(): void {
    const typed = this.all().filter(({ began }) => began !== null)
    if (typed.length > 0 || this.typed.length > 0) this.typed = typed
  }
}
