import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { renderInConsole } from '../testing/render.tsx'
import { Button } from './Button.tsx'
import { Tooltip } from './Tooltip.tsx'

const bubble = page.getByRole('tooltip')

async function renderBadge(onRowPress = () => undefined) {
  await renderInConsole(
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions -- a row
    <div onClick={onRowPress} style={{ padding: 200 }}>
      <Tooltip text="Plugins are not called.">
        {(described) => (
          <button type="button" {...described}>
            Disabled
          </button>
        )}
      </Tooltip>
      <Button label="Copy" icon="copy" />
    </div>,
  )
}

test('a tooltip is shown only while the pointer is on its element', async () => {
  await renderBadge()
  expect(bubble.query()).toBeNull()
  await page.getByRole('button', { name: 'Disabled' }).hover()
  await expect.element(bubble).toHaveTextContent('Plugins are not called.')
  await userEvent.pointer({ target: document.body, coords: { x: 4, y: 4 } })
  await expect.element(bubble).not.toBeInTheDocument()
})

test('the pointer can move onto it, and pressing it does not press what is behind it', async () => {
  let presses = 0
  await renderBadge(() => void presses++)
  await page.getByRole('button', { name: 'Disabled' }).hover()
  await expect.element(bubble).toBeVisible()
  const from = page.getByRole('button', { name: 'Disabled' }).element().getBoundingClientRect()
  const to = bubble.element().getBoundingClientRect()
  const x = from.left + from.width / 2
  for (let y = from.top + 2; y > to.top + to.height / 2; y -= 2)
    await userEvent.pointer({ target: document.body, coords: { x, y } })
  await expect.element(bubble).toBeVisible()
  await userEvent.pointer({ keys: '[MouseLeft]' })
  expect(presses).toBe(0)
})

test('keyboard focus shows it, and it describes its element; Escape hides it', async () => {
  await renderBadge()
  await userEvent.tab()
  const disabled = page.getByRole('button', { name: 'Disabled' })
  await expect.element(disabled).toHaveFocus()
  await expect.element(disabled).toHaveAccessibleDescription('Plugins are not called.')
  await userEvent.keyboard('{Escape}')
  await expect.element(bubble).not.toBeInTheDocument()
  await userEvent.tab()
  await expect.element(page.getByRole('button', { name: 'Copy' })).toHaveFocus()
  await expect.element(bubble).toHaveTextContent('Copy')
})

test('a tooltip does not stay after a mouse press', async () => {
  await renderBadge()
  await page.getByRole('button', { name: 'Copy' }).click()
  await userEvent.pointer({ target: document.body, coords: { x: 4, y: 4 } })
  await expect.element(bubble).not.toBeInTheDocument()
})

test('a button that gets a reason, and loses it, keeps the focus', async () => {
  const withReason = (disabledReason: string | null) => (
    <Button disabledReason={disabledReason}>Show all</Button>
  )
  const screen = await renderInConsole(withReason(null))
  const button = page.getByRole('button', { name: 'Show all' })
  button.element().focus()
  await screen.rerender(withReason('Everything is shown.'))
  await expect.element(button).toHaveAccessibleDescription('Everything is shown.')
  await expect.element(button).toHaveFocus()
  await screen.rerender(withReason(null))
  await expect.element(button).not.toHaveAttribute('aria-disabled')
  await expect.element(button).toHaveFocus()
})
