import { useState } from 'react'
import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { accessibleNames } from '../testing/accessibility.ts'
import { renderInConsole } from '../testing/render.tsx'
import { Button } from './Button.tsx'
import { Dialog, type DialogProps } from './Dialog.tsx'

/** A page with a button that opens a dialog, as in the console. */
function PageWithDialog(props: Partial<DialogProps>) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <main>
      <Button onClick={() => setIsOpen(true)}>Edit</Button>
      <Button>Delete</Button>
      <Dialog
        open={isOpen}
        onClose={() => setIsOpen(false)}
        title="Edit plugin"
        description="It is called before resources."
        footer={<Button onClick={() => setIsOpen(false)}>Save</Button>}
        {...props}
      >
        {props.children ?? <input aria-label="Title" />}
      </Dialog>
    </main>
  )
}

const dialog = page.getByRole('dialog', { name: 'Edit plugin' })
const edit = page.getByRole('button', { name: 'Edit' })

async function open(props: Partial<DialogProps> = {}) {
  await renderInConsole(<PageWithDialog {...props} />)
  await edit.click()
  await expect.element(dialog).toBeVisible()
}

test('a dialog has a name and a description, and focuses its first input', async () => {
  await open()
  await expect.element(dialog).toHaveAccessibleDescription('It is called before resources.')
  await expect.element(page.getByRole('textbox', { name: 'Title' })).toHaveFocus()
})

test('without an input, the dialog itself has the focus, not the close button', async () => {
  await open({ children: <p>Nothing to type.</p> })
  await expect.element(dialog).toHaveFocus()
})

test('the page behind it is inert', async () => {
  await open()
  expect(await accessibleNames('button')).toEqual(['Close', 'Save'])
  const visited = new Set<string>()
  for (let press = 0; press < 8; press++) {
    await userEvent.tab()
    visited.add(
      document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? '',
    )
  }
  expect(visited).not.toContain('Edit')
  expect(visited).not.toContain('Delete')
  expect([...visited]).toEqual(expect.arrayContaining(['Title', 'Save', 'Close']))
})

test('the page behind it does not scroll, and keeps its width', async () => {
  const root = document.documentElement
  const overflow = () => getComputedStyle(root).overflowY
  root.style.minHeight = '200vh'
  const widthOfPage = () => document.body.getBoundingClientRect().width
  const before = widthOfPage()
  await open()
  expect(overflow()).toBe('hidden')
  expect(widthOfPage()).toBe(before)
  await userEvent.keyboard('{Escape}')
  await expect.poll(overflow).toBe('visible')
  expect(widthOfPage()).toBe(before)
  root.style.minHeight = ''
})

for (const [how, close] of [
  ['Escape', () => userEvent.keyboard('{Escape}')],
  ['the cross', () => dialog.getByRole('button', { name: 'Close' }).click()],
  ['a button in its content', () => dialog.getByRole('button', { name: 'Save' }).click()],
  ['a press beside it', () => userEvent.pointer(pressAt(4, 4))],
] as const) {
  test(`${how} closes it, and restores the focus`, async () => {
    await open()
    await close()
    await expect.element(dialog).not.toBeInTheDocument()
    await expect.element(edit).toHaveFocus()
  })
}

test('a press that started inside does not close it', async () => {
  await open()
  const input = page.getByRole('textbox', { name: 'Title' })
  await userEvent.pointer([
    { target: input, keys: '[MouseLeft>]' },
    { target: document.body, coords: { x: 4, y: 4 } },
    { keys: '[/MouseLeft]' },
  ])
  await expect.element(dialog).toBeVisible()
})

test('nothing closes it while it is busy', async () => {
  await open({ busy: true })
  // the browser allows one cancellation, and closes a modal dialog on the second Escape
  for (let press = 0; press < 3; press++) await userEvent.keyboard('{Escape}')
  await userEvent.pointer(pressAt(4, 4))
  await dialog.getByRole('button', { name: 'Close' }).click()
  await expect.element(dialog).toBeVisible()
  await expect.element(page.getByRole('textbox', { name: 'Title' })).toBeVisible()
})

test('Escape closes only the topmost dialog, and the focus is restored level by level', async () => {
  await open({ children: <Nested /> })
  await page.getByRole('button', { name: 'Why?' }).click()
  const inner = page.getByRole('dialog', { name: 'Reason' })
  await expect.element(inner).toBeVisible()
  expect(await accessibleNames('dialog')).toEqual(['Reason'])
  await userEvent.keyboard('{Escape}')
  await expect.element(inner).not.toBeInTheDocument()
  await expect.element(dialog).toBeVisible()
  await expect.element(page.getByRole('button', { name: 'Why?' })).toHaveFocus()
  await userEvent.keyboard('{Escape}')
  await expect.element(dialog).not.toBeInTheDocument()
  await expect.element(edit).toHaveFocus()
})

function Nested() {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button onClick={() => setIsOpen(true)}>Why?</Button>
      <Dialog open={isOpen} onClose={() => setIsOpen(false)} title="Reason" />
    </>
  )
}

/** Presses the mouse at a position in the window. */
function pressAt(x: number, y: number) {
  return [{ target: document.body, coords: { x, y } }, { keys: '[MouseLeft]' }]
}

test('in a low window, as at 400 % zoom, the whole dialog scrolls instead of the lines between header and footer', async () => {
  const rows = Array.from({ length: 30 }, (_, index) => <p key={index}>Row {index}</p>)
  const { innerWidth, innerHeight } = window
  await page.viewport(360, 225)
  try {
    await open({ children: <div data-testid="rows">{rows}</div> })
    const element = dialog.element()
    const content = page.getByTestId('rows').element().closest('.overflow-y-auto')
    expect(element.scrollHeight).toBeGreaterThan(element.clientHeight)
    expect(content?.scrollHeight).toBe(content?.clientHeight)
    element.scrollTop = element.scrollHeight
    await expect.element(page.getByRole('button', { name: 'Save' })).toBeInViewport()
  } finally {
    await page.viewport(innerWidth, innerHeight)
  }
})

function Growing() {
  const [isLong, setIsLong] = useState(false)
  return (
    <>
      <button type="button" onClick={() => setIsLong(true)}>
        Load
      </button>
      {isLong && <div style={{ height: 200 }} />}
    </>
  )
}

test('what it shows later does not move its title', async () => {
  await open({ children: <Growing /> })
  // it moves while it appears
  await Promise.all(
    dialog
      .element()
      .getAnimations()
      .map(({ finished }) => finished),
  )
  const top = () => dialog.element().getBoundingClientRect().top
  const before = top()
  await page.getByRole('button', { name: 'Load' }).click()
  await expect.poll(() => dialog.element().clientHeight).toBeGreaterThan(200)
  expect(top()).toBe(before)
})

for (const height of [700, 400])
  test(`a focused field stays in view when what is above it loads, unless it was scrolled away (${height} px high)`, async () => {
    const { innerWidth, innerHeight } = window
    await page.viewport(360, height)
    try {
      await open({
        children: (
          <>
            <div id="plan" />
            <textarea aria-label="Reason" />
            <div style={{ height: 1500 }} />
          </>
        ),
      })
      const reason = page.getByRole('textbox', { name: 'Reason' })
      const load = (px: number) => document.getElementById('plan')?.style.setProperty('height', `${px}px`)
      await expect.element(reason).toHaveFocus()
      load(1200)
      await expect.element(reason).toBeInViewport({ ratio: 1 })
      const scrolled = [dialog.element(), ...dialog.element().children].find((box) => box.scrollTop > 0)
      scrolled?.scrollTo(0, 0)
      await expect.element(reason).not.toBeInViewport()
      load(1400)
      for (let frames = 0; frames < 3; frames++) await new Promise(requestAnimationFrame)
      expect(scrolled?.scrollTop).toBe(0)
    } finally {
      await page.viewport(innerWidth, innerHeight)
    }
  })
