import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { InstalledProperty } from '#contract/runtime-api/installations.ts'
import { bindingOf, bundleOf, locatorOf, moduleOf, startRuleHarness } from '../../testing/rules.ts'
import type { RuleHarness } from '../../testing/rules.ts'

const titled = (title: string) => ({ kind: 'DATA', schema: { type: 'string', title } }) as const
const shop = bundleOf('shop', {
  resources: [moduleOf('checkout', { currency: titled('Default currency'), note: titled('') })],
})
const newer = bundleOf('shop', {
  version: '2.0.0',
  resources: [moduleOf('checkout', { currency: titled('Currency of prices'), added: titled('Added later') })],
})

let harness: RuleHarness
let scopes: { environmentKey: string; applicationRuntimeId: string; workspaceId: number }[] = []
before(async () => {
  harness = await startRuleHarness()
  await harness.publish(shop)
  scopes = [1, 2, 3, 4].map(() => harness.newScope())
  for (const scope of scopes) await harness.installed(shop, { scope })
})
after(() => harness.close())

const find = async (
  q: string,
  options: Parameters<RuleHarness['http']['call']>[1] = {},
): Promise<InstalledProperty[]> => {
  const answer = await harness.http.call(`/installed-properties?q=${encodeURIComponent(q)}&limit=10`, options)
  assert.equal(answer.errorCode, '0', JSON.stringify(answer.json))
  return answer.data['items'] as unknown as InstalledProperty[]
}

describe('properties of installations', () => {
  it('are found by title and name, a few installations of each', async () => {
    const found = await find('default CURR')
    assert.equal(found.length, 3)
    const [first] = found
    assert.equal(first?.title, 'Default currency')
    assert.equal(first?.property, 'currency')
    assert.equal(first?.locator, locatorOf(shop, 'checkout'))
    assert.deepEqual(
      (await find('note')).map(({ title }) => title),
      ['note', 'note', 'note'],
      'a property without a title has its name',
    )
  })

  it('are ordered by the beginning of the title, by the title, and by the name', async () => {
    const mail = bundleOf('mail', {
      resources: [
        moduleOf('sender', {
          mailEncryption: titled('Encryption'),
          mailPort: titled('Port of the mail host'),
          mailUser: titled('Mail user'),
          secondMailUser: titled('Second mail user'),
        }),
      ],
    })
    await harness.publish(mail)
    const [scope] = scopes
    assert.ok(scope)
    await harness.installed(mail, { scope })
    const titles = async (q: string) => (await find(q)).map(({ title }) => title)
    const [begins, ...inTitle] = ['Mail user', 'Port of the mail host', 'Second mail user']
    assert.deepEqual(await titles('mail'), [begins, ...inTitle, 'Encryption'])
    // more of the words
    assert.deepEqual(await titles('mail host'), [inTitle[0]])
    assert.deepEqual((await titles('mail sender')).at(-1), 'Encryption')
  })

  it('say how many installations match, of which a few are listed', async () => {
    assert.deepEqual(
      (await find('default curr')).map(({ installations }) => installations),
      [4, 4, 4],
    )
    const [first, second] = scopes
    assert.ok(first && second)
    const { environmentKey } = first
    const [inPlace] = await find(`currency ${environmentKey}`)
    assert.equal(
      inPlace?.installations,
      scopes.filter((scope) => scope.environmentKey === environmentKey).length,
    )
    const [one] = await find(
      `currency ${second.environmentKey}/${second.applicationRuntimeId}/${second.workspaceId}`,
    )
    assert.equal(one?.installations, 1)
  })

  it('are found with a part of the scope and the bundle, which alone find nothing', async () => {
    const last = scopes.at(-1)
    assert.ok(last)
    const text = `${last.environmentKey}/${last.applicationRuntimeId}/${last.workspaceId}`
    const found = await find(`currency ${text} shop`)
    assert.deepEqual(
      found.map(({ installation }) => installation.workspaceId),
      [last.workspaceId],
    )
    for (const q of [text, 'shop', 'currency elsewhere', '%']) assert.deepEqual(await find(q), [], q)
  })

  it('are limited to what the person may see', async () => {
    const [scope] = scopes
    assert.ok(scope)
    const found = await find('currency', { grants: [{ scope, permissions: ['read'] }] })
    assert.deepEqual(
      found.map(({ installation }) => installation.workspaceId),
      [scope.workspaceId],
    )
  })

  it('have the titles of the newest version, and exist in the installed one', async () => {
    await harness.publish(newer)
    assert.equal((await find('prices')).length, 3)
    assert.deepEqual(await find('added'), [])
  })

  it('are found behind many published bundles and other installations with the same title', async () => {
    const elsewhere = harness.newScope()
    for (let index = 0; index < 25; index++) {
      const bundle = bundleOf(`a-shop-${index}`, {
        resources: [moduleOf('checkout', { rounding: titled('Rounding') })],
      })
      await harness.publish(bundle)
      if (index < 22) await harness.installed(bundle, { scope: elsewhere })
    }
    const last = bundleOf('z-shop', { resources: [moduleOf('checkout', { rounding: titled('Rounding') })] })
    await harness.publish(last)
    const scope = harness.newScope()
    await harness.installed(last, { scope })
    const locators = (found: InstalledProperty[]) => found.map(({ locator }) => locator)

    const grants = [{ scope, permissions: ['read' as const] }]
    assert.deepEqual(locators(await find('rounding', { grants })), [locatorOf(last, 'checkout')])
    const place = `${scope.environmentKey}/${scope.applicationRuntimeId}/${scope.workspaceId}`
    assert.deepEqual(locators(await find(`rounding ${place}`)), [locatorOf(last, 'checkout')])
    assert.equal((await find('rounding')).length, 10)
  })

  it('are found among thousands that an installation does not have (J01)', async () => {
    const wide = (version: string, name: string) => {
      const names = Array.from({ length: 5_000 }, (_, at) => `${name}${at}`)
      const definition = { kind: 'DATA', schema: { description: 'x'.repeat(100) } } as const
      const properties = Object.fromEntries(names.map((one) => [one, definition]))
      return bundleOf('wide', {
        version,
        resources: [moduleOf('wide', { ...properties, both: titled('Gone ago') })],
      })
    }
    const [first, second] = [wide('1.0.0', 'gone'), wide('2.0.0', 'goneToo')]
    await harness.publish(first)
    await harness.installed(first, { scope: harness.newScope() })
    await harness.publish(second)
    assert.deepEqual(
      (await find('gone')).map(({ property }) => property),
      ['both'],
    )
  })

  it('are found where an upgrade failed after it had changed the resources', async () => {
    const plugins = [bindingOf('rates', 1, { rates: { reads: ['rate'] } })]
    const rates = (version: string) =>
      bundleOf('rates', {
        version,
        resources: [moduleOf('rates', { rate: titled('Exchange rate') })],
        plugins,
      })
    await harness.register('rates')
    await harness.publish(rates('1.0.0'), rates('2.0.0'))
    const scope = harness.newScope()
    const id = await harness.installed(rates('1.0.0'), { scope })
    harness.plugin.script(({ stage }) => ({ outcome: stage === 'AFTER_RESOURCES' ? 'FAILED' : 'APPLIED' }))
    await harness.fails(await harness.upgrade(id, { targetVersion: '2.0.0' }), 'PLUGIN_REPORTED_FAILURE')
    for (const grants of [[{ scope, permissions: ['read' as const] }], undefined]) {
      const found = await find('exchange', grants && { grants })
      assert.deepEqual(
        found.map(({ installation }) => installation.bundleInstallId),
        [id],
      )
    }
  })

  it('are found in a place behind hundreds that match better elsewhere', async () => {
    const names = Array.from({ length: 501 }, (_, at) => [`host${at}`, titled('A host')] as const)
    const many = bundleOf('hosts', { resources: [moduleOf('many', Object.fromEntries(names))] })
    const one = bundleOf('host', { resources: [moduleOf('one', { host: titled('The host') })] })
    await harness.publish(many, one)
    const scope = harness.newScope()
    await harness.installed(many, { scope: harness.newScope() })
    await harness.installed(one, { scope })
    const place = `${scope.environmentKey}/${scope.applicationRuntimeId}/${scope.workspaceId}`
    assert.deepEqual(
      (await find(`host ${place}`)).map(({ title }) => title),
      ['The host'],
    )
  })
})
