import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { freePort } from '#database/free-port.ts'
import { platform } from '../../demo/people.ts'
import { failInstall } from '../harness/failed-install.ts'
import type { InstallFailure } from '../harness/failed-install.ts'
import { expectAnswers, NEVER_RECEIVED, UNKNOWN } from '../harness/failure-panel.ts'
import type { FailureAnswers } from '../harness/failure-panel.ts'
import { PLUGIN, register, registration, SHORT } from '../harness/plugin-registration.ts'
import { expect, test } from '../harness/test.ts'
import { MAIL } from '../vocabulary.ts'

// A failed operation answers four questions on its first screen, whatever a plugin does: what failed, where, whether
// anything is still going on, and what to do.

type Failure = InstallFailure & FailureAnswers

const CHECK = 'Plugin owner: Check the plugin'
const FIX = 'Plugin owner: Find and fix the cause'

const FAILURES: Record<string, Failure> = {
  'a failure with a long error path': {
    sequence: [
      {
        kind: 'failure-envelope',
        errorCode: 'MAILBOX_LOCKED',
        message: 'The mailbox is locked by a migration.',
        errorPath: [PLUGIN, 'mail-directory', 'imap-gateway'],
      },
    ],
    title: 'The mailbox is locked by a migration.',
    says: ['MAILBOX_LOCKED', 'mail-directory', 'imap-gateway', 'Done: tenant-provisioner (Before resources)'],
    next: FIX,
  },
  'the outcome FAILED': {
    sequence: [{ kind: 'fail' }],
    title: 'The plugin reported that it failed',
    says: ['The plugin gave no reason. Find the cause in its logs', 'Resources not changed'],
    attempt: 'Failed',
    next: FIX,
  },
  'no response in time': {
    sequence: [{ kind: 'hang' }],
    title: 'The plugin did not respond in time',
    says: ['did not respond within 1 s', UNKNOWN, `Result unknown: ${PLUGIN} (Before resources)`],
    isUsedUp: true,
    attempt: 'No response',
    next: 'Plugin owner: Find out why the plugin took so long',
  },
  'a web page': {
    sequence: [{ kind: 'garbage', garbage: 'html' }],
    title: 'A web page responded instead of the plugin',
    says: ['proxy or a sign-in page', UNKNOWN],
    isUsedUp: true,
    next: 'Plugin owner: Find the proxy or sign-in page in front of the plugin',
  },
  'HTTP 500': {
    sequence: [{ kind: 'status', status: 500 }],
    title: 'The plugin returned HTTP 500',
    says: [UNKNOWN],
    isUsedUp: true,
    next: CHECK,
  },
  'a lost connection': {
    sequence: [{ kind: 'reset' }],
    title: 'The connection to the plugin was lost',
    says: [UNKNOWN],
    isUsedUp: true,
    next: 'Plugin owner: Start or reconnect the plugin',
  },
  'a redirect': {
    sequence: [{ kind: 'status', status: 302 }],
    title: 'The plugin’s endpoint redirects',
    says: ['Ask an administrator to correct the plugin’s endpoint'],
    isUsedUp: true,
    attempt: 'Unreadable response',
    next: 'Administrator: Correct the endpoint',
  },
  'HTTP 404': {
    sequence: [{ kind: 'status', status: 404 }],
    title: 'The plugin returned HTTP 404',
    says: ['Ask an administrator to correct the plugin’s endpoint'],
    isUsedUp: true,
    next: 'Administrator: Correct the endpoint',
  },
  'a response that was cut off': {
    sequence: [{ kind: 'garbage', garbage: 'cut-body' }],
    title: 'The plugin’s response was cut off',
    says: [UNKNOWN],
    isUsedUp: true,
    attempt: 'Unreadable response',
    next: CHECK,
  },
  'a response that is not JSON': {
    sequence: [{ kind: 'garbage', garbage: 'not-json' }],
    title: 'The plugin’s response is not JSON',
    says: [UNKNOWN],
    isUsedUp: true,
    next: CHECK,
  },
  'a response that is too large': {
    sequence: [{ kind: 'garbage', garbage: 'too-large' }],
    title: 'The plugin’s response is too large',
    says: [UNKNOWN, 'the limit is 1 MiB'],
    isUsedUp: true,
    attempt: 'Unreadable response',
    next: 'Plugin owner: Make the response smaller',
  },
  'an outcome that does not exist': {
    sequence: [{ kind: 'garbage', garbage: 'unknown-outcome' }],
    title: 'The plugin sent an invalid response',
    says: [`It is not known what ${PLUGIN} did.`],
    next: 'Plugin owner: Fix the plugin’s response',
  },
  'another sequence': {
    sequence: [{ kind: 'garbage', garbage: 'wrong-sequence' }],
    title: 'The plugin’s response does not match the request',
    says: ['data.executionSequence', /executionSequence\s+1\s+2/, `It is not known what ${PLUGIN} did.`],
    next: 'Plugin owner: Fix the plugin’s response',
  },
  'a write without authorization': {
    sequence: [
      {
        kind: 'write',
        writes: [
          { locator: MAIL, property: 'fromAddress', value: 'a@example.com', isSensitive: false, as: 'data' },
        ],
      },
    ],
    title: 'The plugin wrote a property that it must not write',
    says: [
      `fromAddress of ${MAIL}`,
      'or the bundle’s author if the manifest is wrong',
      `The property is not among the writeProperties of ${PLUGIN} for this resource.`,
      'No plugin. People set it.',
      /crm-suite 1\.0\.0[^]*\/plugins\/\d+\/resources\/\d+\/writeProperties/,
    ],
    next: 'Plugin owner: Fix the plugin’s response',
  },
  'a failure after unknown results': {
    sequence: [{ kind: 'unknown' }, { kind: 'unknown' }, { kind: 'fail' }],
    title: 'The plugin reported that it failed',
    says: [`The results of 2 earlier attempts are unknown, so ${PLUGIN} may have acted.`],
    next: 'Plugin owner: Check what an earlier attempt left behind',
  },
  'a failure after the resources were changed': {
    sequence: [{ kind: 'failure-envelope', errorCode: 'HOOK_BROKEN', message: 'The hook is broken.' }],
    stage: 'AFTER_RESOURCES',
    title: 'The hook is broken.',
    says: [/Done: .*resources applied/, `${PLUGIN} in After resources`],
    next: FIX,
  },
  'one of two plugins of the same order': {
    bundle: 'billing',
    sequence: [{ kind: 'failure-envelope', errorCode: 'TAXES_CLOSED', message: 'The year is closed.' }],
    title: 'The year is closed.',
    says: [
      'TAXES_CLOSED',
      'Done: tenant-provisioner (Before resources)',
      `Failed: ${PLUGIN} (Before resources)`,
      'Resources not changed',
    ],
    next: FIX,
  },
  'a token that the plugin refuses': {
    sequence: [{ kind: 'status', status: 401 }],
    title: 'The plugin returned HTTP 401',
    says: [
      'the call was rejected before the plugin handled it. A status code is no proof of that',
      'Retrying alone does not help.',
    ],
    neverSays: [UNKNOWN],
    isUsedUp: true,
    attempt: 'Rejected',
    next: 'Plugin owner: Fix the token check',
  },
  'a code that the console uses too': {
    sequence: [
      { kind: 'failure-envelope', errorCode: 'AUTHENTICATION_REQUIRED', message: 'The token is not for us.' },
    ],
    title: 'The token is not for us.',
    says: ['AUTHENTICATION_REQUIRED'],
    neverSays: ['You are not signed in', 'Sign in.'],
    next: FIX,
  },
  'unknown until the attempts are used up': {
    sequence: [{ kind: 'unknown' }],
    title: 'The plugin does not know its result',
    says: [UNKNOWN, 'Check the plugin’s own state and logs to see whether it acted'],
    neverSays: ['retried automatically', 'is repeated'],
    isUsedUp: true,
    next: 'Plugin owner: Determine the result',
  },
  'a request for a retry until the attempts are used up': {
    sequence: [
      { kind: 'failure-envelope', errorCode: 'BUSY', message: 'The directory is busy.', retryable: true },
    ],
    title: 'The directory is busy.',
    says: [
      'wait until it is over. If not, fix it, or ask its owner to.',
      'then Support: Retry the operation',
    ],
    isUsedUp: true,
    next: 'Plugin owner: Find and fix the cause',
  },
}

const REFUSED: FailureAnswers = {
  title: 'The plugin refused the connection',
  says: [NEVER_RECEIVED, 'Check that the plugin is running'],
  neverSays: [UNKNOWN],
  isUsedUp: true,
  next: 'Plugin owner: Check the changed endpoint with an administrator',
}

test('each failure says what failed, where, whether anything is going on, and what to do', async ({
  system,
  signIn,
}) => {
  test.setTimeout(180_000)
  const before = await registration(system)
  const owner = { team: 'Integrations', contact: 'mailto:integrations@example.com' }
  let detach: string
  const page = await signIn('sam')
  try {
    const detached = await system.install(system.newScope(), 'crm-suite', '1.0.0')
    await register(system, { ...before, ...SHORT, owner })
    const failed = await Promise.all(
      Object.values(FAILURES).map(async (failure) => {
        const { operation } = await failInstall(system, failure)
        return [failure, operation.operationId] as const
      }),
    )
    await system.script.add({
      when: { bundleInstallId: detached.bundleInstallId, operationType: 'DETACH' },
      behaviour: { kind: 'failure-envelope', errorCode: 'STILL_USED', message: 'The tenant is still used.' },
    })
    const params = { bundleInstallId: detached.bundleInstallId }
    const path = 'POST /installations/{bundleInstallId}/detach'
    const body = { reason: 'The course is over' }
    const { operation } = await system.call(platform, path, { params, body }, randomUUID())
    detach = (await system.ended(operation.operationId)).operationId
    // while their causes last: after a change of the registration, the page says that a retry may help
    for (const [failure, operationId] of failed) await expectAnswers(page, operationId, failure)
    const endpoint = `http://127.0.0.1:${await freePort()}/lifecycle`
    await register(system, { ...before, ...SHORT, owner, endpoint })
    const unreachable = await system.install(system.newScope(), 'crm-suite', '1.0.0')
    await expectAnswers(page, unreachable.operation.operationId, REFUSED)
  } finally {
    await register(system, { ...before, owner })
  }

  const stillUsed: FailureAnswers = {
    title: 'The tenant is still used.',
    says: ['STILL_USED', 'Starts another detach operation.', 'it fails again until the cause is fixed'],
    next: FIX,
  }
  await expectAnswers(page, detach, stillUsed)

  // its receipt opens from a file, and not once it was altered
  await page.getByRole('button', { name: 'Share' }).click()
  const download = page.waitForEvent('download')
  await page.getByRole('menuitem', { name: 'Download receipt (JSON)' }).click()
  const text = await readFile(await (await download).path(), 'utf8')
  await page.goto('/receipt')
  const choose = (content: string) =>
    page
      .getByLabel('Receipt file')
      .setInputFiles({ name: 'receipt.json', mimeType: 'application/json', buffer: Buffer.from(content) })
  await choose(text)
  await expect(page.getByText('The content of this receipt matches its digest')).toBeVisible()
  await expect(page.getByText('This platform signed the receipt')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'The tenant is still used.' })).toBeVisible()
  await choose(text.replace('STILL_USED', 'NEVER_USED'))
  await expect(page.getByText('The receipt was changed after it was exported')).toBeVisible()

  // found by who acts next
  await page.goto('/operations?nextActor=PLUGIN_OWNER')
  await expect(page.getByRole('cell', { name: 'Plugin owner Fix the token check' }).first()).toBeVisible()
  await expect(page.getByRole('cell', { name: /^Support / })).toHaveCount(0)
})

test('a failure names the endpoint of its attempt, also after the plugin has moved', async ({
  system,
  signIn,
}) => {
  const { operation } = await failInstall(system, { sequence: [{ kind: 'fail' }] })
  await system.script.clear()
  const usual = await registration(system)
  const moved = `http://127.0.0.1:${await freePort()}/moved`
  const page = await signIn('sam', `/operations/${operation.operationId}`)
  const failure = page.getByRole('region', { name: 'Why it failed' })
  await expect(failure).toContainText(`Endpoint ${usual.endpoint}`)
  await expect(failure).not.toContainText('was changed')
  try {
    await register(system, { ...usual, endpoint: moved })
    await page.reload()
    await expect(failure).toContainText(`Endpoint of this attempt ${usual.endpoint}`)
    await expect(failure).toContainText(/It was changed later \(.*\)\. The endpoint is now .*\/moved\./)
    await page.getByRole('button', { name: /sam/i }).click()
    await page.getByRole('dialog').getByText('简体中文').click()
    await expect(page.locator('body')).toContainText(`本次尝试的端点 ${usual.endpoint}`)
    await expect(page.locator('body')).toContainText(/此后端点已更改（.*），现为 .*\/moved。/)
  } finally {
    await register(system, usual)
  }
  // it is where it was
  await page.reload()
  await expect(page.locator('body')).not.toContainText('此后端点已更改')
})
