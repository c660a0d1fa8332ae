import type { Page } from '@playwright/test'
import type { Scope } from '#contract/protocol/scope.ts'
import { wrapData } from '#contract/protocol/data.ts'
import type { Changes } from '#contract/runtime-api/common.ts'
import { mira } from '../../demo/people.ts'
import { configurationPath, CORE, expectSettled, field, MAIL, review } from '../vocabulary.ts'
import { expect, test } from '../harness/test.ts'
import {
  approve,
  confirm,
  guardedScope,
  press,
  requestReview,
  requireApproval,
  schedule,
  state,
} from '../change-requests.ts'
import type { System } from '../harness/system.ts'

/** Saves in spite of the policy, which would refuse a save of others too. */
async function saveAsMira(system: System, scope: Scope, changes: Changes): Promise<void> {
  const params = { ...scope }
  const path = '/scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration' as const
  const { snapshotVersion } = await system.call(mira, `GET ${path}`, { params })
  const { operations } = await system.call(
    mira,
    `PATCH ${path}`,
    { params, body: { snapshotVersion, changes, override: true, reason: 'It cannot wait' } },
    crypto.randomUUID(),
  )
  for (const { operationId } of operations) await system.ended(operationId)
}

test('an operator requests a review, a colleague comments and approves, and it is applied', async ({
  system,
  signIn,
}) => {
  const scope = await guardedScope(system, 'guarded')
  const author = await signIn('olivia', configurationPath(scope, MAIL))
  await field(author, 'SMTP port').fill('2525')
  const dialog = await review(author)
  await expect(dialog).toContainText('This environment requires an approved change request')
  await confirm(author, 'Request review')
  await expect(author.getByRole('heading', { level: 1 })).toContainText('Change SMTP port in guarded/e2e/')
  await expect(state(author)).toHaveText('Open')
  await expect(author.getByRole('button', { name: 'Approve', exact: true })).toHaveAccessibleDescription(
    'You wrote or edited this change request, so someone else must approve it.',
  )

  const reviewer = await signIn('oscar', '/change-requests?waiting=me')
  await expect(
    reviewer.getByRole('navigation', { name: /main|pages/i }).getByText(/waiting for you/),
  ).toBeAttached()
  await reviewer.getByRole('link', { name: /Change SMTP port in guarded/ }).click()
  await expect(reviewer.getByRole('main')).toContainText('2525')
  await reviewer.getByRole('button', { name: 'Comment on SMTP port' }).click()
  await reviewer.getByRole('textbox', { name: 'Your comment' }).fill('Is the port open?')
  await press(reviewer, 'Comment')
  await expect(reviewer.getByText('Is the port open?').first()).toBeVisible()
  await approve(reviewer)
  await expect(state(reviewer)).toHaveText('Approved')

  await author.reload()
  await expect(author.getByText('Is the port open?').first()).toBeVisible()
  await press(author, 'Apply')
  await confirm(author, 'Apply')
  await expect(state(author)).toHaveText('Applied', { timeout: 20_000 })
  await expect(
    author.getByRole('main').getByText(/^Operations.*Configure CRM suite.*Succeeded/),
  ).toBeVisible()
  await author.goto(configurationPath(scope, MAIL))
  await expect(field(author, 'SMTP port')).toHaveValue('2525')

  // the policy asks for a review of the reverse change too
  await author.goBack()
  await author.getByRole('link', { name: 'Undo in the history' }).click()
  await author.getByRole('button', { name: 'Undo this save' }).first().click()
  await confirm(author, 'Request review')
  // the page of the scope shows the state of the request too
  await author.waitForURL(/change-requests/)
  await expect(state(author)).toHaveText('Open')
  await expect(author.getByRole('heading', { level: 1 })).toContainText(
    /Undo of snapshot \d+ in guarded\/e2e/,
  )
  await expect(author.getByRole('main')).toContainText('2525')
})

test('a reviewer rejects with a reason, which the author reads, starts again from the request, and has it approved and applied', async ({
  system,
  signIn,
}) => {
  const scope = await guardedScope(system, 'rejected')
  const author = await signIn('olivia', configurationPath(scope, MAIL))
  const path = await requestReview(author, { 'SMTP port': '2526', 'SMTP user': 'olivia' })
  await expect(state(author)).toHaveText('Open')

  const reviewer = await signIn('oscar', path)
  await press(reviewer, 'Reject')
  const why = 'The port of the new server is 2525.'
  await reviewer.getByRole('dialog').getByRole('textbox', { name: 'Reason' }).fill(why)
  await confirm(reviewer, 'Reject')
  const main = author.getByRole('main')
  await expect(main.getByText('It was rejected.')).toBeVisible({ timeout: 20_000 })
  await expect(main.getByText(`oscar: ${why}`)).toBeVisible()

  await author.goto('/inbox')
  const told = author.getByRole('row', { name: /rejected your change request: Change SMTP port and 1 more/ })
  await expect(told).toContainText(why)
  await told.getByRole('link').first().click()
  await author.getByRole('link', { name: 'Create a new one from it' }).click()
  await expect(author.getByText(/You are starting again from the change request/)).toBeVisible()
  await expect(field(author, 'SMTP user')).toHaveValue('olivia')
  const next = await requestReview(author, { 'SMTP port': '2525' })
  await expect(state(author)).toHaveText('Open')

  await reviewer.goto(next)
  await approve(reviewer)
  await expect(state(author)).toHaveText('Approved', { timeout: 20_000 })
  await press(author, 'Apply')
  await confirm(author, 'Apply')
  await expect(state(author)).toHaveText('Applied', { timeout: 20_000 })
  await author.goto(configurationPath(scope, MAIL))
  await expect(field(author, 'SMTP port')).toHaveValue('2525')
  await expect(field(author, 'SMTP user')).toHaveValue('olivia')
})

test('a draft is shared, continued on a phone, meets a conflict, and is overridden by an administrator', async ({
  system,
  signIn,
  signInOnPhone,
}) => {
  const environmentKey = 'guarded-too'
  const scope = { ...system.newScope(), environmentKey }
  await system.install(scope, 'crm-suite', '1.0.0')
  const author = await signIn('olivia', configurationPath(scope, MAIL))
  await field(author, 'SMTP port').fill('2525')
  await review(author)
  await confirm(author, 'Share draft')
  // the page of the scope shows the state of the request too
  await author.waitForURL(/change-requests/)
  await expect(state(author)).toHaveText('Draft')

  const phone = await signInOnPhone('olivia', new URL(author.url()).pathname)
  await phone.getByRole('link', { name: 'Edit', exact: true }).click()
  await expect(field(phone, 'SMTP port')).toHaveValue('2525')
  await field(phone, 'SMTP user').fill('olivia')
  await review(phone)
  await confirm(phone, 'Save change request')
  await expect(state(phone)).toHaveText('Draft')
  await press(phone, 'Request review')
  await expect(state(phone)).toHaveText('Open')

  await requireApproval(system, environmentKey, 'CONFIGURE')
  await saveAsMira(system, scope, { [MAIL]: { smtpPort: wrapData(465) } })
  await author.reload()
  await expect(state(author)).toHaveText('Conflict', { timeout: 20_000 })
  await expect(author.getByRole('main')).toContainText('465')
  await author.getByRole('link', { name: 'Edit', exact: true }).click()
  await expect(field(author, 'SMTP user')).toHaveValue('olivia')
  const conflict = await review(author)
  const port = conflict.getByRole('group', { name: 'SMTP port' })
  await expect(port).toContainText(/Use theirs465/)
  await port.getByRole('radio', { name: 'Keep mine' }).check()
  await confirm(author, 'Continue on top of theirs')
  await confirm(author, 'Save change request')
  await author.waitForURL(/change-requests/)
  await expect(state(author)).toHaveText('Open')

  const admin = await signIn('admin', new URL(author.url()).pathname)
  await expectSettled(admin)
  await press(admin, 'More')
  await admin.getByRole('menuitem', { name: 'Apply by override' }).click()
  await admin.getByRole('textbox', { name: 'Why can’t it wait?' }).fill('Mail is down')
  await confirm(admin, 'Apply by override')
  await expect(admin.getByText('Applied by override').first()).toBeVisible()
  await expect(state(admin)).toHaveText('Applied', { timeout: 20_000 })
})

test('a request is merged with what others save: for the same effect its approval stands, another one is shown beside it, and where both changed a value its reviewer decides', async ({
  system,
  signIn,
}) => {
  const scope = await guardedScope(system, 'merged')
  const author = await signIn('olivia', configurationPath(scope, CORE))
  const path = await requestReview(author, { 'Contacts, in days': '365' })
  await expect(state(author)).toHaveText('Open')
  const reviewer = await signIn('oscar', path)
  await approve(reviewer)
  await expect(state(reviewer)).toHaveText('Approved')
  const approvals = (page: Page) => page.getByRole('region', { name: 'Approvals' })
  const snapshot = (page: Page) => page.getByRole('definition').and(page.getByText(/^\d+$/)).last()

  const seen = Number(await snapshot(author).textContent())
  await saveAsMira(system, scope, { [MAIL]: { smtpUser: wrapData('mira') } })
  for (const page of [author, reviewer]) {
    await expect(snapshot(page)).toHaveText(String(seen + 1), { timeout: 20_000 })
    await expect(state(page)).toHaveText('Approved')
    await expect(approvals(page)).toContainText('1 of 1 approvals')
    await expect(approvals(page)).not.toContainText('No longer counts')
  }

  await saveAsMira(system, scope, {
    [CORE]: { retention: wrapData({ contactsDays: 730, dealsDays: 3650 }) },
  })
  for (const page of [author, reviewer]) {
    await expect(state(page)).toHaveText('Open', { timeout: 20_000 })
    await expect(approvals(page)).toContainText('0 of 1 approvals')
    await expect(approvals(page)).toContainText('No longer counts: the effect has changed')
    await expect(approvals(page)).toContainText(
      /What has changed since.*Retention.*Deals, in days.*Approved.*1825.*Now.*3650/,
    )
  }
  await approve(reviewer)
  await expect(state(author)).toHaveText('Approved', { timeout: 20_000 })

  await saveAsMira(system, scope, {
    [CORE]: { retention: wrapData({ contactsDays: 90, dealsDays: 3650 }) },
  })
  for (const page of [author, reviewer]) {
    await expect(state(page)).toHaveText('Conflict', { timeout: 20_000 })
    await expect(page.getByRole('region', { name: 'Conflicts' })).toContainText(
      /Saved by others.*730.*90.*In this request.*730.*365/,
    )
  }
  await reviewer.getByRole('link', { name: 'Edit', exact: true }).click()
  const conflict = await review(reviewer)
  const days = conflict.getByRole('group', { name: /Contacts, in days/ })
  await expect(days).toContainText(/Use theirs90/)
  await days.getByRole('radio', { name: 'Keep mine' }).check()
  await confirm(reviewer, 'Continue on top of theirs')
  await confirm(reviewer, 'Save change request')
  await expect(state(author)).toHaveText('Open', { timeout: 20_000 })
  await expect(author.getByRole('region', { name: 'Conflicts' })).toBeHidden()
  await expect(author.getByRole('main')).toContainText(/Authors\s*olivia, oscar/i)
  await expect(reviewer.getByRole('button', { name: 'Approve', exact: true })).toHaveAccessibleDescription(
    'You wrote or edited this change request, so someone else must approve it.',
  )
})

test('a request is scheduled and applied once in its time, in a scope that one person pauses and another resumes', async ({
  signIn,
  crmScope,
}) => {
  const author = await signIn('olivia', configurationPath(crmScope, MAIL))
  await press(author, 'Pause scope')
  const pausing = author.getByRole('dialog')
  await pausing.getByLabel('Reason').fill('The mail server is being moved')
  await pausing.getByRole('button', { name: 'Pause scope' }).click()
  await expect(pausing).toBeHidden()
  await field(author, 'SMTP port').fill('2525')
  await review(author)
  await confirm(author, 'Share draft')
  await author.waitForURL(/change-requests/)
  await press(author, 'Request review')
  await expect(state(author)).toHaveText('Open')
  await schedule(author, -1, 1)
  await expect(state(author)).toHaveText('Being applied', { timeout: 20_000 })

  const colleague = await signIn('oscar', configurationPath(crmScope, MAIL))
  const notice = colleague.getByText(/The mail server is being moved/)
  await expect(notice).toBeVisible()
  await expect(colleague.getByText('One unfinished operation waits.')).toBeVisible()
  await press(colleague, 'Resume')
  await colleague.getByRole('dialog').getByLabel('Reason').fill('It has moved')
  await confirm(colleague, 'Resume')
  await expect(notice).toBeHidden()
  await expect(field(colleague, 'SMTP port')).toHaveValue('2525')
  await expect(state(author)).toHaveText('Applied', { timeout: 30_000 })
  await expect(author.getByRole('main').getByText(/applied it/)).toHaveCount(1)
})
