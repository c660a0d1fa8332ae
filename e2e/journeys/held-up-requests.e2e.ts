import { wrapData } from '#contract/protocol/data.ts'
import { mira, platform } from '../../demo/people.ts'
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
import { configurationPath, expectPage, field, MAIL, review } from '../vocabulary.ts'
import { expect, test } from '../harness/test.ts'

const PORT = { 'SMTP port': '2525' }

test('an approved request waits for the end of a freeze, says so to its author and its reviewer, and is then applied by itself', async ({
  system,
  signIn,
}) => {
  const scope = await guardedScope(system, 'frozen')
  const author = await signIn('olivia', configurationPath(scope, MAIL))
  const reviewer = await signIn('oscar', await requestReview(author, PORT))
  await approve(reviewer)
  await expect(state(author)).toHaveText('Approved', { timeout: 20_000 })

  const at = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()
  const body = {
    scopes: [scope],
    from: at(-1),
    to: at(2),
    timeZone: 'UTC',
    blocks: ['CONFIGURE' as const],
    allowsRecovery: true,
    message: 'The books are being closed.',
  }
  const params = { name: 'books' }
  await system.call(platform, 'PUT /freezes/{name}', { params, body }, crypto.randomUUID())
  for (const page of [author, reviewer]) {
    await page.reload()
    await expect(page.getByText('It has its approvals, but it would be refused now.')).toBeVisible()
    await expect(page.getByRole('main')).toContainText('The books are being closed.')
    await expect(page.getByRole('button', { name: 'Apply', exact: true })).toBeDisabled()
  }
  await schedule(author, -1, 1)
  await expect(author.getByText(/It waits for an unfinished operation or a freeze to end/)).toBeVisible()
  await expect(state(author)).toHaveText('Scheduled')
  await system.call(platform, 'DELETE /freezes/{name}', { params }, crypto.randomUUID())
  await expect(state(author)).toHaveText('Applied', { timeout: 30_000 })
  await expect(author.getByRole('main').getByText(/applied it/)).toHaveCount(1)
})

test('an approved batch waits after its first wave has failed, which its request says, and only who may override starts the next one', async ({
  system,
  signIn,
}) => {
  const environmentKey = 'waved'
  const scopes = [0, 1].map(() => ({ ...system.newScope(), environmentKey }))
  const targets: string[] = []
  for (const scope of scopes)
    targets.push((await system.install(scope, 'crm-suite', '1.0.0')).bundleInstallId)
  await requireApproval(system, environmentKey, 'BATCH')
  await system.script.add({
    when: { workspaceId: scopes[0]!.workspaceId, operationType: 'CONFIGURE' },
    behaviour: { kind: 'failure-envelope', errorCode: 'QUOTA', message: 'The quota is used up.' },
  })
  const values = Object.fromEntries(
    targets.map((target) => [target, { [MAIL]: { smtpPort: wrapData(2525) } }]),
  )
  const input = {
    action: 'CONFIGURE' as const,
    targets,
    input: { values },
    waves: { sizes: [1], soakSeconds: 0, maxFailures: 0 },
  }
  const made = await system.call(
    mira,
    'POST /change-requests',
    { body: { kind: 'BATCH', title: 'Move the mail server', submit: true, input } },
    crypto.randomUUID(),
  )
  const path = `/change-requests/${made.changeRequest.changeRequestId}`
  const reviewer = await signIn('olivia', path)
  await approve(reviewer)
  await press(reviewer, 'Apply')
  await confirm(reviewer, 'Apply')
  await expect(state(reviewer)).toHaveText('Being applied', { timeout: 20_000 })
  await expect(reviewer.getByText(/The next wave waits because of failures/)).toBeVisible({ timeout: 20_000 })
  await expect(reviewer.getByText(/its batch waits for a person/)).toBeVisible()
  await reviewer.getByRole('main').getByRole('link', { name: 'Move the mail server' }).click()
  await expect(reviewer.getByText('Wave 2 waits')).toBeVisible()
  await expect(reviewer.getByRole('button', { name: 'Start wave 2 anyway' })).toBeDisabled()

  const admin = await signIn('admin', new URL(reviewer.url()).pathname)
  await press(admin, 'Start wave 2 anyway')
  await admin
    .getByRole('dialog')
    .getByLabel(/Reason/)
    .fill('The quota of the first one is known')
  await confirm(admin, 'Start wave 2 anyway')
  await expect(admin.getByRole('main')).toContainText('Finished', { timeout: 30_000 })
  await expectPage(admin, 'Move the mail server')
  await expect(admin.getByRole('row', { name: /Succeeded/ })).toHaveCount(1)
  await reviewer.goto(path)
  await expect(reviewer.getByText(/It was started, but did not succeed in all targets/)).toBeVisible({
    timeout: 20_000,
  })
})

test('an author who has lost the right reads who can apply their approved request, of which nothing is lost', async ({
  system,
  signIn,
}) => {
  const scope = await guardedScope(system, 'demoted')
  const path = await requestReview(await signIn('olivia', configurationPath(scope, MAIL)), PORT)
  const reviewer = await signIn('oscar', path)
  await approve(reviewer)
  await expect(state(reviewer)).toHaveText('Approved')
  try {
    await system.giveRole('olivia', 'viewer')
    const author = await signIn('olivia', path)
    const main = author.getByRole('main')
    await expect(main.getByText(/You don’t have permission to make this change; anyone who/)).toBeVisible()
    await expect(main).toContainText('2525')
    for (const step of ['Edit', 'Apply', 'More', 'Comment', 'Comment on SMTP port'])
      await expect(main.getByRole('button', { name: step, exact: true })).toHaveCount(0)
    await press(reviewer, 'Apply')
    await confirm(reviewer, 'Apply')
    await expect(state(author)).toHaveText('Applied', { timeout: 20_000 })
  } finally {
    await system.giveRole('olivia', 'operator')
  }
})

test('a reviewer who has lost the right reads why they cannot approve, and somebody else does', async ({
  system,
  signIn,
}) => {
  const scope = await guardedScope(system, 'reviewed')
  const author = await signIn('olivia', configurationPath(scope, MAIL))
  const path = await requestReview(author, PORT)
  try {
    await system.giveRole('oscar', 'viewer')
    const reviewer = await signIn('oscar', path)
    await expect(reviewer.getByRole('button', { name: 'Approve', exact: true })).toHaveAccessibleDescription(
      'You don’t have permission to approve it.',
    )
    await expect(reviewer.getByRole('button', { name: 'Reject' })).toHaveCount(0)
    const other = await signIn('sam', path)
    await approve(other)
    for (const page of [author, reviewer])
      await expect(state(page)).toHaveText('Approved', { timeout: 20_000 })
  } finally {
    await system.giveRole('oscar', 'operator')
  }
})

test('a request says who paused the scope and the plugin between two calls of its operation, and goes on once both are resumed', async ({
  system,
  signIn,
  crmScope,
}) => {
  const { workspaceId } = crmScope
  await system.script.add({
    when: { workspaceId, operationType: 'CONFIGURE', stage: 'AFTER_RESOURCES' },
    behaviour: { kind: 'unknown' },
  })
  const author = await signIn('olivia', configurationPath(crmScope, MAIL))
  await field(author, 'SMTP port').fill('2525')
  await review(author)
  await confirm(author, 'Share draft')
  await author.waitForURL(/change-requests/)
  await press(author, 'Request review')
  await press(author, 'Apply')
  await confirm(author, 'Apply')
  await expect(state(author)).toHaveText('Being applied')
  // the first plugin has been called, and the second one is called again and again
  await expect
    .poll(async () => {
      const [operation] = await system.operations(crmScope, 'CONFIGURE')
      const calls = operation === undefined ? [] : await system.calls(operation.operationId)
      return calls.map(({ stage }) => stage)
    })
    .toContain('AFTER_RESOURCES')
  const place = { params: { ...crmScope }, body: { reason: 'The mail server moves' } }
  await system.call(
    mira,
    'POST /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/pause',
    place,
    crypto.randomUUID(),
  )
  const plugin = { params: { pluginId: 'scripted-hooks' }, body: { reason: 'The hooks are being upgraded' } }
  await system.call(platform, 'POST /plugins/{pluginId}/pause', plugin, crypto.randomUUID())
  const main = author.getByRole('main')
  await expect(main.getByText(/waits until someone resumes what is paused/)).toBeVisible({ timeout: 20_000 })
  await expect(main).toContainText(/Mira Castellan.*The mail server moves/)
  await expect(main).toContainText(/Aisha Rahman.*The hooks are being upgraded/)
  await system.script.clear()

  // an operator resumes a scope, and only an administrator a plugin
  await press(author, 'Resume')
  await author.getByRole('dialog').getByLabel('Reason').fill('It has moved')
  await confirm(author, 'Resume')
  await expect(main.getByText(/The mail server moves/)).toHaveCount(0)
  await expect(state(author)).toHaveText('Being applied')
  await system.call(platform, 'POST /plugins/{pluginId}/resume', plugin, crypto.randomUUID())
  await expect(state(author)).toHaveText('Applied', { timeout: 30_000 })
})
