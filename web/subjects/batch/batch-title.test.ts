import assert from 'node:assert/strict'
import { test } from 'node:test'
import { localeStateOf } from '../../i18n/locale.ts'
import { translateIn } from '../../i18n/use-text.ts'
import { batchAction, batchRequestTitle } from './batch-title.ts'

test('an upgrade of only newer versions is a downgrade', () => {
  const actionFor = (versions: string[], targetVersion: string) =>
    batchAction({
      action: 'UPGRADE',
      summary: {
        targets: 3,
        bundles: [{ bundleId: 'crm-suite', title: null, targets: 3, versions }],
        bundleCount: 1,
      },
      input: { targetVersion, properties: [] },
    })
  assert.equal(actionFor(['1.1.0', '1.10.0'], '1.0.0'), 'DOWNGRADE')
  assert.equal(actionFor(['0.9.0', '1.1.0'], '1.0.0'), 'UPGRADE')
  assert.equal(actionFor([], '1.0.0'), 'UPGRADE')
})

test('the request of a batch is named after what it does, to which version, and where', async () => {
  const t = translateIn(await localeStateOf('en'))
  const bundle = { environmentKey: 'production', bundleId: 'crm-suite' }
  const item = (environmentKey: string) => ({
    bundle,
    title: 'CRM suite',
    scope: { environmentKey, applicationRuntimeId: 'eu', workspaceId: 1 },
    currentVersion: '1.0.0',
  })
  const titleOf = (targetVersion: string | null, property?: string) => {
    const properties = property === undefined ? [] : [{ locator: '', property, after: null }]
    const action = targetVersion === null ? ('CONFIGURE' as const) : ('UPGRADE' as const)
    const items = [item('production'), item('staging')]
    return batchRequestTitle({ action, input: { targetVersion, properties } }, items, t)
  }
  const titles = [titleOf('2.0.0'), titleOf('3.0.0'), titleOf(null, 'Port'), titleOf(null, 'Host')]
  assert.equal(new Set(titles).size, titles.length)
  assert.match(titles[0] ?? '', /CRM suite.*2\.0\.0, production, staging$/)
  assert.match(titles[2] ?? '', /Port.*production, staging$/)
})
