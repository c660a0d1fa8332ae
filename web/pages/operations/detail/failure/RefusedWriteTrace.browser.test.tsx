import { afterEach, expect, test } from 'vitest'
import { page } from 'vitest/browser'
import type { RefusedWrite } from '#contract/console-api/shapes.ts'
import { changeLocale } from '../../../../i18n/locale.ts'
import { renderConsole } from '../../../../testing/render.tsx'
import { serveScope } from '../../../../testing/served-scope.ts'
import { at, call, failure, operation, refusal } from '../calls/testing.ts'

const DESK = 'staging/support-desk/MODULE/desk'
const write: RefusedWrite = {
  rule: 'PROPERTY_NOT_AUTHORIZED',
  stage: 'AFTER_RESOURCES',
  pluginId: 'hooks',
  locator: DESK,
  property: 'tenantId',
  permitted: { readProperties: ['title'], writeProperties: ['note', 'hook'], credentialProperties: [] },
  writer: { pluginId: 'provisioner', manifestPath: '/plugins/0/resources/0/writeProperties/1' },
  manifest: { bundle: { environmentKey: 'staging', bundleId: 'support-desk' }, version: '1.0.0' },
  manifestPath: '/plugins/1/resources/0/writeProperties',
}
const failed = (operationId: string, refusedWrite: RefusedWrite) =>
  operation(
    {
      operationId,
      state: 'FAILED',
      phase: 'AFTER_RESOURCES',
      failure: {
        ...failure('PLUGIN_RESPONSE_INVALID', false),
        parameters: { reason: 'callWriteNotAllowed', plugin: 'hooks', property: 'tenantId', locator: DESK },
      },
      finishedAt: at(1000),
      refusedWrite,
    },
    { after: [call('hooks', 20, [refusal()])] },
  )
const show = async (number: number, refusedWrite: RefusedWrite) => {
  const shown = failed(`01900000-0000-7000-8000-0000000000a${number}`, refusedWrite)
  await serveScope({ 'GET /operations/{operationId}': () => shown })
  await renderConsole(`/operations/${shown.operationId}`)
}

afterEach(() => changeLocale('en'))

test('a refused write shows the rule, what the plugin may do, who may write it, and where the manifest says so', async () => {
  await show(1, write)
  const trace = page.getByRole('region', { name: 'Write permission' })
  await expect.element(trace.getByText('tenantId')).toBeVisible()
  await expect
    .element(trace.getByText('The property is not among the writeProperties of hooks for this resource.'))
    .toBeVisible()
  await expect.element(trace.getByText(/^writes note.+hook$/)).toBeVisible()
  await expect.element(trace.getByText('reads title')).toBeVisible()
  await expect
    .element(trace.getByRole('link', { name: 'provisioner' }))
    .toHaveAttribute('href', '/plugins/provisioner')
  await expect
    .element(trace.getByText('/plugins/1/resources/0/writeProperties', { exact: true }))
    .toBeVisible()
  await expect.element(trace.getByText('/plugins/0/resources/0/writeProperties/1')).toBeVisible()
  await expect
    .element(trace.getByRole('link', { name: 'support-desk 1.0.0' }))
    .toHaveAttribute('href', '/catalog/staging/support-desk/1.0.0?tab=json')
  await changeLocale('zh')
  const chinese = page.getByRole('region', { name: '写入权限' })
  await expect.element(chinese.getByText('该属性不在 hooks 对此资源的 writeProperties 中。')).toBeVisible()
})

test('a name that only the plugin knows is not shown, and a missing permission is said', async () => {
  await show(2, {
    ...write,
    rule: 'RESOURCE_UNKNOWN',
    locator: null,
    property: null,
    permitted: null,
    writer: null,
    manifestPath: null,
  })
  const trace = page.getByRole('region', { name: 'Write permission' })
  await expect.element(trace.getByText(/^The resource is not part of this operation\./)).toBeVisible()
  await expect.element(trace.getByText('What it may do')).not.toBeInTheDocument()
  await expect.element(trace.getByText('Who may write it')).not.toBeInTheDocument()
})
