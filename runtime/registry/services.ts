import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import { mayIn } from '#contract/endpoint/permission.ts'
import type { Service } from '#contract/runtime-api/services.ts'
import type { EgressRule } from '#edge/egress.ts'
import { notFound } from '../actor.ts'
import type { Actor } from '../actor.ts'
import { recordAudit } from '../audit/record.ts'
import type { Answer, Input, ReadContext, WriteContext } from '../context.ts'
import { Refusal } from '../refusal.ts'
import { containsText, cursorValues, pageOf } from '../store/page.ts'
import { listReferrerRows } from '../store/services/list-referrers.ts'
import { ownsModule } from '../store/services/owns-module.ts'
import { saveServiceRow } from '../store/services/save-service.ts'
import { selectServices } from '../store/services/select-services.ts'
import type { ServiceRow } from '../store/services/select-services.ts'
import { usableBy } from '../store/services/usable-by.ts'
import type { Db } from '../world.ts'
import { demandReachable } from './destination.ts'

/** Registered services in the order of their ids; with a whole scope those that it may use. */
export async function listServices(
  { world, actor }: ReadContext,
  { query }: Input<'GET /services'>,
): Promise<Answer<'GET /services'>> {
  const [after] = cursorValues(query.cursor, ['string']) ?? []
  const rows = await selectServices(world.db, {
    where: sql`${after === undefined ? sql`true` : sql`service.service_id > ${after}`}
      and ${containsText(query.q, [sql`service.service_id`, sql`service.title`])}
      and ${inPlace(query)}`,
    limit: query.limit + 1,
  })
  return pageOf(rows, query.limit, {
    item: (row) => serviceView(row, actor),
    valuesOf: (row) => [row.service_id],
  })
}

/** One service. Refuses with NOT_FOUND. */
export function readService(
  { world, actor }: ReadContext,
  { params }: Input<'GET /services/{serviceId}'>,
): Promise<Answer<'GET /services/{serviceId}'>> {
  return demandService(world.db, actor, params.serviceId)
}

/**
 * Registers a service or changes its registration. Refuses an address that EGRESS_ALLOW does not allow, and with
 * RESOURCE_OWNERSHIP_MISSING an owner that is no installed Module.
 */
export async function saveService(
  { tx, actor }: WriteContext,
  { params, body }: Input<'PUT /services/{serviceId}'>,
  egressAllow: readonly EgressRule[],
): Promise<Answer<'PUT /services/{serviceId}'>> {
  demandReachable(egressAllow, body.url, 'url')
  if (body.owner !== null && !(await ownsModule(tx, body.owner))) {
    throw new Refusal(
      'RESOURCE_OWNERSHIP_MISSING',
      'The owner must be a Module of an installation, by its full locator.',
      {
        details: [
          {
            locator: body.owner.locator,
            path: 'body.owner',
            errorCode: 'RESOURCE_OWNERSHIP_MISSING',
            message: 'This installation has no such Module',
          },
        ],
      },
    )
  }
  await saveServiceRow(tx, {
    service_id: params.serviceId,
    title: body.title,
    // a method is appended as one more segment
    url: body.url.replace(/\/+$/, ''),
    methods: JSON.stringify(body.methods),
    owner_bundle_install_id: body.owner?.bundleInstallId ?? null,
    owner_locator: body.owner?.locator ?? null,
    consumers: JSON.stringify(body.consumers),
    enabled: body.enabled,
  })
  await recordAudit(tx, actor, { action: 'service.save', subject: params.serviceId })
  return demandService(tx, actor, params.serviceId)
}

/** Who refers to a service, of what the actor may see. Refuses with NOT_FOUND. */
export async function listReferrers(
  { world, actor }: ReadContext,
  { params, query }: Input<'GET /services/{serviceId}/referrers'>,
): Promise<Answer<'GET /services/{serviceId}/referrers'>> {
  const { serviceId } = params
  await demandService(world.db, actor, serviceId)
  const after = cursorValues(query.cursor, ['string', 'string', 'string'])
  const rows = await listReferrerRows(world.db, actor, { serviceId, after, limit: query.limit + 1 })
  return pageOf(rows, query.limit, {
    item: (row) => ({
      installation: {
        environmentKey: row.environment_key,
        applicationRuntimeId: row.application_runtime_id,
        workspaceId: row.workspace_id,
        bundleInstallId: row.bundle_install_id,
        bundle: { environmentKey: row.bundle_environment_key, bundleId: row.bundle_id },
      },
      locator: row.locator,
      property: row.property,
    }),
    valuesOf: (row) => [row.bundle_install_id, row.locator, row.property],
  })
}

async function demandService(db: Db, actor: Actor, serviceId: string): Promise<Service> {
  const [row] = await selectServices(db, { where: sql`service.service_id = ${serviceId}` })
  if (row === undefined) throw notFound('service')
  return serviceView(row, actor)
}

/** Of its consumers those that the actor may see: a scope is told nowhere else either. */
function serviceView(row: ServiceRow, actor: Actor): Service {
  const { owner_bundle_install_id: bundleInstallId, owner_locator: locator } = row
  return {
    serviceId: row.service_id,
    title: row.title,
    url: row.url,
    methods: row.methods,
    owner: bundleInstallId === null || locator === null ? null : { bundleInstallId, locator },
    consumers: row.consumers.filter((scope) => mayIn(actor.grants, 'read', scope)),
    enabled: row.enabled,
  }
}

/** A whole scope asks what it may use; a part of one, what serves any scope there. */
function inPlace(place: Input<'GET /services'>['query']): RawBuilder<boolean> {
  const { environmentKey, applicationRuntimeId, workspaceId } = place
  if (environmentKey !== undefined && applicationRuntimeId !== undefined && workspaceId !== undefined)
    return usableBy({ environmentKey, applicationRuntimeId, workspaceId })
  const part = Object.fromEntries(
    Object.entries({ environmentKey, applicationRuntimeId, workspaceId }).filter(
      ([, value]) => value !== undefined,
    ),
  )
  if (Object.keys(part).length === 0) return sql<boolean>`true`
  return sql<boolean>`(
    service.consumers @> ${JSON.stringify([part])}::jsonb
    or (service.consumers = '[]'::jsonb and jsonb_build_object(
      'environmentKey', owner.environment_key,
      'applicationRuntimeId', owner.application_runtime_id,
      'workspaceId', owner.workspace_id) @> ${JSON.stringify(part)}::jsonb))`
}
