import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import type { Page } from '@playwright/test'
import { parseEgressAllow } from '#http-kit/egress.ts'
import { testAuthority, testCertificate, type TestCertificate } from '#http-kit/testing-certificates.ts'
import { freePort } from '#database/free-port.ts'
import type { Stage } from '#contract/protocol/vocabulary.ts'
import type { Behaviour } from '#plugin/examples/scripted/script.ts'
import { platform } from '../../demo/people.ts'
import type { System } from '../harness/system.ts'
import { expect, test } from '../harness/test.ts'
import { MAIL } from '../vocabulary.ts'

// A failed operation answers four questions on its first screen, whatever a plugin does: what failed, where, whether
// anything is still going on, and what to do.

const PLUGIN = 'scripted-hooks'
/** A run ends soon. */
const SHORT = { maxAttempts: 3, maxBackoffMs: 100, timeoutMs: 1_000 }

interface Failure {
  /** Default: CRM suite. */
  bundle?: string
  sequence: readonly (Partial<Behaviour> & Pick<Behaviour, 'kind'>)[]
  stage?: Stage
  title: string | RegExp
  /** What the first screen says besides: the cause, the effect, limits, and how far the operation came. */
  says: readonly (string | RegExp)[]
  neverSays?: readonly string[]
  isUsedUp?: true
  /** Titled so in Chinese. */
  chinese?: { title: string; next: string }
  next: string
}

const CHECK = 'Plugin owner: Check the plugin'
const FIX = 'Plugin owner: Fix what the plugin reports'
const NEVER_RECEIVED = 'The plugin never received this call.'
const UNKNOWN = `It is not known whether ${PLUGIN} acted.`

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
    says: ['logs for this operation ID', 'Resources not changed'],
    next: FIX,
  },
  'no response in time': {
    sequence: [{ kind: 'hang' }],
    title: 'The plugin did not respond in time',
    says: ['did not respond within 1 s', UNKNOWN, `Result unknown: ${PLUGIN} (Before resources)`],
    isUsedUp: true,
    next: CHECK,
  },
  'a web page': {
    sequence: [{ kind: 'garbage', garbage: 'html' }],
    title: 'A web page responded instead of the plugin',
    says: ['proxy or a sign-in page', UNKNOWN],
    isUsedUp: true,
    next: CHECK,
  },
  'HTTP 500': {
    sequence: [{ kind: 'status', status: 500 }],
    title: 'The plugin responded with HTTP 500',
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
    next: 'Administrator: Correct the endpoint',
  },
  'HTTP 404': {
    sequence: [{ kind: 'status', status: 404 }],
    title: 'The plugin responded with HTTP 404',
    says: ['Ask an administrator to correct the plugin’s endpoint'],
    isUsedUp: true,
    next: 'Administrator: Correct the endpoint',
  },
  'a response that was cut off': {
    sequence: [{ kind: 'garbage', garbage: 'cut-body' }],
    title: 'The plugin’s response was cut off',
    says: [UNKNOWN],
    isUsedUp: true,
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
    says: [UNKNOWN],
    isUsedUp: true,
    next: CHECK,
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
    next: FIX,
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
    title: 'The plugin responded with HTTP 401',
    says: ['The plugin rejected the call before handling it', 'Retrying alone does not help.'],
    neverSays: [UNKNOWN],
    isUsedUp: true,
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
    says: [UNKNOWN, 'Find out in the plugin’s own state and logs whether it acted'],
    neverSays: ['retried automatically', 'is repeated'],
    isUsedUp: true,
    next: 'Plugin owner: Find out the result',
  },
  'a request for a retry until the attempts are used up': {
    sequence: [
      { kind: 'failure-envelope', errorCode: 'BUSY', message: 'The directory is busy.', retryable: true },
    ],
    title: 'The directory is busy.',
    says: ['Retry the operation once the cause is fixed.'],
    isUsedUp: true,
    next: 'Support: Retry the operation',
  },
}

test('each failure says what failed, where, whether anything is going on, and what to do', async ({
  system,
  signIn,
}) => {
  test.setTimeout(180_000)
  const before = await registration(system)
  const owner = { team: 'Integrations', contact: 'mailto:integrations@example.com' }
  let unreachable: string
  let detach: string
  let failed: (readonly [Failure, string])[]
  try {
    const detached = await system.install(system.newScope(), 'crm-suite', '1.0.0')
    await register(system, { ...before, ...SHORT, owner })
    failed = await Promise.all(
      Object.values(FAILURES).map(async (failure) => [failure, await fail(system, failure)] as const),
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
    const endpoint = `http://127.0.0.1:${await freePort()}/lifecycle`
    await register(system, { ...before, ...SHORT, owner, endpoint })
    unreachable = (await system.install(system.newScope(), 'crm-suite', '1.0.0')).operation.operationId
  } finally {
    await register(system, { ...before, owner })
  }

  const page = await signIn('sam')
  for (const [failure, operationId] of failed) await expectAnswers(page, operationId, failure)
  const refused: Failure = {
    sequence: [],
    title: 'The plugin refused the connection',
    says: [NEVER_RECEIVED, 'Check that the plugin is running'],
    neverSays: [UNKNOWN],
    isUsedUp: true,
    next: 'Plugin owner: Start or reconnect the plugin',
  }
  await expectAnswers(page, unreachable, refused)
  const stillUsed: Failure = {
    sequence: [],
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
  await expect(page.getByRole('heading', { name: 'The tenant is still used.' })).toBeVisible()
  await choose(text.replace('STILL_USED', 'NEVER_USED'))
  await expect(page.getByText('The receipt was changed after it was exported')).toBeVisible()

  // found by who acts next
  await page.goto('/operations?nextActor=PLUGIN_OWNER')
  await expect(page.getByRole('cell', { name: 'Plugin owner: Fix the token check' }).first()).toBeVisible()
  await expect(page.getByRole('cell', { name: /^Support: / })).toHaveCount(0)
})

/** The plugin is not called, because its registration is wrong. */
const NOT_CALLED: readonly Failure[] = [
  {
    sequence: [],
    title: 'The plugin’s host was not found',
    says: [NEVER_RECEIVED, 'correct the plugin’s endpoint'],
    neverSays: [UNKNOWN],
    isUsedUp: true,
    next: 'Administrator: Correct the endpoint',
    chinese: { title: '找不到插件的主机', next: '管理员：更正端点地址' },
  },
  {
    sequence: [],
    title: 'The secure connection to the plugin failed',
    says: [NEVER_RECEIVED, 'Check that its endpoint uses HTTPS', 'a valid certificate'],
    neverSays: [UNKNOWN],
    isUsedUp: true,
    next: 'Plugin owner: Fix the certificate or HTTPS',
    chinese: { title: '无法与插件建立安全连接', next: '插件负责人：修复证书或 HTTPS' },
  },
  ...[
    { title: 'The plugin’s certificate is not trusted', chinese: '插件的证书不受信任' },
    { title: 'The plugin’s certificate has expired', chinese: '插件的证书已过期' },
    { title: 'The plugin’s certificate is for another host', chinese: '插件的证书与主机名不符' },
  ].map(({ title, chinese }): Failure => ({
    sequence: [],
    title,
    says: [NEVER_RECEIVED, 'a valid certificate'],
    neverSays: [UNKNOWN],
    isUsedUp: true,
    next: 'Plugin owner: Fix the certificate or HTTPS',
    chinese: { title: chinese, next: '插件负责人：修复证书或 HTTPS' },
  })),
  {
    sequence: [],
    title: 'The plugin’s endpoint is not allowed',
    says: [NEVER_RECEIVED, 'allow the endpoint in this deployment'],
    neverSays: [UNKNOWN],
    isUsedUp: true,
    next: 'Administrator: Allow the endpoint',
    chinese: { title: '插件的端点地址未被放行', next: '管理员：放行端点地址' },
  },
  {
    sequence: [],
    title: 'The plugin can’t be called',
    says: [NEVER_RECEIVED, 'is not registered or is disabled', 'not called'],
    neverSays: [UNKNOWN],
    next: 'Administrator: Register or enable the plugin',
    chinese: { title: '无法调用插件', next: '管理员：注册或启用插件' },
  },
]

test('a plugin that cannot be called is not said to have acted, in English and in Chinese', async ({
  system,
  signIn,
}) => {
  const before = await registration(system)
  const install = async () =>
    (await system.install(system.newScope(), 'crm-suite', '1.0.0')).operation.operationId
  const owner = { team: 'Integrations', contact: 'mailto:integrations@example.com' }
  const given = { ...before, ...SHORT, owner }
  const failed: string[] = []
  const authority = await testAuthority()
  const certificates = [
    await testCertificate(),
    await testCertificate({ by: authority, isExpired: true }),
    await testCertificate({ by: authority, names: ['plugin.example.com'] }),
  ]
  // the runtime of this system runs in this process
  const trusted = getCACertificates('default')
  setDefaultCACertificates([...trusted, authority.cert])
  try {
    await register(system, { ...given, endpoint: 'http://no-such-host.invalid/lifecycle' })
    failed.push(await install())
    await register(system, { ...given, endpoint: before.endpoint.replace('http:', 'https:') })
    failed.push(await install())
    for (const certificate of certificates) {
      await using plugin = await startTlsServer(certificate)
      await register(system, { ...given, endpoint: `${plugin.url}/lifecycle` })
      failed.push(await install())
    }
    // allowed when it was registered, and no longer when it is called
    system.egressAllow.push(...parseEgressAllow('192.0.2.1'))
    await register(system, { ...given, endpoint: 'http://192.0.2.1/lifecycle' })
    system.egressAllow.splice(1)
    failed.push(await install())
    await register(system, { ...given, enabled: false })
    failed.push(await install())
  } finally {
    setDefaultCACertificates(trusted)
    system.egressAllow.splice(1)
    await register(system, { ...before, owner })
  }
  const page = await signIn('sam')
  const cases = NOT_CALLED.map((failure, index) => [failure, failed[index] ?? ''] as const)
  for (const [failure, operationId] of cases) await expectAnswers(page, operationId, failure)

  await page.getByRole('button', { name: /sam/i }).click()
  await page.getByRole('dialog').getByText('简体中文').click()
  for (const [{ chinese }, operationId] of cases) {
    await page.goto(`/operations/${operationId}`)
    const panel = page.getByRole('region', { name: '失败原因' })
    await expect(panel.getByRole('heading', { name: chinese?.title ?? '' })).toBeVisible()
    await expect(panel).toContainText('插件从未收到此调用')
    await expect(panel).toContainText(chinese?.next ?? '')
    await expect(panel).toContainText('否。')
    // nothing stays in English but names and the code
    await expect(panel).not.toContainText(/The plugin|Check|Ask/)
  }
})

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
    page.getByText(/Failed again at .*another failure.*Reason for the retry: The new plugin is up/),
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
      fail(system, {
        sequence: [{ kind: 'failure-envelope', errorCode, message: `The tenant "${name}" is locked.` }],
      }),
    ),
  )
  await system.script.clear()
  const page = await signIn('sam', `/operations?view=causes&errorCode=${errorCode}`)
  await expect(page.getByRole('cell', { name: /^3 operations in 3 scopes/ })).toBeVisible()
  await page.getByRole('link', { name: /The tenant … is locked\./ }).click()
  const rows = page.getByRole('table', { name: 'Operations' }).getByRole('row')
  // with the header
  await expect(rows).toHaveCount(4)

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
  const operationId = await fail(system, {
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

test('a failure names the endpoint of its attempt, also after the plugin has moved', async ({
  system,
  signIn,
}) => {
  const operationId = await fail(system, { sequence: [{ kind: 'fail' }] })
  await system.script.clear()
  const usual = await registration(system)
  const moved = `http://127.0.0.1:${await freePort()}/moved`
  const page = await signIn('sam', `/operations/${operationId}`)
  const failure = page.getByRole('region', { name: 'Why it failed' })
  await expect(failure).toContainText(`Endpoint ${usual.endpoint}`)
  await expect(failure).not.toContainText('has changed')
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

/** Installs a bundle whose plugin fails in this way, each time in a separate scope. */
async function fail(
  system: System,
  {
    bundle = 'crm-suite',
    sequence,
    stage = 'BEFORE_RESOURCES',
  }: Pick<Failure, 'bundle' | 'sequence' | 'stage'>,
): Promise<string> {
  const scope = system.newScope()
  // each rule is added before the others; the last behaviour stays
  for (const [index, behaviour] of [...sequence.entries()].toReversed())
    await system.script.add({
      when: { workspaceId: scope.workspaceId, stage },
      ...(index < sequence.length - 1 && { times: 1 }),
      behaviour,
    })
  return (await system.install(scope, bundle, '1.0.0')).operation.operationId
}

async function expectAnswers(page: Page, operationId: string, failure: Failure): Promise<void> {
  await page.goto(`/operations/${operationId}`)
  const panel = page.getByRole('region', { name: 'Why it failed' })
  await expect(panel.getByRole('heading', { name: failure.title })).toBeVisible()
  const answer = async (label: string) =>
    (await panel.locator('dt', { hasText: label }).locator('xpath=following-sibling::dd').innerText()).trim()
  expect(await answer('Where')).toContain(`${PLUGIN} in `)
  expect(await answer('Still in progress?')).toMatch(
    failure.isUsedUp
      ? 'No. All 3 attempts of run 1 were used; nothing is scheduled.'
      : 'nothing is scheduled',
  )
  expect(await answer('Next step')).toContain(failure.next)
  if (failure.next.startsWith('Plugin owner')) expect(await answer('Next step')).toContain('Integrations')
  expect(await answer('What to do')).not.toBe('')
  // the trace of a refused write loads after the panel
  for (const said of failure.says) await expect.poll(() => panel.innerText()).toMatch(said)
  const text = await panel.innerText()
  for (const unsaid of failure.neverSays ?? []) expect(text).not.toContain(unsaid)
}

/** A server that would answer, if a client trusted its certificate. */
async function startTlsServer(certificate: TestCertificate) {
  const server = createServer(certificate, (_, outgoing) => outgoing.end())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function registration(system: System) {
  const params = { pluginId: PLUGIN }
  const {
    pluginId: _,
    credentials: __,
    check: ___,
    owner,
    ...rest
  } = await system.call(platform, 'GET /plugins/{pluginId}', { params })
  return { ...rest, ...(owner !== null && { owner }) }
}

async function register(system: System, body: Awaited<ReturnType<typeof registration>>): Promise<void> {
  const params = { pluginId: PLUGIN }
  await system.call(platform, 'PUT /plugins/{pluginId}', { params, body }, randomUUID())
}
