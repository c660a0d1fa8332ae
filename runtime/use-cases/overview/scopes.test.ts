import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { ScopeRow } from '#contract/runtime-api/summary.ts'
import {
  bindingOf,
  bundleOf,
  locatorOf,
  moduleOf,
  startRuleHarness,
  TEXT,
  wrapped,
} from '../../testing/rules.ts'
import type { RuleHarness } from '../../testing/rules.ts'

const shop = bundleOf('shop', {
  resources: [moduleOf('main', { name: TEXT })],
  plugins: [bindingOf('hooks', 1, { main: { reads: ['name'] } })],
})

let harness: RuleHarness
before(async () => {
  harness = await startRuleHarness()
  await harness.register('hooks')
  await harness.publish(shop)
})
after(() => harness.close())

const list = async (q: string) =>
  ScopeRow.array().parse((await harness.ok(`/scopes?q=${encodeURIComponent(q)}`, {}))['items'])

describe('the list of scopes', () => {
  it('is searched by the words of a scope, of which each must occur', async () => {
    const [one, other] = [harness.newScope(), { ...harness.newScope(), applicationRuntimeId: 'eu-north' }]
    for (const scope of [one, other]) await harness.installed(shop, { scope })
    const text = `${one.environmentKey}/${one.applicationRuntimeId}/${one.workspaceId}`
    assert.deepEqual(
      (await list(text)).map(({ workspaceId }) => workspaceId),
      [one.workspaceId],
    )
    assert.deepEqual(
      (await list(`NORTH ${other.environmentKey}`)).map(({ workspaceId }) => workspaceId),
      [other.workspaceId],
    )
    for (const q of ['north south', '%', '100%_']) assert.deepEqual(await list(q), [], q)
  })

  it('says who saved last, and how many of the locked installations have failed', async () => {
    const scope = harness.newScope()
    await harness.installed(shop, { scope })
    harness.plugin.script(() => ({ outcome: 'FAILED' }))
    const saved = await harness.save(scope, { [locatorOf(shop, 'main')]: wrapped({ name: 'x' }) })
    const [operation] = saved.data['operations'] as { operationId: string }[]
    await harness.ended(operation?.operationId ?? '')
    const [row] = await list(String(scope.workspaceId))
    assert.deepEqual([row?.claimed, row?.failed, row?.savedBy.name], [1, 1, 'ada'])
    assert.ok(Date.parse(row?.savedAt ?? '') > Date.now() - 60_000)
  })
})
