import * as z from 'zod'
import { defineEndpoints } from '#contract/endpoint/endpoint.ts'
import { PositiveInteger } from '#contract/protocol/keys.ts'
import { Scope } from '#contract/protocol/scope.ts'
import { Person, ResourceLocator, Timestamp } from './common.ts'
import { Installation } from './installations.ts'
import { Operation } from './operations.ts'

/**
 * A server-sent event: `event` is the kind, `id` resumes the stream, `data` is this object without the kind. `version`
 * grows with each change of the object that `id` names; readers discard anything older than what they hold.
 */
export const RuntimeEvent = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('operation'),
    scope: Scope,
    id: z.string(),
    version: PositiveInteger,
    row: Operation,
  }),
  z.object({
    kind: z.literal('installation'),
    scope: Scope,
    id: z.string(),
    version: PositiveInteger,
    row: Installation,
  }),
  z.object({
    kind: z.literal('configuration'),
    scope: Scope,
    id: z.string(),
    version: PositiveInteger,
    row: z.object({ savedAt: Timestamp, savedBy: Person, locators: z.array(ResourceLocator) }),
  }),
])
export type RuntimeEvent = z.infer<typeof RuntimeEvent>

export const eventEndpoints = defineEndpoints({
  'GET /events': {
    summary: 'Stream of changes; resumable with Last-Event-ID',
    access: { needs: 'read', where: 'list' },
    answer: RuntimeEvent,
    answers: 'events',
    codes: [],
  },
})
