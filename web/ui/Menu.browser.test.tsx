import { expect, test, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { accessibleNames } from '../testing/accessibility.ts'
import { renderInConsole } from '../testing/render.tsx'
import { Button } from './Button.tsx'
import { Menu, MenuItem } from './Menu.tsx'

const trigger = page.getByRole('button', { name: 'Share' })
const menu = page.getByRole('menu', { name: 'Share' })
const item = (name: string) => page.getByRole('menuitem', { name })

async function renderMenu() {
  const selected = vi.fn()
  await renderInConsole(
    <>
      <Menu label="Share" renderTrigger={(props) => <Button {...props}>Share</Button>}>
        <MenuItem onSelect={() => selected('link')}>Copy link</MenuItem>
        <MenuItem onSelect={() => selected('text')}>As text</MenuItem>
        <MenuItem onSelect={() => selected('file')} disabledReason="Only support may do this.">
          Download
        </MenuItem>
        <MenuItem onSelect={() => selected('code')}>Copy code</MenuItem>
      </Menu>
      <Button>After</Button>
    </>,
  )
  return selected
}

test('a menu opens at its first item, and arrows wrap around, Home and End go to the ends', async () => {
  await renderMenu()
  expect(menu.query()).toBeNull()
  await userEvent.tab()
  await userEvent.keyboard('{Enter}')
  await expect.element(item('Copy link')).toHaveFocus()
  await userEvent.keyboard('{ArrowUp}')
  await expect.element(item('Copy code')).toHaveFocus()
  await userEvent.keyboard('{ArrowDown}{ArrowDown}')
  await expect.element(item('As text')).toHaveFocus()
  await userEvent.keyboard('{End}')
  await expect.element(item('Copy code')).toHaveFocus()
  await userEvent.keyboard('{Home}')
  await expect.element(item('Copy link')).toHaveFocus()
})

test('a letter moves to the next item that starts with it', async () => {
  await renderMenu()
  await trigger.click()
  await expect.element(item('Copy link')).toHaveFocus()
  await userEvent.keyboard('c')
  await expect.element(item('Copy code')).toHaveFocus()
  await userEvent.keyboard('c')
  await expect.element(item('Copy link')).toHaveFocus()
  await userEvent.keyboard('a')
  await expect.element(item('As text')).toHaveFocus()
  await userEvent.keyboard('z')
  await expect.element(item('As text')).toHaveFocus()
})

test('choosing an item closes the menu, acts once, and focuses the button', async () => {
  const selected = await renderMenu()
  await trigger.click()
  await userEvent.keyboard('{ArrowDown}{Enter}')
  await expect.element(menu).not.toBeInTheDocument()
  expect(selected.mock.calls).toEqual([['text']])
  await expect.element(trigger).toHaveFocus()
})

test('a disabled item shows its reason and does nothing', async () => {
  const selected = await renderMenu()
  await trigger.click()
  const download = page.getByRole('menuitem', { name: /^Download/ })
  await expect.element(download).toHaveAttribute('aria-disabled', 'true')
  await expect.element(download.getByText('Only support may do this.')).toBeVisible()
  await download.click({ force: true })
  await expect.element(menu).toBeVisible()
  expect(selected).not.toHaveBeenCalled()
})

test('Escape closes it and restores the focus', async () => {
  await renderMenu()
  await trigger.click()
  await userEvent.keyboard('{Escape}')
  await expect.element(menu).not.toBeInTheDocument()
  await expect.element(trigger).toHaveFocus()
})

test('Tab closes it and moves on', async () => {
  await renderMenu()
  await trigger.click()
  await expect.element(item('Copy link')).toHaveFocus()
  await userEvent.tab()
  await expect.element(menu).not.toBeInTheDocument()
  await expect.element(page.getByRole('button', { name: 'After' })).toHaveFocus()
})

test('a second press on the button, or a press elsewhere, closes it', async () => {
  await renderMenu()
  await trigger.click()
  await expect.element(menu).toBeVisible()
  await trigger.click()
  await expect.element(menu).not.toBeInTheDocument()
  await trigger.click()
  await expect.element(menu).toBeVisible()
  await userEvent.pointer([{ target: document.body, coords: { x: 900, y: 500 } }, { keys: '[MouseLeft]' }])
  await expect.element(menu).not.toBeInTheDocument()
})

test('a closed menu is hidden from screen readers', async () => {
  await renderMenu()
  expect(await accessibleNames('menuitem')).toEqual([])
  await trigger.click()
  expect(await accessibleNames('menuitem')).toHaveLength(4)
})
