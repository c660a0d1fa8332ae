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
    ['目录', /目录/],
    ['插件', /插件/],
    ['服务', /服务/],
    ['审计', /审计/],
  ] as const) {
    await navigation.getByRole('link', { name: link }).click()
    await expectPage(page, heading)
    await expect(page.getByRole('main')).toContainText(/[一-鿿]/)
  }
  await page.goto(configurationPath(scope))
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/[一-鿿]/)
  await page.goto(`/operations/${operation.operationId}`)
  await expect(page.getByRole('heading', { level: 1 })).toContainText('成功')
})
