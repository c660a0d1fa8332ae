import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import type { Service } from '#contract/console-api/shapes.ts'
import { refusal, serveApi } from '../../testing/api.ts'
import { renderInConsole } from '../../testing/render.tsx'
import { ServiceDialog } from './ServiceDialog.tsx'

const SAVE = 'PUT /services/{serviceId}'
const service: Service = {
  serviceId: 'smtp',
  title: 'Mail',
  url: 'https://mail.example.com',
  methods: ['send'],
  owner: null,
  consumers: [],
  enabled: true,
  updatedAt: '2026-11-20T08:00:00.000Z',
}
const field = (name: RegExp) => page.getByRole('textbox', { name })
const dialog = (shown: Service | null) => <ServiceDialog service={shown} onClose={() => undefined} />

test('a new service with the ID of another one is refused at its field, and nothing typed is lost', async () => {
  const message = 'This ID is already registered'
  const api = await serveApi({
    [SAVE]: () =>
      refusal({
        status: 409,
        code: 'REGISTRATION_EXISTS',
        details: [{ path: 'path.serviceId', errorCode: 'REGISTRATION_EXISTS', message }],
      }),
  })
  await renderInConsole(dialog(null))
  await field(/^Service ID/).fill('smtp')
  await field(/^Title/).fill('Other mail')
  await field(/^URL/).fill('https://other.example.com')
  await page.getByRole('button', { name: 'Register' }).click()
  await expect.element(field(/^Service ID/)).toHaveFocus()
  await expect.element(field(/^Service ID/)).toHaveAccessibleDescription(new RegExp(message))
  await expect.element(field(/^Title/)).toHaveValue('Other mail')
  expect(api.requests(SAVE).map(({ body }) => body)).toMatchObject([{ expected: null }])
})

test('an edit is sent on the basis of the registration that the form was opened with', async () => {
  const api = await serveApi({ [SAVE]: () => refusal({ status: 409, code: 'REGISTRATION_STALE' }) })
  const screen = await renderInConsole(dialog(service))
  await field(/^Title/).fill('Mail relay')
  // the page behind the form has read what a colleague saved
  await screen.rerender(dialog({ ...service, title: 'Theirs', updatedAt: '2026-11-20T09:00:00.000Z' }))
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.element(page.getByText('The registration has changed')).toBeVisible()
  await expect.element(field(/^Title/)).toHaveValue('Mail relay')
  expect(api.requests(SAVE).map(({ body }) => body)).toMatchObject([{ expected: service.updatedAt }])
})
