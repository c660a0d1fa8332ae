import { wrapData } from '#contract/protocol/data.ts'
import { ling } from '../../demo/people.ts'
import { configurationPath, expectApplied, field, MAIL, saveButton } from '../vocabulary.ts'
import { expect, fillSignIn, test } from '../harness/test.ts'
import { translate } from '../../web/testing/translate.ts'

const mail = { bundleId: 'crm-suite', kind: 'MODULE', name: 'crm-mail' } as const

test('an edit and its save survive a translator that works all the time', async ({ signIn, crmScope }) => {
  const page = await signIn('olivia', configurationPath(crmScope, MAIL))
  await expect(page.locator('html')).toHaveAttribute('translate', 'no')
  // an extension that does not respect it
  await page.evaluate(
    `(${translate.toString().replace('SKIPPED', "'font, script, style, textarea'")})(document.body, 'replace')`,
  )
  await field(page, 'SMTP port').fill('2525')
  await page.keyboard.press('Control+s')
  await expect(page.getByRole('dialog').getByLabel('Changes of CRM mail')).toContainText(/After:\s*2525/)
  await expect(saveButton(page)).not.toHaveAttribute('aria-disabled', 'true')
  await page.keyboard.press('Control+Enter')
  await expectApplied(page)
  await expect(field(page, 'SMTP port')).toHaveValue('2525')
  await page.getByRole('link', { name: 'Operations', exact: true }).first().click()
  await expect(page.getByRole('heading', { level: 1, name: 'Operations' })).toBeVisible()
})

test('while no events arrive but requests work, the configuration of another person appears, and the page says so', async ({
  system,
  signIn,
  crmScope,
}) => {
  test.setTimeout(120_000)
  const release = system.proxy.hold('GET /api/events')
  try {
    const page = await signIn('olivia', configurationPath(crmScope, MAIL))
    await expect(page.getByText('Live updates are off. This page refreshes every 30 s.')).toBeVisible({
      timeout: 15_000,
    })
    await system.ended((await system.configure(crmScope, mail, 'smtpPort', wrapData(2525), ling)).operationId)
    await expect(field(page, 'SMTP port')).toHaveValue('2525', { timeout: 45_000 })
  } finally {
    release()
  }
})

test('a link with a filter that is not understood shows nothing, says which, and opens without it', async ({
  signIn,
  crmScope,
}) => {
  const page = await signIn('olivia', '/operations?state=FAILED&state=SUCCEEDED')
  await expect(page.getByRole('heading', { level: 1, name: 'Operations' })).toBeVisible()
  await expect(
    page.getByRole('button', { name: /Failed, Succeeded|Succeeded, Failed|State/ }).first(),
  ).toBeVisible()
  expect(new URL(page.url()).searchParams.getAll('state').join(',').split(',').toSorted()).toEqual([
    'FAILED',
    'SUCCEEDED',
  ])
  const text = `${crmScope.environmentKey}/${crmScope.applicationRuntimeId}/${crmScope.workspaceId}`
  for (const [address, words] of [
    ['/operations?state=NOPE', 'state = NOPE'],
    ['/operations?since=yesterday&state=FAILED', 'since = yesterday'],
    ['/operations?serviceId=x', 'serviceId = x'],
    ['/installations?q=a&q=b', 'q = a, b'],
    ['/audit?action=NOPE', 'action = NOPE'],
    ['/services?workspaceId=1e3', 'workspaceId = 1e3'],
    [`/scopes/${text}/configuration?tab=history&since=yesterday`, 'since = yesterday'],
  ] as const) {
    await page.goto(address)
    await expect(page.getByText(words), address).toBeVisible()
    await expect(page.getByRole('table')).toHaveCount(0)
    await page.reload()
    await expect(page.getByText(words), address).toBeVisible()
  }
  await page.goto('/operations?since=yesterday&state=FAILED')
  await page.getByRole('button', { name: 'Remove it and continue' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Operations' })).toBeVisible()
  expect(new URL(page.url()).search).toBe('?state=FAILED')
})

test('an address that nothing has is the page that says so, and a fragment survives the sign-in', async ({
  signIn,
  visit,
}) => {
  const page = await signIn('olivia')
  for (const address of [
    '/scopes/production/lab/%zz/configuration',
    '/scopes/production/lab/1e3/configuration',
    '/scopes/production/lab/9007199254740993/local-services',
    '/%E0%A4%A',
    '/no/such/page',
  ]) {
    await page.goto(address)
    await expect(page.getByRole('heading', { name: 'Page not found' }), address).toBeVisible()
    await expect(page.getByRole('navigation').first()).toBeVisible()
  }
  await page.goto('/operations/%E0%A4%A')
  await expect(page.getByRole('link', { name: 'Overview' }).first()).toBeVisible()
  await expect(page.getByText('"errorPath"')).toHaveCount(0)

  const other = await visit('/auth/login?returnTo=' + encodeURIComponent('/operations?state=FAILED#here'))
  await fillSignIn(other, 'olivia')
  await expect(other).toHaveURL(/\/operations\?state=FAILED#here$/)
})
