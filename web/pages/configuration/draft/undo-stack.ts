import { deepEqual } from '#contract/json-schema/json.ts'
import { isSamePlace, type DraftEdit, type DraftStep } from './draft.ts'
import type { PropertyPlace } from '../../../forms/property/property-place.ts'

/**
 * A change of the draft by the person, in both directions. It contains no sensitive edit: such a value lives only as long
 * as its edit.
 */
export interface DraftChange {
  back: DraftStep
  forth: DraftStep
  /** What it was typed in; null once typing there is a new change. */
  typedIn: unknown
}

const CHANGES_MAX = 200

/** What the person did to the draft, to be undone and redone (docs/console.md#undo). */
export class UndoStack {
  private done: readonly DraftChange[] = []
  private undone: readonly DraftChange[] = []

  /** The change that would be undone next. Typing that was taken back in its field is none. */
  last(): DraftChange | undefined {
    return this.done.findLast((change) => !isVoid(change))
  }

  canRedo(): boolean {
    return this.undone.length > 0
  }

  /**
   * @param editAt the edit before the step.
   * @param typedIn the control that is typed in; what is typed in one without a pause for anything else is one change.
   */
  record(step: DraftStep, editAt: (place: PropertyPlace) => DraftEdit | null, typedIn: unknown = null): void {
    const forth = step.filter((part) => part.next?.isSensitive !== true && editAt(part)?.isSensitive !== true)
    const back = forth.map(({ locator, property }) => ({
      locator,
      property,
      next: editAt({ locator, property }),
    }))
    if (isVoid({ back, forth })) return
    this.undone = []
    const last = this.done.at(-1)
    if (last === undefined || typedIn === null || last.typedIn !== typedIn) {
      this.done = [...this.done, { back, forth, typedIn }].slice(-CHANGES_MAX)
      return
    }
    const isNew = (part: PropertyPlace) => !last.back.some((known) => isSamePlace(known, part))
    const joined = {
      back: [...last.back, ...back.filter(isNew)],
      forth: [...last.forth.filter((known) => !forth.some((part) => isSamePlace(known, part))), ...forth],
      typedIn,
    }
    this.done = [...this.done.slice(0, -1), joined]
  }

  /** The step that takes back the last change; null if there is none. */
  undo(): DraftStep | null {
    const change = this.last()
    if (change === undefined) return null
    this.done = this.done.slice(0, this.done.indexOf(change)).map(ended)
    this.undone = [...this.undone, ended(change)]
    return change.back
  }

  redo(): DraftStep | null {
    const change = this.undone.at(-1)
    if (change === undefined) return null
    this.undone = this.undone.slice(0, -1)
    this.done = [...this.done.map(ended), change]
    return change.forth
  }

  /** Another tab has changed the edit of a place: neither direction leads back to what is there now. */
  forget(place: PropertyPlace): void {
    const without = (changes: readonly DraftChange[]) =>
      changes
        .map((change) => ({
          ...change,
          back: change.back.filter((part) => !isSamePlace(part, place)),
          forth: change.forth.filter((part) => !isSamePlace(part, place)),
        }))
        .filter(({ back }) => back.length > 0)
    this.done = without(this.done)
    this.undone = without(this.undone)
  }

  clear(): void {
    this.done = []
    this.undone = []
  }
}

/** The text in the control may be another one now, so the browser cannot undo what was typed before. */
const ended = (change: DraftChange): DraftChange => ({ ...change, typedIn: null })

const isVoid = ({ back, forth }: Pick<DraftChange, 'back' | 'forth'>): boolean =>
  back.every((part) => {
    const after = forth.find((other) => isSamePlace(part, other))?.next ?? null
    return part.next === after || deepEqual(part.next?.edit ?? null, after?.edit ?? null)
  })
