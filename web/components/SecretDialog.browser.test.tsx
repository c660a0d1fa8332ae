import { Link } from '@tanstack/react-router'
import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { renderInConsole } from '../testing/render.tsx'
import { SecretDialog } from './SecretDialog.tsx'

const texts = {
  title: 'Copy the secret',
  warning: 'It is shown once.',
  label: 'Secret',
  done: 'I have saved it',
  lostTitle: 'Not shown',
  lost: 'The response was lost.',
}
const asksBeforeUnload = () => !dispatchEvent(new Event('beforeunload', { cancelable: true }))
const dialog = (secret: string | null) => (
  <>
    <Link to="/plugins">Plugins</Link>
    <SecretDialog secret={secret} texts={texts} onClose={() => undefined} />
  </>
)

test('neither another page nor closing the tab takes the secret away', async () => {
  const { address } = await renderInConsole(dialog('whsec_1'))
  await expect.element(page.getByText('whsec_1')).toBeVisible()
  expect(asksBeforeUnload()).toBe(true)
  document.querySelector('a')?.click()
  await expect.element(page.getByText('whsec_1')).toBeVisible()
  expect(address()).toBe('/')
})

test('without a secret there is nothing to keep', async () => {
  const { address } = await renderInConsole(dialog(null))
  expect(asksBeforeUnload()).toBe(false)
  document.querySelector('a')?.click()
  await expect.poll(address).toBe('/plugins')
})
