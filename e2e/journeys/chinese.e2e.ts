import { wrapData } from '#contract/protocol/data.ts'
import { tomas } from '../../demo/people.ts'
import { configurationPath, expectPage } from '../vocabulary.ts'
import { expect, test } from '../harness/test.ts'

test('after switching to Chinese every page is in Chinese', async ({ system, signIn }) => {
  const scope = system.newScope()
  const { operation } = await system.install(scope, 'crm-suite', '1.0.0')
  const page = await signIn('admin')
  await page.getByRole('button', { name: /admin/ }).click()
  await page.getByRole('dialog').getByText('简体中文').click()
  await expectPage(page, '总览')
  await expect(page.locator('html')).toHaveAttribute('lang', /^zh/)

  const navigation = page.getByRole('navigation').first()
  for (const [link, heading] of [
    ['安装实例', /安装/],
    ['操作', /操作/],
    ['配置', /./],
    ['Bundle 目录', /目录/],
    ['插件', /插件/],
    ['服务', /服务/],
    ['审计日志', /审计/],
  ] as const) {
    await navigation.getByRole('link', { name: link, exact: true }).click()
    await expectPage(page, heading)
    await expect(page.getByRole('main')).toContainText(/[一-鿿]/)
  }
  await page.goto(configurationPath(scope))
  // its title is the scope
  await expect(page.getByRole('main')).toContainText(/本地服务/)
  await page.goto(`/operations/${operation.operationId}`)
  await expect(page.getByRole('heading', { level: 1 })).toContainText('成功')
})

test('a failure of the platform is in Chinese, a message of a plugin as the plugin wrote it', async ({
  system,
  signIn,
  crmScope,
}) => {
  const stage = { workspaceId: crmScope.workspaceId, stage: 'AFTER_RESOURCES' } as const
  await system.script.add({ when: stage, times: 1, behaviour: { kind: 'fail' } })
  const mail = { bundleId: 'crm-suite', kind: 'MODULE', name: 'crm-mail' } as const
  const { operationId } = await system.configure(crmScope, mail, 'smtpPort', wrapData(2525), tomas)
  await system.ended(operationId)
  const page = await signIn('sam')
  await page.goto(`/operations/${operationId}`)
  await expectPage(page, 'Configure CRM suite Failed')
  await expect(page.getByRole('region', { name: 'Why it failed' })).toContainText('reported that it failed')
  await page.getByRole('button', { name: /sam/i }).click()
  await page.getByRole('dialog').getByText('简体中文').click()
  const failure = page.getByRole('region', { name: '失败原因' })
  await expect(failure).toContainText('插件 scripted-hooks 报告执行失败')
  await expect(failure).not.toContainText('reported that it failed')

  const pluginFailure = {
    kind: 'failure-envelope',
    errorCode: 'MAILBOX_LOCKED',
    message: 'The mailbox is locked.',
  } as const
  await system.script.add({ when: stage, times: 1, behaviour: { ...pluginFailure, retryable: false } })
  await failure.getByRole('button', { name: '重试' }).click()
  await page.getByRole('dialog').getByRole('button', { name: '重试' }).click()
  await expect(failure).toContainText('The mailbox is locked.')
})
