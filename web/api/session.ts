import { useQuery } from '@tanstack/react-query'
import { mayAnywhere, mayEverywhere, mayIn } from '#contract/endpoint/permission.ts'
import type { Permission, Place } from '#contract/endpoint/permission.ts'
import { apiQuery } from './query.ts'

/** Who is signed in; undefined while it is not known. */
export function useSession() {
  return useQuery({ ...apiQuery('GET /session', {}), staleTime: 60_000 })
}

/** Whether the person may, in this place; `anywhere` asks whether in any, `everywhere` whether without a limit. */
export function useMay(permission: Permission, place: Place | 'anywhere' | 'everywhere'): boolean {
  const grants = useSession().data?.grants ?? []
  if (place === 'anywhere') return mayAnywhere(grants, permission)
  if (place === 'everywhere') return mayEverywhere(grants, permission)
  return mayIn(grants, permission, place)
}
