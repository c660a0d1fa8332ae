import { wrapData } from '#contract/protocol/data.ts'
import { tomas } from '../../demo/people.ts'
import { expect, test } from '../harness/test.ts'

test('a support engineer types the words of a customer, and is told which of them count', async ({
  system,
  signIn,
  crmScope,
}) => {
  await system.script.add({
    when: { workspaceId: crmScope.workspaceId, stage: 'AFTER_RESOURCES' },
    times: 1,
    behaviour: {
      kind: 'failure-envelope',
      errorCode: 'RELAY_LOCKED',
      message: 'The relay turned the letters away.',
      retryable: false,
    },
  })
  const mail = { bundleId: 'crm-suite', kind: 'MODULE', name: 'crm-mail' } as const
  const { operationId } = await system.configure(
    crmScope,
    mail,
    'smtpHost',
    wrapData('quokka.example'),
    tomas,
  )
  await system.ended(operationId)

  const page = await signIn('sam', '/operations')
  const search = page.getByRole('searchbox')
  const rows = page
    .getByRole('table', { name: 'Operations' })
    .getByRole('row')
    .filter({ hasText: 'CRM suite' })
  // title and message, in any order, with words that say nothing
  await search.fill('letters don’t go out, CRM suite today')
  await expect(rows).toHaveCount(1)
  await expect(page.getByRole('status').filter({ hasText: '“today”: created since' })).toBeVisible()
  // a value of the configuration, in the language of a colleague
  await search.fill('quokka 今天')
  await expect(rows.first()).toBeVisible()
  await search.fill('relay letters since yesterday, invoices unicorn')
  await expect(rows).toHaveCount(1)
  await expect(page.getByRole('status').filter({ hasText: 'No operation matches all words' })).toContainText(
    'Showing matches for “relay”, “letters”, ignoring “invoices”, “unicorn”.',
  )
  await search.fill('last hour unicorn')
  await expect(page.getByText('No matches')).toBeVisible()

  await page.keyboard.press('Control+k')
  const palette = page.getByRole('dialog', { name: 'Search' })
  await palette.getByRole('combobox').fill('letters relay unicorn since yesterday')
  await expect(palette.getByText('No operation matches all words', { exact: false })).toBeVisible()
  await palette.getByRole('option').filter({ hasText: 'CRM suite' }).first().click()
  await expect(page).toHaveURL(new RegExp(operationId))
})
