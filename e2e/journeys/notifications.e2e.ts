import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from '../harness/test.ts'

test('an administrator creates a webhook, sees its secret once, and tests it', async ({ signIn }) => {
  const arrived: { signed: string; signature: string }[] = []
  const receiver = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (text: string) => (body += text))
    request.on('end', () => {
      const header = (name: string) => String(request.headers[`webhook-${name}`])
      const signed = `${header('id')}.${header('timestamp')}.${body}`
      arrived.push({ signed, signature: header('signature') })
      response.end()
    })
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  const { port } = receiver.address() as AddressInfo

  const page = await signIn('admin', '/notifications')
  await page.getByRole('button', { name: 'Create webhook' }).click()
  const form = page.getByRole('dialog', { name: 'Create a webhook' })
  await form.getByLabel('Name').fill('On call')
  await form.getByLabel('Address').fill(`http://127.0.0.1:${port}/hook`)
  await form.getByLabel('Format').selectOption('Chat text')
  await form.getByRole('button', { name: 'Create webhook' }).click()
  const dialog = page.getByRole('dialog', { name: 'Copy your signing secret now' })
  const secret = /whsec_[A-Za-z0-9+/=]+/.exec(await dialog.innerText())?.[0] ?? ''
  await dialog.getByRole('checkbox', { name: 'I have stored the secret elsewhere' }).check()
  await dialog.getByRole('button', { name: 'I’ve copied it' }).click()

  await page.getByRole('link', { name: 'On call' }).click()
  await page.getByRole('button', { name: 'Send test' }).click()
  const log = page.getByRole('table', { name: 'Delivery log' })
  await expect(log.getByRole('row').filter({ hasText: 'Test' })).toContainText('Accepted')
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  expect(arrived.map(({ signature }) => signature)).toEqual(
    arrived.map(({ signed }) => `v1,${createHmac('sha256', key).update(signed).digest('base64')}`),
  )
  expect(arrived).toHaveLength(1)
  expect(arrived[0]?.signed).toContain('{"text":"Test notification"}')
  await expect(page.getByRole('main')).toContainText('Chat text')
  await expect(page.getByText('whsec_')).toHaveCount(0)

  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByRole('link', { name: 'On call' })).toHaveCount(0)
  await new Promise((resolve) => receiver.close(resolve))
})
