import { expect, test } from '../harness/test.ts'

const report = {
  format: 'bundle-console/plugin-check-report',
  version: 1,
  checkerVersion: '0.1.0',
  pluginId: 'tenant-provisioner',
  pluginVersion: '2.4.0',
  complete: true,
  docsUrl: 'https://docs.example.com/plugin-check',
  startedAt: '2026-11-23T05:00:00.000Z',
  cases: [
    { id: 'echo.fields', title: 'Echoes', level: 'MUST', fix: 'Echo it.', status: 'PASSED', problem: null },
    {
      id: 'repeats.same',
      title: 'A repeat gets the same response',
      level: 'MUST',
      fix: 'Remember the response.',
      status: 'FAILED',
      problem: 'The second response differs.',
    },
  ],
}

test('an administrator uploads a report, and sees the failed case linked to its page', async ({ signIn }) => {
  const page = await signIn('admin', '/plugins/tenant-provisioner?tab=reports')
  await page.getByRole('button', { name: 'Upload report' }).click()
  const form = page.getByRole('dialog', { name: /^Upload a report/ })
  await form.getByLabel('Choose file').setInputFiles({
    name: 'report.json',
    mimeType: 'application/json',
    buffer: Buffer.from(JSON.stringify(report)),
  })
  await expect(form.getByText('For version 2.4.0')).toBeVisible()
  await form.getByRole('button', { name: 'Upload' }).click()
  const stored = page.getByRole('region', { name: 'Version 2.4.0' })
  await expect(stored.getByText('Not passed')).toBeVisible()
  await expect(stored.getByText('1 passed, 1 failed, 0 not tested')).toBeVisible()
  await stored.getByText('1 case failed or not tested').click()
  await expect(stored.getByText('The second response differs.')).toBeVisible()
  await expect(stored.getByRole('link', { name: 'repeats.same' })).toHaveAttribute(
    'href',
    'https://docs.example.com/plugin-check/cases/repeats.same.md',
  )
})
