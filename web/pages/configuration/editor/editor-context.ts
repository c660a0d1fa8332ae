import { createContext, use } from 'react'
import type { Configuration } from '#contract/console-api/shapes.ts'
import type { InstallationIdentity } from '#contract/protocol/scope.ts'
import type { DraftStore } from './draft-store.ts'
import type { DraftForm } from '../form/use-draft-form.ts'
import type { Merged } from './merge.ts'

/** What people call the installations of the scope, and their versions. */
export type InstallationTitles = ReadonlyMap<string, { title: string; version: string | null }>

/** What every part of the editor knows. */
export interface EditorValue {
  configuration: Configuration
  store: DraftStore
  /** The fields over the draft. */
  form: DraftForm
  /** Whether the person may change anything here. */
  mayWrite: boolean
  /** While a save is on its way nothing can be typed: it would not be part of it. */
  isSaving: boolean
  /** The edit of a property that stands on an older snapshot, and how it stands to theirs. */
  mergedAt: (locator: string, property: string) => Merged | undefined
  /** What people call an installation. */
  titleOf: (installation: InstallationIdentity) => string
  /** Shows the resource and puts the focus into the property's field. */
  goTo: (locator: string, property?: string) => void
  openReview: () => void
  openHistory: (locator: string, property: string) => void
}

export const EditorContext = createContext<EditorValue | null>(null)

export function useEditor(): EditorValue {
  const value = use(EditorContext)
  if (value === null) throw new Error('useEditor() needs <EditorContext value={…}> around it')
  return value
}
