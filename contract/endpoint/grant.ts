import * as z from 'zod'
import { PERMISSIONS } from './permission.ts'
import type { Grant as GrantType } from './permission.ts'

/** A grant as it appears in an actor assertion and in the session response. */
export const Grant = z.strictObject({
  permissions: z.array(z.enum(PERMISSIONS)),
  scope: z.union([
    z.null(),
    z.strictObject({
      environmentKey: z.string(),
      applicationRuntimeId: z.string(),
      workspaceId: z.number().int().nonnegative(),
    }),
    z.strictObject({ environmentKey: z.string() }),
  ]),
}) satisfies z.ZodType<GrantType>
