import { platformMessage } from '#contract/protocol/platform-messages.ts'
import type { Selectable } from 'kysely'
import { mayIn } from '#contract/endpoint/permission.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import type { Referrer, Service } from '#contract/runtime-api/services.ts'
import type { Actor } from '../../model/actor.ts'
import { fieldChanges, recordAudit } from '../audit/record.ts'
import type { Fields } from '../audit/record.ts'
import type { Answer, Input, ReadContext, WriteContext } from '../context.ts'
import { DomainError } from '../../engine/refusals.ts'
import { cursorValues, pageOf } from '../paging.ts'
import { findInstallation } from '../../store/installations/installations.ts'
import { scopeOf } from '../../store/configuration/scopes.ts'
import { identityOf } from '../../engine/views.ts'
import { listOwned } from '../../store/services/dependencies.ts'
import { listReferrerRows } from '../../store/services/list-referrers.ts'
import type { ReferrerRow } from '../../store/services/list-referrers.ts'
import {
  findService,
  listServiceRows,
  lockService,
  ownsModule,
  saveServiceRow,
} from '../../store/services/services.ts'
import type { ServiceOwner, ServiceRow } from '../../store/services/services.ts'
import type { RuntimeTables } from '../../model/tables.ts'
import { registrationExists, requireExpected, requireReachable } from './registration.ts'
import type { Egress } from './registration.ts'
import { notFound, requireVisible } from '../authorize.ts'
import type { Db } from '../../model/db.ts'

/** Registered services, ordered by id; with a complete scope, those that it may use. */
export async function listServices(
  { deps, actor }: ReadContext,
  { query }: Input<'GET /services'>,
): Promise<Answer<'GET /services'>> {
  const [after] = cursorValues(query.cursor, ['string']) ?? []
  const rows = await listServiceRows(deps.db, actor, { ...query, after, limit: query.limit + 1 })
  return pageOf(rows, query.limit, {
    item: (row) => serviceView(row, actor),
    valuesOf: (row) => [row.service_id],
  })
}

/** One service. Refuses with NOT_FOUND. */
export function readService(
  { deps, actor }: ReadContext,
  { params }: Input<'GET /services/{serviceId}'>,
): Promise<Answer<'GET /services/{serviceId}'>> {
  return requireService(deps.db, actor, params.serviceId)
}

/**
 * Registers a service or changes its registration. Refuses a registration other than the expected one with
 * REGISTRATION_EXISTS or REGISTRATION_STALE, an address that the deployment does not allow (a disabled service
 * may keep its address), and an owner that is not an installed Module with RESOURCE_OWNERSHIP_MISSING.
 */
export async function saveService(
  { tx, actor }: WriteContext,
  { params, body }: Input<'PUT /services/{serviceId}'>,
  egress: Egress,
): Promise<Answer<'PUT /services/{serviceId}'>> {
  const before = await lockService(tx, params.serviceId)
  requireExpected(body.expected, before, 'serviceId')
  // a method is appended as one more segment
  const url = body.url.replace(/\/+$/, '')
  if (body.enabled || url !== before?.url) requireReachable(egress, body.url, 'url')
  if (body.owner !== null && !(await ownsModule(tx, body.owner))) {
    throw new DomainError('RESOURCE_OWNERSHIP_MISSING', platformMessage('ownerNotModule'), {
      details: [
        {
          locator: body.owner.locator,
          path: 'body.owner',
          errorCode: 'RESOURCE_OWNERSHIP_MISSING',
          ...platformMessage('ownerNotModule'),
        },
      ],
    })
  }
  const after = {
    service_id: params.serviceId,
    title: body.title,
    url,
    methods: body.methods,
    owner_bundle_install_id: body.owner?.bundleInstallId ?? null,
    owner_locator: body.owner?.locator ?? null,
    consumers: body.consumers,
    enabled: body.enabled,
  }
  const isSaved = await saveServiceRow(
    tx,
    { ...after, methods: JSON.stringify(after.methods), consumers: JSON.stringify(after.consumers) },
    { mustBeNew: body.expected === null },
  )
  if (!isSaved) throw registrationExists('serviceId')
  await recordAudit(tx, actor, {
    action: 'service.save',
    subject: params.serviceId,
    reason: body.reason ?? null,
    changes: fieldChanges(before ? fieldsOf(before) : null, fieldsOf(after)),
  })
  return requireService(tx, actor, params.serviceId)
}

/** The references to a service that the actor may see. Refuses with NOT_FOUND. */
export async function listReferrers(
  { deps, actor }: ReadContext,
  { params, query }: Input<'GET /services/{serviceId}/referrers'>,
): Promise<Answer<'GET /services/{serviceId}/referrers'>> {
  const { serviceId } = params
  await requireService(deps.db, actor, serviceId)
  return referrersOf(deps.db, actor, [serviceId], query)
}

/** The references to services of an installation that the actor may see. Refuses with NOT_FOUND. */
export async function listInstallationReferrers(
  { deps, actor }: ReadContext,
  { params, query }: Input<'GET /installations/{bundleInstallId}/referrers'>,
): Promise<Answer<'GET /installations/{bundleInstallId}/referrers'>> {
  const installation = await findInstallation(deps.db, params.bundleInstallId)
  if (installation === undefined) throw notFound('installation')
  requireVisible(actor, scopeOf(installation), 'installation')
  return referrersOf(deps.db, actor, await ownedBy(deps.db, [params.bundleInstallId]), query)
}

/** The ids of the services that the installations own. */
async function ownedBy(db: Db, bundleInstallIds: readonly string[]): Promise<string[]> {
  return (await listOwned(db, bundleInstallIds)).map(({ service_id }) => service_id)
}

async function referrersOf(
  db: Db,
  actor: Actor,
  serviceIds: readonly string[],
  { cursor, limit }: { cursor?: string | undefined; limit: number },
) {
  const after = cursorValues(cursor, ['string', 'string', 'string', 'string'])
  const rows =
    serviceIds.length === 0 ? [] : await listReferrerRows(db, actor, { serviceIds, after, limit: limit + 1 })
  return pageOf(rows, limit, {
    item: referrerView,
    valuesOf: (row) => [row.bundle_install_id, row.locator, row.property, row.service_id],
  })
}

function referrerView(row: ReferrerRow): Referrer {
  return {
    installation: identityOf(row),
    installationTitle: row.installation_title,
    locator: row.locator,
    resourceTitle: row.resource_title,
    property: row.property,
    serviceId: row.service_id,
    serviceTitle: row.service_title,
  }
}

/**
 * The references of other installations that stop resolving when all of these are detached, at most `limit` of those that
 * the actor may see.
 */
export async function brokenReferences(
  db: Db,
  actor: Actor,
  { bundleInstallIds, limit }: { bundleInstallIds: readonly string[]; limit: number },
): Promise<{ items: Referrer[]; hasMore: boolean }> {
  const serviceIds = await ownedBy(db, bundleInstallIds)
  if (serviceIds.length === 0) return { items: [], hasMore: false }
  const options = { serviceIds, after: null, limit: limit + 1, except: bundleInstallIds }
  const rows = await listReferrerRows(db, actor, options)
  return { items: rows.slice(0, limit).map(referrerView), hasMore: rows.length > limit }
}

async function requireService(db: Db, actor: Actor, serviceId: string): Promise<Service> {
  const row = await findService(db, serviceId)
  if (row === undefined) throw notFound('service')
  return serviceView(row, actor)
}

function fieldsOf(row: Omit<Selectable<RuntimeTables['runtime.service']>, 'updated_at'>): Fields {
  const { owner_bundle_install_id: bundleInstallId, owner_locator: locator } = row
  return {
    title: row.title,
    url: row.url,
    methods: row.methods,
    owner: bundleInstallId === null || locator === null ? null : { bundleInstallId, locator },
    consumers: row.consumers.map((scope) => ({ ...scope })),
    enabled: row.enabled,
  }
}

/**
 * With owner and consumers only where the actor may read them: a response never names a scope that the actor may not
 * read.
 */
function serviceView(row: ServiceRow, actor: Actor): Service {
  const mayRead = (scope: Scope): boolean => mayIn(actor.grants, 'read', scope)
  return {
    serviceId: row.service_id,
    title: row.title,
    url: row.url,
    methods: row.methods,
    owner: row.owner !== null && mayRead(row.owner.scope) ? ownerView(row.owner) : null,
    consumers: row.consumers.filter(mayRead),
    enabled: row.enabled,
    updatedAt: row.updated_at,
  }
}

function ownerView({ bundleInstallId, locator }: ServiceOwner): Service['owner'] {
  return { bundleInstallId, locator }
}
