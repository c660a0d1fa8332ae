import { createContext, use } from 'react'
import type { Permission, Place } from '#contract/endpoint/permission.ts'
import type { IconName } from '../ui/icons/Icon.tsx'
import type { LinkTarget } from '../ui/Link.tsx'

/** One thing that the command palette found. */
export type PaletteHit = {
  id: string
  title: string
  /** What tells it from others of its name: the scope, the state. */
  detail?: string
  icon: IconName
  to: LinkTarget
}

export type PaletteGroup = { title: string; hits: readonly PaletteHit[] }

/** `paused`: newer tabs of the same person receive the updates instead of this one. */
export type Connection = 'live' | 'lost' | 'paused'

/** What the frame of every page knows: filled by the session and the event stream, read by the shell and by pages. */
export type ShellContextValue = {
  /** Null until the session is known. */
  user: { id: string; name: string } | null
  roles: readonly string[]
  /** Whether the person may do this at a place; without a place, whether anywhere at all. */
  can: (permission: Permission, place?: Place) => boolean
  connection: Connection
  signOut: () => void
  /** Finds installations and operations by id or name. */
  search: (text: string, signal: AbortSignal) => Promise<readonly PaletteGroup[]>
}

export const ShellContext = createContext<ShellContextValue | null>(null)

export function useShell(): ShellContextValue {
  const value = use(ShellContext)
  if (!value) throw new Error('useShell() needs <ShellContext value={…}> around it: see web/app/SignedIn.tsx')
  return value
}
