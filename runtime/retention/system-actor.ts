import { RUNTIME_ACTOR_ID } from '#contract/runtime-api/vocabulary.ts'
import type { Actor } from '../model/actor.ts'

/** The platform itself, as the audit and archived receipts name it. It may read everything and do nothing else. */
export const systemActor = (requestId: string): Actor => ({
  id: RUNTIME_ACTOR_ID,
  name: 'Bundle Console',
  grants: [{ permissions: ['read'], scope: null }],
  requestId,
})
