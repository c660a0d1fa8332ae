import * as z from 'zod'
import { auditActionOf } from '#contract/runtime-api/rows.ts'
import type { WriteName } from '#contract/runtime-api/rows.ts'
import { Scope } from '#contract/protocol/scope.ts'
import { scopeText } from '#contract/protocol/scope-text.ts'
import { subjectOfBundle } from '../use-cases/catalog/catalog.ts'
import type { Input } from '../use-cases/context.ts'
import type { AuditSubject } from './http-app.ts'
import type { ReadRequest } from './read-request.ts'

type Subject = Pick<AuditSubject, 'subject' | 'scope' | 'reason'>

/** What a refused write concerned, if that is not what its path names last. */
const SUBJECTS: { readonly [Name in WriteName]?: (input: Input<Name>) => Partial<Subject> } = {
  'POST /installations': ({ body }) => ({
    subject: `${body.bundle.environmentKey}/${body.bundle.bundleId} ${body.targetVersion}`,
    scope: body.scope,
  }),
  'POST /installations/{bundleInstallId}/upgrade': ({ params, body }) => ({
    subject: `${params.bundleInstallId} → ${body.targetVersion}`,
  }),
  'POST /operations/{operationId}/notes': ({ body }) => ({ reason: body.text }),
  'POST /batches': ({ body }) => ({
    subject: `${body.action} ${body.targets.length}${body.title === undefined ? '' : ` "${body.title}"`}`,
  }),
  'PATCH /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration': ({ params }) => ({
    subject: scopeText(params),
  }),
  'PUT /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration': ({ params }) => ({
    subject: scopeText(params),
  }),
  'PUT /bundles/{environmentKey}/{bundleId}/versions/{version}': ({ params }) => ({
    subject: subjectOfBundle(params),
  }),
  'DELETE /plugins/{pluginId}/credentials/{credentialId}': ({ params }) => ({
    subject: `${params.pluginId} ${params.credentialId}`,
  }),
  'PUT /plugins/{pluginId}/reports/{version}': ({ params }) => ({
    subject: `${params.pluginId} ${params.version}`,
  }),
  'POST /webhooks': ({ body }) => ({ subject: body.title }),
  'PUT /webhooks/{webhookId}': ({ params, body }) => ({ subject: `${body.title} ${params.webhookId}` }),
}

/** What every path and body calls the same. */
const InstallationPath = z.object({ bundleInstallId: z.string() })
const OperationPath = z.object({ operationId: z.string() })
const ScopePath = z.object(Scope.shape)
const Explained = z.object({ reason: z.string() })

/** How the audit describes a refused write. */
export function auditSubjectOf(name: WriteName, request: Pick<ReadRequest, 'params' | 'body'>): AuditSubject {
  const { params, body } = request
  const scope = ScopePath.safeParse(params)
  return {
    action: auditActionOf(name),
    subject: String(Object.values(Object(params)).at(-1) ?? name),
    ...(scope.success && { scope: scope.data }),
    ...InstallationPath.safeParse(params).data,
    ...OperationPath.safeParse(params).data,
    reason: Explained.safeParse(body).data?.reason ?? null,
    // the request was read with the row of this name
    ...SUBJECTS[name]?.(request as never),
  }
}
