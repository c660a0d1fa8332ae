import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { AuthorManifest } from '../../../contract/protocol/manifest.ts'
import { parseProfile } from './profile.ts'
import { profileOfManifest } from './profile-of-manifest.ts'

const TEMPLATE = fileURLToPath(new URL('../../plugin-sdk/template/bundle/manifest.json', import.meta.url))

/** The manifest of the template, changed, in a file. */
function changed(t: TestContext, change: (manifest: AuthorManifest) => void): string {
  const folder = mkdtempSync(join(tmpdir(), 'plugin-check-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  // a file of this repository
  const manifest = JSON.parse(readFileSync(TEMPLATE, 'utf8')) as AuthorManifest
  change(manifest)
  const file = join(folder, 'manifest.json')
  writeFileSync(file, JSON.stringify(manifest))
  return file
}

test('a profile has a sample for each property that the plugin reads, and what it writes', (t) => {
  const file = changed(t, ({ resources: [module], plugins: [plugin] }) => {
    Object.assign(module?.properties ?? {}, {
      plan: { kind: 'DATA', schema: { enum: ['team', 'enterprise'] } },
      seats: { kind: 'DATA', schema: { type: 'integer', minimum: 5 } },
      apiKey: { kind: 'DATA', schema: { type: 'string', minLength: 12 }, isSensitive: true },
      limits: {
        kind: 'DATA',
        schema: { type: 'object', properties: { users: { type: 'integer' } }, required: ['users'] },
      },
      gateway: { kind: 'SERVICE_REFERENCE' },
    })
    plugin?.resources[0]?.readProperties.push('plan', 'seats', 'apiKey', 'limits')
    plugin?.resources[0]?.credentialProperties.push('gateway')
  })
  const profile = profileOfManifest(file, null, null)
  const { pluginId, resources } = parseProfile(profile, 'of the test')
  assert.equal(pluginId, 'mailbox-maker')
  const found = resources['development/team-mail/MODULE/mail']
  assert.deepEqual(found?.properties, {
    displayName: 'Northwind Sales',
    plan: 'team',
    seats: 5,
    apiKey: 'Northwind Sales',
    limits: { users: 1 },
  })
  assert.deepEqual(found.changed, {
    displayName: 'Northwind',
    plan: 'enterprise',
    seats: 6,
    apiKey: 'https://example.com/',
  })
  assert.deepEqual(found.sensitive, ['apiKey'])
  assert.deepEqual(found.references, {
    gateway: { '@type': 'ServiceReference', serviceId: 'gateway-service' },
  })
  assert.deepEqual(found.writes, {
    mailbox: { isSensitive: false, isIssued: false, schema: { type: 'string', title: 'Mailbox' } },
  })
})

test('with the next manifest, a scenario upgrades to it', (t) => {
  const next = changed(t, (manifest) => {
    manifest.version = '2.0.0'
  })
  const { scenarios } = parseProfile(profileOfManifest(TEMPLATE, next, null), 'of the test')
  assert.deepEqual(
    scenarios[0]?.steps.map(({ operation, targetVersion }) => [operation, targetVersion]),
    [
      ['INSTALL', '1.0.0'],
      ['UPGRADE', '2.0.0'],
      ['DETACH', undefined],
    ],
  )
})

test('a wrong manifest, and a plugin that it does not name, are told', (t) => {
  const wrong = changed(t, ({ plugins: [plugin] }) => plugin?.resources[0]?.writeProperties.push('color'))
  assert.throws(
    () => profileOfManifest(wrong, null, null),
    /^UsageError: The manifest is wrong, so no profile was created\.\n\S+manifest\.json:1:\d+: \/plugins\/0\S*: .*color$/,
  )
  assert.throws(
    () => profileOfManifest(TEMPLATE, null, 'other'),
    /Name one of the plugins of \S+ with --plugin: mailbox-maker/,
  )
})
