import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { bundleOf, locatorOf, moduleOf, placeOf, startRuleHarness, TEXT, wrapped } from '../testing/rules.ts'
import type { RuleHarness } from '../testing/rules.ts'

// The domain of a gateway is used once in its environment: docs/writing-a-bundle.md.

const domain: PropertyDefinition = { kind: 'DATA', schema: { type: 'string', format: 'hostname' } }
const gateway = (name: string, title = name) =>
  ({ kind: 'GATEWAY', name, title, properties: { domain, note: TEXT } }) as const
const site = bundleOf('site', { resources: [gateway('public'), gateway('internal')] })
const smaller = bundleOf('site', { version: '2.0.0', resources: [gateway('public')] })
const shop = bundleOf('shop', { resources: [gateway('front'), moduleOf('main', { host: domain })] })

const publicOf = locatorOf(site, 'public', 'GATEWAY')
const internalOf = locatorOf(site, 'internal', 'GATEWAY')
const frontOf = locatorOf(shop, 'front', 'GATEWAY')

let harness: RuleHarness
before(async () => {
  harness = await startRuleHarness()
  await harness.publish(site, smaller, shop)
})
after(() => harness.close())

const setting = (locator: string, value: string) => ({ [locator]: wrapped({ domain: value }) })

/** Saves, and returns the reasons of the refusal; empty if there is none. */
async function refusals(scope: Scope, changes: Parameters<RuleHarness['save']>[1]): Promise<unknown[]> {
  const answer = await harness.save(scope, changes)
  if (answer.errorCode === '0') {
    for (const { operationId } of answer.data['operations'] as { operationId: string }[])
      await harness.succeeds(operationId)
    return []
  }
  assert.equal(answer.errorCode, 'PROPERTY_INVALID')
  const details = answer.data['details'] as { property: string; parameters: { reason: string } }[]
  assert.ok(details.every(({ property }) => property === 'domain'))
  return details.map(({ parameters }) => parameters.reason)
}

describe('the domain of a gateway', () => {
  it('is refused if another gateway of the environment has it, in any case, and accepted elsewhere', async () => {
    const [one, other] = [harness.newScope(), harness.newScope()]
    const elsewhere = { ...harness.newScope(), environmentKey: 'staging' }
    await harness.installed(site, { scope: one, properties: setting(publicOf, 'one.example.org') })
    for (const scope of [other, elsewhere]) await harness.installed(site, { scope })

    const plan = await harness.ok(`${placeOf(other)}/configuration/plan`, {
      method: 'POST',
      body: { snapshotVersion: 1, changes: setting(publicOf, 'One.Example.org') },
    })
    assert.match(JSON.stringify(plan['problems']), new RegExp(`used by ${publicOf} in ${placeText(one)}`))
    assert.deepEqual(await refusals(other, setting(publicOf, 'One.Example.org')), ['domainTaken'])
    assert.deepEqual(await refusals(elsewhere, setting(publicOf, 'one.example.org')), [])
    // its own property, and a property of another kind of resource, may have it
    assert.deepEqual(await refusals(one, setting(publicOf, 'ONE.example.org')), [])
    await harness.installed(shop, {
      scope: other,
      properties: { [locatorOf(shop, 'main')]: wrapped({ host: 'one.example.org' }) },
    })
  })

  it('names the holder only to a person who may see it, and to nobody in a change request (G02)', async () => {
    const [one, other] = [harness.newScope(), harness.newScope()]
    await harness.installed(site, { scope: one, properties: setting(publicOf, 'seen.example.org') })
    await harness.installed(site, { scope: other })
    const answer = await harness.http.call(`${placeOf(other)}/configuration`, {
      method: 'PATCH',
      body: { snapshotVersion: 1, changes: setting(publicOf, 'seen.example.org') },
      grants: [{ scope: other, permissions: ['read', 'configuration:write'] }],
    })
    assert.equal(answer.errorCode, 'PROPERTY_INVALID')
    assert.match(String(answer.data['message']), /used by another gateway of this environment/)
    assert.doesNotMatch(JSON.stringify(answer.json), new RegExp(placeText(one)))
    // a request is planned as its author, who may see both, and read by others
    const { changeRequest } = await harness.ok('/change-requests', {
      method: 'POST',
      body: {
        kind: 'CONFIGURE',
        title: 'Another domain',
        scope: { ...other },
        input: { snapshotVersion: 1, changes: setting(publicOf, 'seen.example.org') },
      },
    })
    const plan = await harness.ok(
      `/change-requests/${(changeRequest as { changeRequestId: string }).changeRequestId}/plan`,
      { actor: 'mallory', grants: [{ scope: other, permissions: ['read'] }] },
    )
    assert.match(JSON.stringify(plan['problems']), /used by another gateway of this environment/)
    assert.doesNotMatch(JSON.stringify(plan), new RegExp(placeText(one)))
  })

  it('is checked in an install and within one request', async () => {
    const [one, other] = [harness.newScope(), harness.newScope()]
    await harness.installed(site, { scope: one, properties: setting(publicOf, 'first.example.org') })
    const body = (properties: Record<string, unknown>) => ({
      scope: { ...other },
      bundle: { ...site.bundle },
      targetVersion: '1.0.0',
      properties,
    })
    const install = async (properties: Record<string, unknown>) => {
      const answer = await harness.http.call('/installations', {
        method: 'POST',
        body: body(properties) as never,
      })
      return [answer.errorCode, answer.data['message']]
    }
    assert.match(
      String(await install(setting(internalOf, 'first.example.org'))),
      /PROPERTY_INVALID.*is used by/,
    )
    const twice = { ...setting(publicOf, 'twice.example.org'), ...setting(internalOf, 'twice.example.org') }
    assert.match(String(await install(twice)), /PROPERTY_INVALID.*more than one gateway/)
  })

  it('is free for a gateway of the installation when the upgrade removes its own', async () => {
    const scope = harness.newScope()
    const bundleInstallId = await harness.installed(site, {
      scope,
      properties: setting(internalOf, 'moved.example.org'),
    })
    const { snapshotVersion } = await harness.configuration(scope)
    const properties = setting(publicOf, 'moved.example.org')
    const body = { targetVersion: '2.0.0', snapshotVersion, properties }
    await harness.succeeds(await harness.upgrade(bundleInstallId, body))
    const { resources } = await harness.configuration(scope)
    assert.deepEqual(
      resources[publicOf]?.properties['domain'],
      wrapped({ domain: 'moved.example.org' })['domain'],
    )
  })

  it('may be given again in an upgrade that does not change it', async () => {
    const properties = setting(publicOf, 'again.example.org')
    const scope = harness.newScope()
    const bundleInstallId = await harness.installed(site, { scope, properties })
    const { snapshotVersion } = await harness.configuration(scope)
    const body = { targetVersion: '2.0.0', snapshotVersion, properties }
    await harness.succeeds(await harness.upgrade(bundleInstallId, body))
  })

  it('is not written by an operation that keeps it', async () => {
    const scope = harness.newScope()
    const properties = setting(publicOf, 'kept.example.org')
    const bundleInstallId = await harness.installed(site, { scope, properties })
    const versions = async () =>
      (
        await sql<{ xmin: string }>`
          select xmin::text from runtime.gateway_domain where domain = 'kept.example.org'`.execute(harness.db)
      ).rows
    const before = await versions()
    assert.deepEqual(await refusals(scope, { [publicOf]: wrapped({ note: 'other' }) }), [])
    const { snapshotVersion } = await harness.configuration(scope)
    await harness.succeeds(
      await harness.upgrade(bundleInstallId, { targetVersion: '2.0.0', snapshotVersion }),
    )
    assert.deepEqual(await versions(), before)
  })

  it('is free after a detach that a replica of an earlier version has completed', async () => {
    const [one, other] = [harness.newScope(), harness.newScope()]
    const properties = setting(publicOf, 'released.example.org')
    const bundleInstallId = await harness.installed(site, { scope: one, properties })
    await sql`update runtime.installation set state = 'DETACHED' where bundle_install_id = ${bundleInstallId}`.execute(
      harness.db,
    )
    await harness.installed(site, { scope: other, properties })
  })

  it('is held from the acceptance of an operation, and free after a detach', async () => {
    const [one, other] = [harness.newScope(), harness.newScope()]
    const { bundleInstallId, operationId } = await harness.install(site, {
      scope: one,
      properties: setting(publicOf, 'held.example.org'),
    })
    await harness.installed(site, { scope: other })
    assert.deepEqual(await refusals(other, setting(publicOf, 'held.example.org')), ['domainTaken'])
    await harness.succeeds(operationId)
    await harness.succeeds(await harness.detach(bundleInstallId))
    assert.deepEqual(await refusals(other, setting(publicOf, 'held.example.org')), [])
  })

  it('is free when a save or an upgrade gives it up', async () => {
    const [one, other] = [harness.newScope(), harness.newScope()]
    const bundleInstallId = await harness.installed(site, {
      scope: one,
      properties: {
        ...setting(publicOf, 'given.example.org'),
        ...setting(internalOf, 'inside.example.org'),
      },
    })
    await harness.installed(site, { scope: other })
    assert.deepEqual(await refusals(one, setting(publicOf, 'next.example.org')), [])
    assert.deepEqual(await refusals(other, setting(publicOf, 'given.example.org')), [])
    assert.deepEqual(await refusals(other, setting(internalOf, 'inside.example.org')), ['domainTaken'])
    // version 2.0.0 has no such gateway
    await harness.succeeds(await harness.upgrade(bundleInstallId, { targetVersion: '2.0.0' }))
    assert.deepEqual(await refusals(other, setting(internalOf, 'inside.example.org')), [])
  })

  it('can be exchanged by one save, between gateways of two installations too', async () => {
    const scope = harness.newScope()
    await harness.installed(site, { scope, properties: setting(publicOf, 'left.example.org') })
    await harness.installed(shop, { scope, properties: setting(frontOf, 'right.example.org') })
    const exchanged = { ...setting(publicOf, 'right.example.org'), ...setting(frontOf, 'left.example.org') }
    assert.deepEqual(await refusals(scope, exchanged), [])
  })

  it('goes to one of two concurrent saves', async () => {
    const scopes = [harness.newScope(), harness.newScope(), harness.newScope()]
    for (const scope of scopes) await harness.installed(site, { scope })
    const results = await Promise.all(
      scopes.map((scope) => refusals(scope, setting(publicOf, 'race.example.org'))),
    )
    assert.equal(results.filter((reasons) => reasons.length === 0).length, 1)
  })
})

const placeText = ({ environmentKey, applicationRuntimeId, workspaceId }: Scope): string =>
  `${environmentKey}/${applicationRuntimeId}/${workspaceId}`
