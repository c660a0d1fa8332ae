import type { Grant } from '#contract/endpoint/permission.ts'

/** The person on whose behalf a request is made, as named by the signed actor assertion. */
export interface Actor {
  id: string
  name: string
  grants: Grant[]
  requestId: string
  /** The identity provider that authenticated the person, if the console sends it. */
  issuer?: string | undefined
  /** The client address of the request, if the console sends it. */
  clientAddress?: string | undefined
  /** Whether the identity provider authenticated the person recently; absent: nobody said so. */
  signedInRecently?: boolean | undefined
}
