import { expect, test, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { paths } from '../addresses/paths.ts'
import { renderInConsole } from '../testing/render.tsx'
import { Button } from './Button.tsx'
import { showToast } from './toast.ts'
import { Toasts } from './Toasts.tsx'

const close = page.getByRole('button', { name: 'Close' })

async function renderToasts() {
  return renderInConsole(
    <>
      <Button onClick={() => showToast({ text: 'Plugin saved' })}>Save</Button>
      <Toasts />
    </>,
  )
}

test('a toast is added to an existing live region', async () => {
  const screen = await renderToasts()
  const region = screen.container.querySelector('[aria-live="polite"]')
  expect(region?.textContent).toBe('')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.element(page.getByText('Plugin saved')).toBeVisible()
  expect(region?.textContent).toContain('Plugin saved')
})

test('a toast disappears after a while, but not while the pointer or the focus is on it', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  await renderToasts()
  showToast({ text: 'Plugin saved' })
  const toast = page.getByText('Plugin saved')
  await toast.hover()
  await vi.advanceTimersByTimeAsync(60_000)
  await expect.element(toast).toBeVisible()
  await userEvent.pointer({ target: document.body, coords: { x: 4, y: 4 } })
  close.element().focus()
  await vi.advanceTimersByTimeAsync(60_000)
  await expect.element(toast).toBeVisible()
  page.getByRole('button', { name: 'Save' }).element().focus()
  await vi.advanceTimersByTimeAsync(6_900)
  await expect.element(toast).toBeVisible()
  await vi.advanceTimersByTimeAsync(200)
  await expect.element(toast).not.toBeInTheDocument()
})

test('closing a toast by keyboard restores the focus', async () => {
  await renderToasts()
  const save = page.getByRole('button', { name: 'Save' })
  await save.click()
  await userEvent.tab()
  await expect.element(close).toHaveFocus()
  await userEvent.keyboard('{Enter}')
  await expect.element(page.getByText('Plugin saved')).not.toBeInTheDocument()
  await expect.element(save).toHaveFocus()
})

test('the link of a toast navigates and closes it; at most three are shown', async () => {
  const screen = await renderToasts()
  for (const n of [1, 2, 3, 4]) showToast({ text: `Saved ${n}` })
  await expect.element(close).toHaveLength(3)
  expect(page.getByText('Saved 1').query()).toBeNull()
  showToast({ text: 'Started', link: { label: 'Configure', to: paths.operation('o-1') } })
  await page.getByRole('link', { name: 'Configure' }).click()
  expect(screen.address()).toBe('/operations/o-1')
  await expect.element(page.getByText('Started')).not.toBeInTheDocument()
})
