import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { Configuration } from '#contract/console-api/shapes.ts'
import { wrapData } from '#contract/protocol/data.ts'
import type { JsonValue } from '#contract/json-schema/json.ts'
import { renderConsole } from '../../../testing/render.tsx'
import { CONFIGURATION, MAIL, PLAN, serveScope, type ServedScope } from '../../../testing/served-scope.ts'

const WEB = 'production/crm-suite/GATEWAY/crm-web'
const dialog = page.getByRole('dialog')
const tick = (name: string) => dialog.getByRole('checkbox', { name: `Take this value: ${name}` })
const saveButton = dialog.getByRole('button', { name: /^Save/ })
const leftOut = dialog.getByRole('region', { name: 'Left out' })

/** The configuration with a gateway, and values in it. */
function withGateway(own: Configuration, domain: string, mail: Record<string, JsonValue>): Configuration {
  const resource = own.resources[MAIL]
  if (resource === undefined) throw new Error('The scope has no mail resource')
  const values = Object.entries(mail).map(([name, value]) => [name, wrapData(value)] as const)
  return {
    ...own,
    resources: {
      ...own.resources,
      [MAIL]: { ...resource, properties: { ...resource.properties, ...Object.fromEntries(values) } },
      [WEB]: {
        ...resource,
        kind: 'GATEWAY',
        title: 'CRM web',
        properties: { domain: wrapData(domain) },
        definitions: {
          domain: { kind: 'DATA', schema: { type: 'string', format: 'hostname', title: 'Domain' } },
        },
      },
    },
  }
}

/** Copies from a scope of the same environment whose mail has these values. */
async function copy(mail: Record<string, JsonValue>): Promise<ServedScope> {
  const scope = await serveScope({ 'GET /scopes': () => ({ items: [], nextCursor: null }) })
  const own = () => withGateway(scope.configuration(), 'crm.example', {})
  const other = {
    ...withGateway(scope.configuration(), 'crm.two.example', mail),
    scope: { ...scope.configuration().scope, workspaceId: 99_999 },
  }
  scope.api.answer({
    [CONFIGURATION]: ({ params }) => (params['workspaceId'] === '99999' ? other : own()),
  })
  await renderConsole(scope.address(MAIL))
  await page.getByRole('button', { name: 'File', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Copy values from another scope' }).click()
  await page.getByRole('combobox', { name: 'Copy from' }).fill('production/eu/99999')
  await dialog.getByRole('option').first().click()
  await page.getByRole('button', { name: 'Copy and review' }).click()
  await expect.element(dialog.getByLabelText('Changes of CRM web')).toBeVisible()
  return scope
}

const planned = (scope: ServedScope) => scope.api.requests(PLAN).at(-1)?.body

test('a domain waits for a tick, which plans again, and only what is ticked is saved', async () => {
  const scope = await copy({ smtpPort: 2525, smtpUser: 'two' })
  await expect.element(tick('Domain · CRM web')).not.toBeChecked()
  await expect.element(tick('SMTP port · CRM mail')).toBeChecked()
  await expect.element(leftOut).toMatchTextContent(/values left out/)
  await expect.element(leftOut).toMatchTextContent(/1 gateway address.*CRM web · Domain/)
  await expect.poll(() => JSON.stringify(planned(scope))).not.toContain('crm.two.example')

  await tick('Domain · CRM web').click()
  await expect.poll(() => JSON.stringify(planned(scope))).toContain('crm.two.example')
  await expect.element(tick('Domain · CRM web')).toHaveFocus()
  await expect.element(leftOut).not.toMatchTextContent(/gateway address/)
  await tick('Domain · CRM web').click()
  await tick('SMTP user · CRM mail').click()
  await expect.element(leftOut).toMatchTextContent(/1 value that is not ticked.*SMTP user/)
  await expect.element(saveButton).toBeEnabled()
  await saveButton.click()
  await expect
    .poll(() => scope.saveRequests().map(({ body }) => (body as { changes: unknown }).changes))
    .toEqual([{ [MAIL]: { smtpPort: wrapData(2525) } }])
  // nothing of the rest is left behind
  await expect.element(dialog).not.toBeInTheDocument()
})

test('a copy of nothing but a domain saves nothing until it is ticked', async () => {
  const scope = await copy({})
  await expect.element(dialog).toMatchTextContent(/crm-suite: nothing to save/)
  await expect.element(saveButton).toHaveAttribute('aria-disabled', 'true')
  await userEvent.keyboard('{Control>}{Enter}{/Control}')
  expect(scope.saveRequests()).toEqual([])
  await tick('Domain · CRM web').click()
  await expect.element(saveButton).not.toHaveAttribute('aria-disabled', 'true')
  await tick('Domain · CRM web').click()
  await expect.element(saveButton).toHaveAttribute('aria-disabled', 'true')
  await dialog.getByRole('button', { name: 'Back to form' }).click()
  await expect.element(dialog).not.toBeInTheDocument()
  await expect.element(page.getByRole('region', { name: 'Unsaved changes' })).not.toBeInTheDocument()
})

test('a file of another scope is sorted like a copy, and one of this scope is not', async () => {
  const scope = await serveScope()
  const own = withGateway(scope.configuration(), 'crm.example', {})
  scope.api.answer({ [CONFIGURATION]: () => own })
  await renderConsole(scope.address(MAIL))
  const file = (workspaceId: number) =>
    new File(
      [
        JSON.stringify({
          format: 'bundle-console/configuration',
          version: 1,
          scope: { ...own.scope, workspaceId },
          leftOut: { sensitive: [`${MAIL} smtpPassword`], writtenByPlugins: [] },
          resources: {
            [MAIL]: { smtpHost: wrapData('relay.crm.two.example') },
            [WEB]: { domain: wrapData('crm.two.example') },
          },
        }),
      ],
      'configuration.json',
    )
  const input = page.getByLabelText('Import file')
  await userEvent.upload(input, file(99_999))
  await expect.element(tick('Domain · CRM web')).not.toBeChecked()
  await expect.element(tick('SMTP host · CRM mail')).not.toBeChecked()
  await expect.element(dialog.getByText('Contains an address of the other scope.')).toBeVisible()
  await expect.element(leftOut).toMatchTextContent(/3 values left out.*1 sensitive value is never copied/)
  await dialog.getByRole('button', { name: 'Back to form' }).click()
  await userEvent.upload(input, file(own.scope.workspaceId))
  await expect.element(tick('Domain · CRM web')).toBeChecked()
  await expect.element(tick('SMTP host · CRM mail')).toBeChecked()
})
