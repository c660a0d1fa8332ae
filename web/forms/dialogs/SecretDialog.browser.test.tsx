import { Link } from '@tanstack/react-router'
import { expect, onTestFinished, test } from 'vitest'
import { page } from 'vitest/browser'
import { renderInConsole } from '../../testing/render.tsx'
import { SecretDialog } from './SecretDialog.tsx'

const asksBeforeUnload = () => !dispatchEvent(new Event('beforeunload', { cancelable: true }))
const dialog = (secret: string | null) => (
  <>
    <Link to="/plugins">Plugins</Link>
    <SecretDialog of="plugins" secret={secret} onClose={() => undefined} />
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

const done = page.getByRole('button', { name: 'I’ve copied it' })
const withoutClipboard = () => {
  const own = Object.getOwnPropertyDescriptor(Navigator.prototype, 'clipboard')
  Object.defineProperty(navigator, 'clipboard', { value: undefined, configurable: true })
  onTestFinished(() => {
    Reflect.deleteProperty(navigator, 'clipboard')
    expect(Object.getOwnPropertyDescriptor(Navigator.prototype, 'clipboard')).toEqual(own)
  })
}
/** What the browser is asked to copy. */
function copiedTexts(): string[] {
  const texts: string[] = []
  const listen = ({ target }: ClipboardEvent) =>
    texts.push(
      target instanceof HTMLTextAreaElement ? target.value : (document.getSelection()?.toString() ?? ''),
    )
  addEventListener('copy', listen)
  onTestFinished(() => removeEventListener('copy', listen))
  return texts
}

test('without the clipboard API the secret is copied in another way, and only then it counts as copied', async () => {
  withoutClipboard()
  const texts = copiedTexts()
  await renderInConsole(dialog('whsec_1'))
  await expect.element(done).toHaveAttribute('aria-disabled', 'true')
  await page.getByRole('button', { name: 'Copy', exact: true }).click()
  await expect.element(done).not.toHaveAttribute('aria-disabled', 'true')
  expect(texts).toEqual(['whsec_1'])
})

test('where the browser refuses to copy, the text is selected to be copied by hand', async () => {
  withoutClipboard()
  // oxlint-disable-next-line typescript/no-deprecated -- as a browser that forbids it
  document.execCommand = () => false
  onTestFinished(() => void Reflect.deleteProperty(document, 'execCommand'))
  await renderInConsole(dialog('whsec_1'))
  await page.getByRole('button', { name: 'Copy', exact: true }).click()
  const text = page.getByRole('textbox', { name: 'Text to copy' })
  await expect.element(text).toHaveFocus()
  const field = text.element() as HTMLTextAreaElement
  expect(field.value.slice(field.selectionStart, field.selectionEnd)).toBe('whsec_1')
  await page
    .getByRole('dialog', { name: 'Copy by hand' })
    .getByRole('button', { name: 'Close' })
    .last()
    .click()
  await expect.element(done).toHaveAttribute('aria-disabled', 'true')
  await page.getByRole('checkbox', { name: 'I have stored the secret elsewhere' }).click()
  await expect.element(done).not.toHaveAttribute('aria-disabled', 'true')
})

test('a secret that is selected and copied with the keyboard counts as copied', async () => {
  await renderInConsole(dialog('whsec_1'))
  const secret = page.getByLabelText('Credential secret', { exact: true }).element()
  document.getSelection()?.selectAllChildren(secret)
  secret.dispatchEvent(new ClipboardEvent('copy', { bubbles: true }))
  await expect.element(done).not.toHaveAttribute('aria-disabled', 'true')
})
