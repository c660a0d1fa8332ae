import { failInstall } from '../harness/failed-install.ts'
import { expect, test } from '../harness/test.ts'

test('two people see who has a cause; a retry solves it, and it is recognized when it comes again', async ({
  system,
  signIn,
}) => {
  test.setTimeout(120_000)
  const errorCode = `POOL_${system.newScope().workspaceId}`
  const fails = (bundle: string, tenant: number) =>
    failInstall(system, {
      bundle,
      sequence: [
        {
          kind: 'failure-envelope',
          errorCode,
          message: `The license pool of tenant ${tenant} has 0 of 25 licenses left.`,
        },
      ],
    })
  const failed = [await fails('crm-suite', 12), await fails('storefront', 31)]
  await system.script.clear()

  // one cause over two bundles; what is the same in both stays in the title
  const sam = await signIn('sam', `/operations?view=causes&errorCode=${errorCode}`)
  await sam.getByRole('link', { name: /The license pool of tenant … has 0 of 25 licenses left/ }).click()
  const title = 'The license pool of tenant … has 0 of 25 licenses left.'
  await expect(sam.getByRole('heading', { name: title })).toBeVisible()
  await expect(sam.getByRole('main')).toContainText('2 operations of 2 bundles')
  await expect(sam.getByRole('main')).toContainText('New')
  const address = new URL(sam.url()).pathname

  const oscar = await signIn('oscar', address)
  await expect(oscar.getByRole('heading', { name: title })).toBeVisible()
  await sam.getByRole('button', { name: 'Assign to me' }).click()
  await expect(oscar.getByText('Taken')).toBeVisible()
  await expect(oscar.getByRole('main')).toContainText('sam')
  await oscar.getByRole('button', { name: 'Add note' }).click()
  const note = oscar.getByRole('dialog', { name: 'Add a note to the cause' })
  await note.getByRole('textbox').fill('Sales has ordered more licenses.')
  await note.getByRole('button', { name: 'Add note' }).click()
  await expect(sam.getByText('Sales has ordered more licenses.')).toBeVisible()

  for (const { operation } of failed) {
    await sam.goto(`/operations/${operation.operationId}`)
    await sam.getByRole('button', { name: 'Retry', exact: true }).click()
    const retry = sam.getByRole('dialog', { name: 'Retry this operation?' })
    await retry.getByLabel('Reason').fill('Licenses were added, ORD-9')
    await retry.getByRole('button', { name: 'Retry' }).click()
    await expect(sam.getByText(/^Succeeded at .*after the retry by sam/)).toBeVisible()
  }
  await expect(oscar.getByText('Solved', { exact: true })).toBeVisible()
  await expect(oscar.getByRole('main')).toContainText('retry by sam. Reason: Licenses were added, ORD-9')
  await oscar.goto(`/operations?view=causes&when=past&errorCode=${errorCode}`)
  await expect(oscar.getByRole('row', { name: /The license pool of tenant #/ })).toContainText(
    'Licenses were added, ORD-9',
  )

  // the next failure, of whatever bundle, brings the memory with it
  const again = await fails('support-desk', 77)
  await system.script.clear()
  await oscar.goto(`/operations/${again.operation.operationId}`)
  const cause = oscar.getByRole('region', { name: 'Cause' })
  await expect(cause).toContainText('New')
  await expect(cause).toContainText(/Seen before: 2 failures/)
  await expect(cause).toContainText('Licenses were added, ORD-9')
})

test('on a phone a shift takes a new cause with one press, and copies its hand-over', async ({
  system,
  signInOnPhone,
}) => {
  test.setTimeout(90_000)
  const tenant = String(system.newScope().workspaceId)
  const errorCode = `QUOTA_${tenant}`
  const { operation } = await failInstall(system, {
    sequence: [{ kind: 'failure-envelope', errorCode, message: `The quota "${tenant}" is used up today.` }],
  })
  await system.script.clear()
  const page = await signInOnPhone('sam', '/duty')
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const item = (section: string) =>
    page
      .getByRole('region', { name: section, exact: true })
      .getByRole('listitem')
      .filter({ hasText: `The quota "${tenant}" is used up today.` })
  await item('New').getByRole('button', { name: 'Assign to me' }).click()
  await expect(item('Mine')).toBeVisible()
  await expect(item('New')).toBeHidden()
  await page.getByRole('button', { name: 'Copy hand-over' }).click()
  await expect(page.getByText('Hand-over copied as Markdown.')).toBeVisible()
  const markdown = await page.evaluate(() => navigator.clipboard.readText())
  expect(markdown).toContain('# Shift hand-over')
  expect(markdown).toContain(`used up today.`)

  // the two actions of a night call stand in the first screen
  await page.goto(`/operations/${operation.operationId}`)
  for (const name of ['Retry', 'Assign to me']) {
    const button = page.getByRole('button', { name, exact: true }).first()
    await expect(button).toBeInViewport()
  }
})
