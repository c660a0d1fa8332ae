import { createContext, use } from 'react'
import type {
  ChangeRequestDetail,
  Configuration,
  ConfigurationResource,
} from '#contract/console-api/shapes.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import type { InstallationIdentity } from '#contract/protocol/scope.ts'
import type { DraftStore } from '../draft/draft-store.ts'
import type { DraftForm } from '../draft/draft-form.ts'
import type { Arrival } from '../draft/arrival.ts'
import type { GoneResources } from '../draft/gone-resources.ts'
import type { Merged } from '../draft/merge.ts'
import type { PropertyPlace } from '../../../forms/property/property-place.ts'
import { focusControl } from '../../../forms/form/focus-field.ts'

/** The titles of the scope's installations, and their versions. */
export type InstallationTitles = ReadonlyMap<string, { title: string; version: string | null }>

/** The state that all parts of the editor share. */
export interface EditorValue {
  configuration: Configuration
  /** The change request that is edited here instead of the scope. */
  edited: ChangeRequestDetail | null
  store: DraftStore
  /** The form over the draft. */
  form: DraftForm
  /** Whether the person may change the configuration. */
  mayWrite: boolean
  /**
   * True while a save is in progress. Fields are read-only meanwhile, because later input would not be part of the
   * save.
   */
  isSaving: boolean
  /** The merge result of an edit that is based on an older snapshot. */
  mergedAt: (locator: string, property: string) => Merged | undefined
  /** What is no longer in the scope and still has edits. */
  gone: GoneResources
  /** A resource or property, also one that is gone. */
  resourceAt: (locator: string) => ConfigurationResource | undefined
  definitionAt: (locator: string, property: string) => PropertyDefinition | undefined
  /** The title of an installation. */
  titleOf: (installation: InstallationIdentity) => string
  /** Shows the resource and focuses the property's field. */
  goTo: (locator: string, property?: string) => void
  /** Does something that loses an edit, and offers to undo it. */
  loseChange: (act: () => void, text?: string) => void
  openReview: () => void
  /** Opens the review of values that have just been copied or restored. */
  reviewArrival: (arrival: Arrival) => void
  openHistory: (locator: string, property: string) => void
  /** Of an edited change request: which hidden value stays where others have saved one since, by the name of its place. */
  hiddenSides: ReadonlyMap<string, HiddenSide>
  chooseHidden: (place: PropertyPlace, side: HiddenSide) => void
}

export type HiddenSide = 'theirs' | 'mine'

export const EditorContext = createContext<EditorValue | null>(null)

export function useEditor(): EditorValue {
  const value = use(EditorContext)
  if (value === null) throw new Error('useEditor() needs <EditorContext value={…}> around it')
  return value
}

const TIMEOUT_MS = 2000

/** The id of a property's control. One form is mounted at a time, so the property's name is enough. */
export const controlId = (property: string): string => `property-${property}`
/** The id of the title of a property. */
export const labelId = (property: string): string => `${controlId(property)}-label`
export const rowId = (property: string): string => `row-${property}`

/** Focuses a property's field as soon as it exists: its form may not be mounted yet. */
export function focusProperty(property: string): void {
  const until = performance.now() + TIMEOUT_MS
  const look = () => {
    const row = document.getElementById(rowId(property))
    const control = document.getElementById(controlId(property))
    if (row !== null && control !== null) {
      focusControl(control)
      row.scrollIntoView({ block: 'center' })
    } else if (performance.now() < until) requestAnimationFrame(look)
    else row?.scrollIntoView({ block: 'center' })
  }
  look()
}
