import type { Base } from './draft.ts'
import { storedName } from './stored-draft.ts'
import type { PropertyPlace } from '../../../forms/property/property-place.ts'

/** A field that has the focus. */
export interface ActiveField extends PropertyPlace {
  /**
   * The base of the text typed in it; null until something is typed. The field shows this value rather than what others
   * save meanwhile, even if no edit is left: the text at the cursor never changes while the person is typing.
   */
  began: Base | null
}

/** The focused fields: one, and during a mouse press also the one that is losing the focus. */
export class ActiveFields {
  private readonly fields = new Map<string, ActiveField>()
  private typed: readonly ActiveField[] = []

  at(place: PropertyPlace): ActiveField | undefined {
    return this.fields.get(storedName(place))
  }

  all(): ActiveField[] {
    return [...this.fields.values()]
  }

  /** The focused field; during a mouse press, the newer one. */
  newest(): ActiveField | undefined {
    return this.all().at(-1)
  }

  /** The fields in which something was typed. The list keeps its identity until it changes. */
  readonly typedIn = (): readonly ActiveField[] => this.typed

  enter({ locator, property }: PropertyPlace): void {
    this.set({ locator, property, began: null })
  }

  /** Records the base of the typed text; keeps the same object while the base does not change. */
  type(field: ActiveField, { base, version }: Base): void {
    const isKnown = field.began?.base === base && field.began.version === version
    if (!isKnown) this.set({ ...field, began: { base, version } })
  }

  leave(place: PropertyPlace): void {
    if (this.fields.delete(storedName(place))) this.list()
  }

  private set(field: ActiveField): void {
    this.fields.set(storedName(field), field)
    this.list()
  }

  private list(): void {
    const typed = this.all().filter(({ began }) => began !== null)
    if (typed.length > 0 || this.typed.length > 0) this.typed = typed
  }
}
