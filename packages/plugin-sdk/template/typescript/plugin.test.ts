import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startTestPlatform } from '@bundle-console/plugin-sdk/testing'
import { mailboxMaker } from './plugin.ts'
import { openStore } from './store.ts'

const MAIL = 'development/team-mail/MODULE/mail'
// not the data of the plugin; with PostgreSQL, DATABASE_URL names the database
process.env['DATA_FILE'] ??= ':memory:'
const store = openStore()
let platform: Awaited<ReturnType<typeof startTestPlatform>>
before(async () => {
  platform = await startTestPlatform({
    pluginId: 'mailbox-maker',
    modules: { [MAIL]: { values: { displayName: 'Northwind Sales' }, writes: ['mailbox'] } },
  })
})
after(async () => {
  await platform.close()
  await store.close()
})

test('a mailbox follows the name of its Module, and a repeat makes no other', async () => {
  const installation = platform.installation(mailboxMaker({ ...platform.settings, store }))
  const [installed, checked] = await installation.run('INSTALL')
  assert.deepEqual(installed?.writes, { [MAIL]: { mailbox: 'northwind.sales@example.com' } })
  assert.equal(checked?.outcome, 'VERIFIED')
  assert.equal((await installed?.repeat())?.body, installed?.body)

  const [configured] = await installation.run('CONFIGURE', {
    values: { [MAIL]: { displayName: 'Northwind Support' } },
  })
  assert.deepEqual(configured?.writes, { [MAIL]: { mailbox: 'northwind.support@example.com' } })

  const [removed] = await installation.run('DETACH')
  assert.equal(removed?.outcome, 'APPLIED')
})
