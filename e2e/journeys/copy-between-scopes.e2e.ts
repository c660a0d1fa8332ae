import { wrapData } from '#contract/protocol/data.ts'
import { ling } from '../../demo/people.ts'
import { configurationPath, expectApplied, MAIL, saveButton } from '../vocabulary.ts'
import { expect, test } from '../harness/test.ts'

const mail = { bundleId: 'crm-suite', kind: 'MODULE', name: 'crm-mail' } as const
const base = '/scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration' as const

test('values of staging come to production without its domain and its service, which need a tick each', async ({
  system,
  signIn,
  crmScope,
}) => {
  const staging = { ...system.newScope(), environmentKey: 'staging' }
  await system.install(staging, 'crm-suite', '1.0.0')
  const serviceId = `relay-${staging.workspaceId}`
  await system.call(
    ling,
    'PUT /services/{serviceId}',
    {
      params: { serviceId },
      body: {
        title: 'Relay of staging',
        url: 'https://relay.staging.example/',
        methods: ['send'],
        owner: null,
        consumers: [staging],
        enabled: true,
        expected: null,
      },
    },
    crypto.randomUUID(),
  )
  for (const [property, value] of [
    ['smtpPort', wrapData(2525)],
    ['smtpHost', wrapData(`relay.e2e-${staging.workspaceId}.crm.example`)],
    ['mailGateway', { '@type': 'ServiceReference', serviceId }],
  ] as const)
    await system.ended((await system.configure(staging, mail, property, value, ling)).operationId)

  const page = await signIn('olivia', configurationPath(crmScope, MAIL))
  await page.getByRole('button', { name: 'File', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Copy values from another scope' }).click()
  const text = `staging/${staging.applicationRuntimeId}/${staging.workspaceId}`
  await page.getByRole('combobox', { name: 'Copy from' }).fill(text)
  await page.getByRole('dialog').getByRole('option', { name: text, exact: true }).click()
  await page.getByRole('button', { name: 'Copy and review' }).click()

  const dialog = page.getByRole('dialog', { name: 'Review changes' })
  const tick = (name: string) => dialog.getByRole('checkbox', { name: `Take this value: ${name}` })
  await expect(tick('SMTP port · CRM mail')).toBeChecked()
  for (const name of ['Domain · CRM web', 'SMTP host · CRM mail', 'Mail gateway · CRM mail'])
    await expect(tick(name)).not.toBeChecked()
  const leftOut = dialog.getByRole('region', { name: 'Left out' })
  await expect(leftOut).toContainText(/\d+ values left out/)
  await expect(leftOut).toContainText('1 gateway address')
  await expect(leftOut).toContainText('1 reference to a service')
  await expect(leftOut).toContainText(/values? (is|are) already saved/)
  await expect(leftOut).toContainText(/sensitive values? (is|are) never copied/)
  // the reference is refused when it is ticked, and only then
  await tick('Mail gateway · CRM mail').check()
  await expect(dialog).toContainText(serviceId)
  await expect(saveButton(page)).toHaveAttribute('aria-disabled', 'true')
  await tick('Mail gateway · CRM mail').uncheck()
  await tick('SMTP host · CRM mail').check()
  await expect(saveButton(page)).not.toHaveAttribute('aria-disabled', 'true')
  await saveButton(page).click()
  await expectApplied(page)

  const { resources } = await system.call(ling, `GET ${base}`, { params: { ...crmScope } })
  const saved = JSON.stringify(resources)
  expect(saved).toContain('2525')
  expect(saved).toContain(`relay.e2e-${staging.workspaceId}.crm.example`)
  expect(saved).toContain(`"e2e-${crmScope.workspaceId}.crm.example"`)
  expect(saved).not.toContain(`"e2e-${staging.workspaceId}.crm.example"`)
  expect(saved).not.toContain(serviceId)
})
