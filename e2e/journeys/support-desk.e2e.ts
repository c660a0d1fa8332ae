import { failInstall } from '../harness/failed-install.ts'
import { expect, test } from '../harness/test.ts'

test('an operation that waits says which attempt is next and when it gives up', async ({
  system,
  signIn,
}) => {
  const scope = system.newScope()
  await system.script.add({ when: { workspaceId: scope.workspaceId }, behaviour: { kind: 'unknown' } })
  const { operation: started } = await system.start(scope, 'crm-suite', '1.0.0')
  const page = await signIn('sam', `/operations/${started.operationId}`)
  const evidence = page.getByRole('region', { name: 'The result is not known yet' })
  await expect(evidence).toContainText(/Attempt \d+ of 100 in this run is next/)
  await expect(evidence).toContainText('Platform: Retry automatically')
  await expect(evidence).toContainText('No action needed')

  await evidence.getByRole('button', { name: 'Attempt now' }).click()
  await evidence.getByRole('button', { name: 'Stop retrying' }).click()
  const dialog = page.getByRole('dialog', { name: 'Stop the automatic retries?' })
  await dialog.getByLabel('Reason').fill('The plugin is being replaced')
  const failure = page.getByRole('region', { name: 'Why it failed' })
  // refused while an attempt is in flight
  await expect(async () => {
    if (await dialog.isVisible()) await dialog.getByRole('button', { name: 'Stop retrying' }).click()
    await expect(failure).toContainText(
      /No\. sam stopped the automatic retries\. Reason: The plugin is being replaced/,
      { timeout: 1_000 },
    )
  }).toPass()
  // what the plugin reported last stays the cause
  await expect(failure.getByRole('heading', { name: 'The plugin does not know its result' })).toBeVisible()
  await expect(failure).toContainText('Support: Retry the operation')
  await expect(page.getByRole('button', { name: 'Take over and detach' })).toBeEnabled()

  // the retry that fails again says that nothing is new
  await failure.getByRole('button', { name: 'Retry' }).click()
  const retry = page.getByRole('dialog', { name: 'Retry this operation?' })
  await retry.getByLabel('Reason').fill('The new plugin is up')
  await system.script.clear()
  await system.script.add({
    when: { workspaceId: scope.workspaceId },
    behaviour: { kind: 'failure-envelope', errorCode: 'NO_QUOTA', message: 'The quota is used up.' },
  })
  await retry.getByRole('button', { name: 'Retry' }).click()
  await expect(
    page.getByText(/Failed again at .*The failure is different.*Reason for the retry: The new plugin is up/),
  ).toBeVisible()
  await expect(failure.getByRole('heading', { name: 'The quota is used up.' })).toBeVisible()
  await system.script.clear()
})

test('equal failures are one cause, of which one operation is retried before the rest', async ({
  system,
  signIn,
}) => {
  test.setTimeout(90_000)
  const errorCode = `TENANT_${system.newScope().workspaceId}`
  await Promise.all(
    ['a', 'b', 'c'].map((name) =>
      failInstall(system, {
        sequence: [{ kind: 'failure-envelope', errorCode, message: `The tenant "${name}" is locked.` }],
      }),
    ),
  )
  await system.script.clear()
  const page = await signIn('sam', `/operations?view=causes&errorCode=${errorCode}`)
  await expect(page.getByRole('cell', { name: /^3 operations of CRM suite.*in 3 scopes/ })).toBeVisible()
  // the hour says when its plugin failed
  const hours = page.getByRole('table', { name: 'Failures in the last 24 hours' })
  await hours
    .getByRole('row', { name: /^scripted-hooks/ })
    .getByRole('link')
    .last()
    .click()
  await expect(page).toHaveURL(/failedAt=scripted-hooks.*state=FAILED/)
  await expect(page.getByRole('table', { name: 'Operations' })).toContainText('CRM suite')
  await page.goBack()
  await page.getByRole('link', { name: /The tenant "…" is locked\./ }).click()
  await expect(page.getByRole('heading', { name: 'The tenant "…" is locked.' })).toBeVisible()
  await page.getByRole('link', { name: 'Show all 3 operations' }).click()
  const rows = page.getByRole('table', { name: 'Operations' }).getByRole('row')
  // with the header
  await expect(rows).toHaveCount(4)
  const cause = page.url()
  // the search field finds them by their code
  await page.goto('/operations')
  await page.getByRole('searchbox', { name: /^Search/ }).fill(errorCode.toLowerCase())
  await expect(rows).toHaveCount(4)
  await page.goto(cause)

  await page.getByRole('button', { name: 'Retry one, then the rest' }).click()
  const dialog = page.getByRole('dialog', { name: 'Retry 3 operations' })
  await expect(dialog.getByLabel('Pause after the first')).toHaveValue('1')
  await expect(dialog).toContainText('3 will start')
  await dialog.getByRole('button', { name: /^Retry 3/ }).click()
  await expect(page.getByRole('main')).toContainText('Paused')
  await expect(page.getByRole('row', { name: /Succeeded/ })).toHaveCount(1)
  await page.getByRole('button', { name: 'Continue with the rest' }).click()
  await expect(page.getByRole('row', { name: /Succeeded/ })).toHaveCount(3)
  await page.goto(`/operations?view=causes&errorCode=${errorCode}`)
  await expect(page.getByText('No matches')).toBeVisible()
})

test('two people see without reloading who works on a failure, and the notes', async ({ system, signIn }) => {
  const errorCode = `TENANT_${system.newScope().workspaceId}`
  const {
    operation: { operationId },
  } = await failInstall(system, {
    sequence: [{ kind: 'failure-envelope', errorCode, message: 'The tenant is locked.' }],
  })
  await system.script.clear()
  const sam = await signIn('sam', `/operations/${operationId}`)
  const oscar = await signIn('oscar', `/operations/${operationId}`)
  await expect(oscar.getByText('Assignee: Nobody')).toBeVisible()
  await sam.getByRole('button', { name: 'Assign to me' }).click()
  for (const page of [sam, oscar]) await expect(page.getByText(/^Assignee: sam$/)).toBeVisible()

  await oscar.getByRole('button', { name: 'Add note' }).click()
  const dialog = oscar.getByRole('dialog', { name: 'Add a note' })
  await dialog.getByRole('textbox').fill('The tenant is locked until noon.')
  await dialog.getByRole('button', { name: 'Add note' }).click()
  await expect(dialog).toBeHidden()
  await expect(sam.getByRole('list', { name: 'Notes' })).toContainText('The tenant is locked until noon.')

  await sam.goto(`/operations?assignee=-&errorCode=${errorCode}`)
  await expect(sam.getByText('No matches')).toBeVisible()
})
