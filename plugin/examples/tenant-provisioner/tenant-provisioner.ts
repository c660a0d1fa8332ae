import { join } from 'node:path'
import type { JSONWebKeySet } from 'jose'
import type { JsonValue } from '#contract/json-schema/json.ts'
import type { CallResource, LifecycleCall } from '#plugin-sdk/src/call.ts'
import { definePlugin, type PluginHandler } from '#plugin-sdk/src/define-plugin.ts'
import type { StageHandlers } from '#plugin-sdk/src/handlers.ts'
import { listen, toNodeListener, type Listening } from '#plugin-sdk/src/node-listener.ts'
import { applied, notApplied, PluginFailure, verified, type HandlerResult } from '#plugin-sdk/src/result.ts'
import { sqliteStore } from '#plugin-sdk/src/sqlite-store.ts'
import {
  findTenant,
  hasTerms,
  listTenants,
  putTenant,
  readAccessToken,
  removeTenants,
  TENANT_SCHEMA,
  type TenantTerms,
} from './tenants.ts'
import { type SqliteTransaction } from '#plugin-sdk/src/sqlite-store.ts'

export interface TenantProvisionerOptions {
  /** Its state is stored in `tenants.sqlite` in this folder, which is created if missing. */
  dataDir: string
  /** Default `tenant-provisioner`. */
  pluginId?: string
  /** Where the public keys for the runtime's tokens are. */
  platformApiBase: string
  /** The `iss` of the runtime's tokens; default: the platform's address. */
  issuer?: string
  /** True (the default): verify with the platform's keys; a key set: verify with these; false accepts calls from anyone. */
  verify?: boolean | JSONWebKeySet
}

export interface TenantProvisioner {
  /** `POST /lifecycle`, and `GET /tenants`, which lists the tenants without secrets. */
  handler: PluginHandler
  /** Closing it also closes the store. */
  listen(port?: number, host?: string): Promise<Listening>
  close(): Promise<void>
}

/**
 * Maintains one business tenant for each resource with a `displayName`; `plan` (starter) and `seats` (5) are optional.
 * BEFORE_RESOURCES creates or updates it and writes `tenantId` and the sensitive `accessToken`, which is unique to the
 * installation; AFTER_RESOURCES verifies it. A CONFIGURE that changes none of these is NOT_APPLIED. DETACH removes the
 * tenants after the resources and leaves tombstones.
 */
export function createTenantProvisioner(options: TenantProvisionerOptions): TenantProvisioner {
  const { dataDir, pluginId = 'tenant-provisioner', ...trust } = options
  const store = sqliteStore(join(dataDir, 'tenants.sqlite'), { schema: TENANT_SCHEMA })
  const handleTenants: StageHandlers<SqliteTransaction> = {
    BEFORE_RESOURCES: (call) => call.conclude((tx) => provision(tx, call)),
    AFTER_RESOURCES: (call) => call.conclude((tx) => verify(tx, call)),
  }
  const lifecycle = definePlugin({
    pluginId,
    store,
    ...trust,
    writes: { tenantId: {}, accessToken: { isSensitive: true } },
    handle: {
      INSTALL: handleTenants,
      UPGRADE: handleTenants,
      CONFIGURE: handleTenants,
      DETACH: { AFTER_RESOURCES: (call) => call.conclude((tx) => remove(tx, call)) },
    },
  })
  const handler: PluginHandler = async (request) => {
    const { pathname } = new URL(request.url)
    if (pathname === '/lifecycle') return lifecycle(request)
    if (pathname === '/tenants' && request.method === 'GET')
      return Response.json({ tenants: await store.transaction(listTenants) })
    return new Response(null, { status: 404 })
  }
  return {
    handler,
    async listen(port, host) {
      const listening = await listen(toNodeListener(handler), port, host)
      const close: Listening['close'] = async (how) => {
        await listening.close(how)
        await store.close()
      }
      return { ...listening, close }
    },
    close: () => store.close(),
  }
}

type Call = LifecycleCall<SqliteTransaction>

function provision(tx: SqliteTransaction, call: Call): HandlerResult {
  const { bundleInstallId } = call.installation
  const { executionSequence } = call
  const now = new Date().toISOString()
  const writes: Record<string, Record<string, JsonValue>> = {}
  let isChanged = false
  for (const resource of call.resources) {
    const { locator } = resource
    const owner = { bundleInstallId, locator }
    // An upgrade that drops the Module also removes its tenant.
    if (resource.action === 'DETACH') {
      isChanged = removeTenants(tx, owner, { executionSequence, now }) || isChanged
      continue
    }
    const terms = termsOf(resource)
    if (terms === null) continue
    isChanged = putTenant(tx, { owner, terms, executionSequence, now }) || isChanged
    const tenant = findTenant(tx, owner)
    if (tenant === null) continue
    writes[locator] = { tenantId: tenant.tenantId, accessToken: readAccessToken(tx, tenant.tenantId) }
  }
  const isUnchanged = Object.keys(writes).length === 0 || call.operation.operationType === 'CONFIGURE'
  return !isChanged && isUnchanged ? notApplied() : applied(writes)
}

function verify(tx: SqliteTransaction, call: Call): HandlerResult {
  const { bundleInstallId } = call.installation
  let seen = 0
  for (const resource of call.resources) {
    const terms = resource.action === 'DETACH' ? null : termsOf(resource)
    if (terms === null) continue
    seen++
    const tenant = findTenant(tx, { bundleInstallId, locator: resource.locator })
    const written = resource.values['tenantId']
    const isSame = written === undefined || written === tenant?.tenantId
    if (tenant?.state !== 'ACTIVE' || !hasTerms(tenant, terms) || !isSame)
      throw new PluginFailure({
        errorCode: 'TENANT_NOT_AS_PROVISIONED',
        message: `The tenant of ${resource.locator} is not as it was provisioned`,
        retryable: false,
      })
  }
  return seen === 0 ? notApplied() : verified()
}

function remove(tx: SqliteTransaction, { installation, executionSequence }: Call): HandlerResult {
  const now = new Date().toISOString()
  return removeTenants(tx, { bundleInstallId: installation.bundleInstallId }, { executionSequence, now })
    ? applied()
    : notApplied()
}

/** Null for a resource without a tenant. */
function termsOf({ locator, values }: CallResource): TenantTerms | null {
  const { displayName, plan = 'starter', seats = 5 } = values
  if (displayName === undefined) return null
  if (typeof displayName === 'string' && typeof plan === 'string' && Number.isSafeInteger(seats))
    return { displayName, plan, seats: Number(seats) }
  throw new PluginFailure({
    errorCode: 'TENANT_PROPERTIES_INVALID',
    message: `displayName and plan of ${locator} must be strings, and seats an integer`,
    retryable: false,
  })
}
