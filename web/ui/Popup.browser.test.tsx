import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { renderInConsole } from '../testing/render.tsx'
import { Button } from './Button.tsx'
import { closePopup, Popup } from './Popup.tsx'

const trigger = page.getByRole('button', { name: 'Filters' })
const popup = page.getByRole('dialog', { name: 'Filters' })

const content = (
  <form
    onSubmit={(event) => {
      event.preventDefault()
      closePopup(event.currentTarget)
    }}
  >
    <input aria-label="Plugin" />
    <Button type="submit">Apply</Button>
  </form>
)

async function renderPopup(style: React.CSSProperties = {}) {
  await renderInConsole(
    <div style={style}>
      <Popup label="Filters" renderTrigger={(props) => <Button {...props}>Filters</Button>}>
        {content}
      </Popup>
      <Button>After</Button>
    </div>,
  )
}

test('opening focuses its first field, and closing restores the focus', async () => {
  await renderPopup()
  await trigger.click()
  await expect.element(page.getByRole('textbox', { name: 'Plugin' })).toHaveFocus()
  await userEvent.keyboard('tenant{Enter}')
  await expect.element(popup).not.toBeInTheDocument()
  await expect.element(trigger).toHaveFocus()
})

test('a popup closes when the focus leaves it', async () => {
  await renderPopup()
  await trigger.click()
  await userEvent.tab()
  await expect.element(page.getByRole('button', { name: 'Apply' })).toHaveFocus()
  await expect.element(popup).toBeVisible()
  await userEvent.tab()
  await expect.element(page.getByRole('button', { name: 'After' })).toHaveFocus()
  await expect.element(popup).not.toBeInTheDocument()
})

for (const [where, style] of [
  ['the top left', { top: 0, left: 0 }],
  ['the bottom right', { bottom: 0, right: 0 }],
] as const) {
  test(`it is inside the window at ${where}, beside its button`, async () => {
    await renderPopup({ position: 'fixed', ...style })
    await trigger.click()
    await expect.element(popup).toBeVisible()
    const button = trigger.element().getBoundingClientRect()
    await expect
      .poll(() => {
        const { top, left, bottom, right } = popup.element().getBoundingClientRect()
        const isInside = top >= 0 && left >= 0 && bottom <= innerHeight && right <= innerWidth
        return isInside && (top >= button.bottom || bottom <= button.top)
      })
      .toBe(true)
  })
}
