import type { Grant } from '#contract/endpoint/permission.ts'

/** The person for whom a request is made, as the signed actor assertion names them. */
export interface Actor {
  id: string
  name: string
  grants: Grant[]
  requestId: string
  /** The identity provider that vouches for them, where the console says. */
  issuer?: string | undefined
  /** Where their request came from, where the console says. */
  clientAddress?: string | undefined
}
