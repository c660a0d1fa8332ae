import { useQuery } from '@tanstack/react-query'
import { mayAnywhere, mayEverywhere, mayIn } from '#contract/endpoint/permission.ts'
import type { Permission, Place } from '#contract/endpoint/permission.ts'
import { apiQuery } from './query.ts'

/** The session; its data is undefined until it is loaded. */
export function useSession() {
  return useQuery(apiQuery('GET /session', {}))
}

let isReplacing = false

/** Reloads the page without a warning after another person has signed in, so that no data of the first one stays. */
export function reloadForAnotherPerson(): void {
  isReplacing = true
  location.reload()
}

/** True while the page is being reloaded for another person. */
export const isReloadingForAnotherPerson = (): boolean => isReplacing

/** Whether the person has the permission at this place; `anywhere`: at any place; `everywhere`: without a limit. */
export function useMay(permission: Permission, place: Place | 'anywhere' | 'everywhere'): boolean {
  const grants = useSession().data?.grants ?? []
  if (place === 'anywhere') return mayAnywhere(grants, permission)
  if (place === 'everywhere') return mayEverywhere(grants, permission)
  return mayIn(grants, permission, place)
}
