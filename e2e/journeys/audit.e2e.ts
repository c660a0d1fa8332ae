import { expectPage } from '../vocabulary.ts'
import { expect, test } from '../harness/test.ts'

test('the audit log shows sign-ins, and the changes made to a plugin', async ({ system, signIn }) => {
  const page = await signIn('admin', '/audit?action=session.sign-in')
  await expectPage(page, 'Audit')
  const entries = page.getByRole('list', { name: 'Audit entries, newest first' }).getByRole('listitem')
  // other journeys sign in too
  const signIns = entries.filter({ hasText: 'admin signed in' })
  // the console reports its events after the sign-in
  await expect(async () => {
    await page.reload()
    await expect(signIns.first()).toBeVisible({ timeout: 1_000 })
  }).toPass()
  await signIns.first().getByRole('button', { name: 'Source', exact: true }).click()
  await expect(signIns.first()).toContainText(/from (127\.0\.0\.1|::1)/)
  await expect(signIns.first()).toContainText(`signed in through ${system.url}/idp`)

  const plugin = { title: 'Audited', endpoint: 'http://127.0.0.1:9/', enabled: true }
  for (const enabled of [true, false]) {
    const answer = await page.request.put('/api/plugins/audited', {
      headers: {
        'x-requested-by': 'console',
        origin: system.url,
        'idempotency-key': crypto.randomUUID(),
      },
      data: { ...plugin, enabled, reason: 'for the audit' },
    })
    expect(answer.status()).toBe(200)
  }
  await page.getByRole('combobox', { name: 'Action' }).selectOption({ label: 'Change plugin' })
  await expect(entries.first()).toContainText('admin changed the plugin audited')
  await expect(entries.first()).toContainText('for the audit')
  await entries.first().getByText('1 change').click()
  await expect(entries.first()).toContainText('enabled')
})
