import { useQuery } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { DependencyGraph } from '#contract/console-api/shapes.ts'
import { apiQuery } from '../../api/query.ts'
import { serveApi } from '../../testing/api.ts'
import { renderInConsole } from '../../testing/render.tsx'
import { Dependencies } from './Dependencies.tsx'

const DEPENDENCIES = 'GET /services/{serviceId}/dependencies'
const idOf = (number: number) => `01920000-0000-7000-8000-${String(number).padStart(12, '0')}`

const installation = (
  number: number,
  distance: number,
  bundleId: string,
): DependencyGraph['installations'][number] => ({
  installation: {
    environmentKey: 'production',
    applicationRuntimeId: 'eu',
    workspaceId: number,
    bundleInstallId: idOf(number),
    bundle: { environmentKey: 'production', bundleId },
  },
  title: bundleId === 'crm' ? 'CRM' : 'Shop',
  state: 'ACTIVE',
  distance,
})

const use = (number: number, serviceId: string): DependencyGraph['uses'][number] => ({
  bundleInstallId: idOf(number),
  serviceId,
  properties: [{ locator: 'production/crm/MODULE/core', resourceTitle: 'Core', property: 'gateway' }],
  propertyCount: 8,
})

const mail = { serviceId: 'mail', title: 'Mail', owner: null, distance: 0 }

/** mail ◀ `users` CRMs, the first of which owns orders ◀ one shop. */
const chainOf = (users: number): DependencyGraph => ({
  services: [
    mail,
    {
      serviceId: 'orders',
      title: 'Orders',
      owner: { bundleInstallId: idOf(1), locator: 'production/crm/MODULE/core' },
      distance: 2,
    },
  ],
  installations: [
    ...Array.from({ length: users }, (_, index) => installation(index + 1, 1, 'crm')),
    installation(99, 3, 'shop'),
  ],
  uses: [...Array.from({ length: users }, (_, index) => use(index + 1, 'mail')), use(99, 'orders')],
  more: 0,
})

function OfMail() {
  const query = useQuery(apiQuery(DEPENDENCIES, { params: { serviceId: 'mail' } }))
  return <Dependencies of="service" title="Mail" query={query} />
}

async function show(graph: DependencyGraph) {
  await serveApi({ [DEPENDENCIES]: () => graph })
  await renderInConsole(<OfMail />)
}

const picture = page.getByRole('figure', { name: 'What Mail needs, and what is reached if it stops' })
const table = page.getByRole('table', { name: 'Reached installations' })

test('a sentence counts what is reached, and each box leads to its page', async () => {
  await show(chainOf(2))
  await expect
    .element(page.getByText('2 installations use Mail. 1 more is reached indirectly.'))
    .toBeVisible()
  await expect
    .element(picture.getByRole('link', { name: /^CRM production\/eu\/1 Reached/ }))
    .toHaveAttribute('href', `/installations/${idOf(1)}?tab=references`)
  await expect
    .element(picture.getByRole('link', { name: /^Orders .*core/ }))
    .toHaveAttribute('href', '/services/orders')
  const root = picture.getByRole('listitem').filter({ hasText: /This$/ })
  await expect.element(root.getByText('Mail', { exact: true })).toBeVisible()
  expect(root.getByRole('link').query()).toBeNull()
})

test('the table has the same facts', async () => {
  await show(chainOf(2))
  await expect
    .element(table.getByRole('row').nth(3))
    .toMatchTextContent(/Shop.*eu\/99.*Orders.*Through 1 installation/)
  await expect
    .element(table.getByRole('row').nth(1))
    .toMatchTextContent(/CRM.*Core · gateway.*7 more properties.*Directly/)
})

test('many installations of a bundle are one box, which lists them', async () => {
  await show(chainOf(20))
  const box = picture.getByRole('button', { name: /^CRM 20 installations/ })
  await expect.element(table.getByRole('link', { name: 'Shop shop' })).toBeVisible()
  ;(box.element() as HTMLElement).focus()
  await userEvent.keyboard('{Enter}')
  await expect.element(box).toHaveAttribute('aria-pressed', 'true')
  await expect.element(page.getByText('Only 20 installations are listed.')).toBeVisible()
  expect(table.getByRole('link', { name: 'Shop shop' }).query()).toBeNull()
  await page.getByRole('button', { name: 'List all' }).click()
  await expect.element(table.getByRole('link', { name: 'Shop shop' })).toBeVisible()
})

test('what is left out is said, and so is that nothing is reached', async () => {
  await show({ ...chainOf(1), more: 700 })
  await expect.element(page.getByText(/At least 700 more are not shown/)).toBeVisible()
})

test('a service that nothing uses has neither picture nor table', async () => {
  await show({ services: [mail], installations: [], uses: [], more: 0 })
  await expect.element(page.getByText('No installation that you can see uses Mail.')).toBeVisible()
  expect(picture.query()).toBeNull()
  expect(table.query()).toBeNull()
})
