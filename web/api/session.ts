import { useQuery } from '@tanstack/react-query'
import { mayAnywhere, mayEverywhere, mayIn } from '#contract/endpoint/permission.ts'
import type { Permission, Place } from '#contract/endpoint/permission.ts'
import { apiQuery } from './query.ts'

/** Who is signed in; undefined while it is not known. */
export function useSession() {
  return useQuery(apiQuery('GET /session', {}))
}

let isReplacing = false

/** Reloads the page without a warning, because another person has signed in: nothing of the first one may stay in memory. */
export function reloadForAnotherPerson(): void {
  isReplacing = true
  location.reload()
}

/** True while the page is being reloaded for another person. */
export const isReloadingForAnotherPerson = (): boolean => isReplacing

/** Whether the person may, in this place; `anywhere` asks whether in any, `everywhere` whether without a limit. */
export function useMay(permission: Permission, place: Place | 'anywhere' | 'everywhere'): boolean {
  const grants = useSession().data?.grants ?? []
  if (place === 'anywhere') return mayAnywhere(grants, permission)
  if (place === 'everywhere') return mayEverywhere(grants, permission)
  return mayIn(grants, permission, place)
}
