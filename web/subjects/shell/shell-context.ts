import { createContext, use } from 'react'
import type { EnvironmentMark } from '#contract/console-api/rows.ts'
import type { Permission, Place } from '#contract/endpoint/permission.ts'
import type { IconName } from '../../ui/Icon.tsx'
import type { LinkTarget } from '../../ui/Link.tsx'

/** A search result of the command palette: a page, or an action. */
export type PaletteHit = {
  id: string
  title: string
  /** Distinguishes results with the same name: scope, state. */
  detail?: string
  /** Also matches, and is shown if the title does not: the name of a property. */
  name?: string
  icon: IconName
} & (
  | { to: LinkTarget; run?: never; within?: never }
  | { run: () => void; to?: never; within?: never }
  | { within: PaletteSearch; to?: never; run?: never }
)

/** Finds results for a text; within a result that stands for many, also without one. */
export type PaletteSearch = (text: string, signal: AbortSignal) => Promise<readonly PaletteGroup[]>

export type PaletteGroup = {
  title: string
  hits: readonly PaletteHit[]
  /** Others may match too; words that select fewer find them, or the list that shows all of them. */
  mayHaveMore?: boolean
  more?: LinkTarget
  /**
   * Said above the results: how the text was read. Without any results, instead of "No results": what the text is, and why it
   * leads nowhere.
   */
  note?: string
  /** This list could not be searched. */
  isFailed?: boolean
}

/**
 * `paused`: newer tabs of the same person receive the updates instead of this one. `polling`: no updates arrive, but requests are
 * answered.
 */
export type Connection = 'live' | 'lost' | 'polling' | 'paused'

/** Context of every page: provided from the session and the event stream, used by the shell and by pages. */
export type ShellContextValue = {
  /** Null until the session is loaded. */
  user: { id: string; name: string } | null
  roles: readonly string[]
  /** Whether the person has the permission at a place; without a place, at any place. */
  can: (permission: Permission, place?: Place) => boolean
  connection: Connection
  environmentMarks: readonly EnvironmentMark[]
  signOut: () => void
  /** Finds installations and operations by id or name. */
  search: PaletteSearch
}

export const ShellContext = createContext<ShellContextValue | null>(null)

export function useShell(): ShellContextValue {
  const value = use(ShellContext)
  if (!value) throw new Error('useShell() needs <ShellContext value={…}> around it: see web/app/SignedIn.tsx')
  return value
}
