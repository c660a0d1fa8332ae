import { platformMessage } from '#contract/protocol/platform-messages.ts'
import * as z from 'zod'
import type { Access } from '#contract/endpoint/endpoint.ts'
import { mayAnywhere, mayEverywhere } from '#contract/endpoint/permission.ts'
import type { Actor } from '../model/actor.ts'
import { DomainError } from '../engine/refusals.ts'
import { authorize } from '../use-cases/authorize.ts'

export type PersonAccess = Extract<Access, { where: unknown }>

const Environment = z.object({ environmentKey: z.string() })
const Scope = Environment.extend({ applicationRuntimeId: z.string(), workspaceId: z.number() })

/**
 * Refuses unless the actor may call a row in the scope that the request names. `object` and `list` are checked by the
 * use case, which knows the object and filters the list.
 */
export function requirePermission(
  access: PersonAccess,
  actor: Actor,
  input: { params: unknown; body: unknown },
): void {
  const { needs, where } = access
  switch (where) {
    case 'path':
      return authorize(actor, needs, Scope.parse(input.params))
    case 'body':
      return authorize(actor, needs, z.object({ scope: Scope }).parse(input.body).scope)
    case 'environment':
      return authorize(actor, needs, Environment.parse(input.params))
    case 'everywhere':
      if (mayEverywhere(actor.grants, needs)) return
      throw new DomainError(
        'PERMISSION_DENIED',
        platformMessage('permissionNeededEverywhere', { permission: needs }),
      )
    case 'anywhere':
      if (mayAnywhere(actor.grants, needs)) return
      throw new DomainError(
        'PERMISSION_DENIED',
        platformMessage('permissionNeededAnywhere', { permission: needs }),
      )
    case 'object':
    case 'list':
      return
  }
}
