import { useState } from 'react'
import { expect, test, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { renderInConsole } from '../testing/render.tsx'
import { Combobox, type ComboboxOption } from './Combobox.tsx'
import { Dialog } from './Dialog.tsx'
import { Field } from './Field.tsx'

const SCOPES: readonly ComboboxOption[] = [
  { value: 'production eu 1', label: 'production / eu / 1', detail: '12 installations' },
  { value: 'production us 2', label: 'production / us / 2' },
  { value: 'staging eu 3', label: 'staging / eu / 3' },
]
const find = (text: string) =>
  Promise.resolve(SCOPES.filter(({ label }) => label.includes(text.toLowerCase())))

type Search = (text: string, signal: AbortSignal) => Promise<readonly ComboboxOption[]>

/** A field as in forms: it stores the selected option. */
function ScopeField({
  search = find,
  first = null,
  readOnly = false,
  onChange,
}: {
  search?: Search
  first?: ComboboxOption | null
  readOnly?: boolean
  onChange?: (value: ComboboxOption | null) => void
}) {
  const [value, setValue] = useState(first)
  return (
    <>
      <Field label="Scope" error={value === null ? 'Choose a scope.' : undefined}>
        {(wiring) => (
          <Combobox
            wiring={wiring}
            value={value}
            search={search}
            readOnly={readOnly}
            onChange={(next) => {
              setValue(next)
              onChange?.(next)
            }}
          />
        )}
      </Field>
      <button type="button">After</button>
    </>
  )
}

const input = page.getByRole('combobox', { name: 'Scope' })
const options = page.getByRole('option')
const labels = () => options.elements().map((option) => option.textContent)
/** The accessible value: what a screen reader announces as selected. */
const chosen = () => {
  const id = input.element().getAttribute('aria-activedescendant')
  return id === null ? null : (document.getElementById(id)?.textContent ?? null)
}

test('a press opens the list, and typing narrows it', async () => {
  await renderInConsole(<ScopeField />)
  await expect.element(input).toHaveAttribute('aria-expanded', 'false')
  await expect.element(input).toHaveAccessibleDescription('Choose a scope.')
  await input.click()
  await expect.element(options).toHaveLength(3)
  await expect.element(input).toHaveAttribute('aria-expanded', 'true')
  await userEvent.keyboard('us')
  await expect.element(options).toHaveLength(1)
  expect(labels()).toEqual(['production / us / 2'])
})

test('arrow keys wrap around the list, Enter selects an option and does not submit the form', async () => {
  const onSubmit = vi.fn()
  const onChange = vi.fn()
  await renderInConsole(
    <form onSubmit={onSubmit}>
      <ScopeField onChange={onChange} />
    </form>,
  )
  await userEvent.tab()
  await expect.element(input).toHaveFocus()
  expect(options.query()).toBeNull()
  await userEvent.keyboard('{ArrowDown}')
  await expect.element(options).toHaveLength(3)
  expect(chosen()).toContain('production / eu / 1')
  await userEvent.keyboard('{ArrowUp}')
  expect(chosen()).toBe('staging / eu / 3')
  await userEvent.keyboard('{ArrowDown}{ArrowDown}{Enter}')
  await expect.element(input).toHaveValue('production / us / 2')
  expect(options.query()).toBeNull()
  expect(onChange).toHaveBeenCalledExactlyOnceWith(SCOPES[1])
  expect(onSubmit).not.toHaveBeenCalled()
})

test('a press on an option selects it, and the focus stays in the field', async () => {
  await renderInConsole(<ScopeField />)
  await input.click()
  await page.getByRole('option', { name: 'staging / eu / 3' }).click()
  await expect.element(input).toHaveValue('staging / eu / 3')
  await expect.element(input).toHaveFocus()
  await input.click()
  await expect.element(page.getByRole('option', { name: 'staging / eu / 3', selected: true })).toBeVisible()
})

test('text that names no option is not a value, and the field says so until the next search', async () => {
  const onChange = vi.fn()
  await renderInConsole(<ScopeField first={SCOPES[0]!} onChange={onChange} />)
  await input.fill('staging')
  await expect.element(options).toHaveLength(1)
  await userEvent.tab()
  await userEvent.tab()
  await expect.element(page.getByRole('button', { name: 'After' })).toHaveFocus()
  expect(options.query()).toBeNull()
  await expect.element(input).toHaveValue('production / eu / 1')
  expect(onChange).not.toHaveBeenCalled()
  await expect
    .element(input)
    .toHaveAccessibleDescription('No option is named “staging”. Check the text, or choose from the list.')
  await input.click()
  await expect.element(input).not.toHaveAccessibleDescription()
})

test('text that names an option exactly selects it on blur, without waiting for the list', async () => {
  const onChange = vi.fn()
  await renderInConsole(<ScopeField onChange={onChange} />)
  await input.click()
  await input.fill('staging / eu / 3')
  await userEvent.tab()
  await expect.element(page.getByRole('button', { name: 'After' })).toHaveFocus()
  await expect.element(input).toHaveValue('staging / eu / 3')
  await vi.waitFor(() => expect(onChange).toHaveBeenCalledExactlyOnceWith(SCOPES[2]))
})

test('Enter selects from the results of the text typed last, not of an earlier one', async () => {
  const onChange = vi.fn()
  await renderInConsole(<ScopeField onChange={onChange} />)
  await input.click()
  await expect.element(options).toHaveLength(3)
  await userEvent.keyboard('us{Enter}')
  await expect.element(input).toHaveValue('production / us / 2')
  expect(onChange).toHaveBeenCalledExactlyOnceWith(SCOPES[1])
})

test('Enter keeps the selected option until the person moves or types', async () => {
  const onChange = vi.fn()
  await renderInConsole(<ScopeField first={SCOPES[1]!} onChange={onChange} />)
  await input.click()
  await expect.element(options).toHaveLength(3)
  expect(chosen()).toBe('production / us / 2')
  await userEvent.keyboard('{Enter}')
  await expect.element(input).toHaveValue('production / us / 2')
  expect(onChange.mock.calls).toEqual([[SCOPES[1]]])
})

test('what a press moves the focus to stays under the mouse until its release', async () => {
  await renderInConsole(<ScopeField />)
  await input.fill('nowhere')
  const after = page.getByRole('button', { name: 'After' }).element()
  after.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true }))
  await userEvent.tab()
  await new Promise((resolve) => setTimeout(resolve, 300))
  await expect.element(input).not.toHaveAccessibleDescription(/nowhere/)
  after.dispatchEvent(new PointerEvent('pointerup', { bubbles: true }))
  await expect.element(input).toHaveAccessibleDescription(/nowhere/)
})

test('an option that is made of the typed text is selected by the person only', async () => {
  const onChange = vi.fn()
  const search: Search = async (text) => [
    ...(await find(text)),
    ...(text === '' ? [] : [{ value: text, label: text, isTyped: true }]),
  ]
  await renderInConsole(<ScopeField search={search} onChange={onChange} />)
  await input.fill('prod')
  await userEvent.tab()
  await expect.element(input).toHaveAccessibleDescription(/No option is named “prod”/)
  await input.fill('prod')
  await userEvent.keyboard('{Enter}')
  await expect.element(input).toHaveValue('production / eu / 1')
  await input.fill('laboratory')
  await userEvent.keyboard('{Enter}')
  await expect.element(input).toHaveValue('laboratory')
  expect(onChange.mock.calls.map(([option]) => option.value)).toEqual(['production eu 1', 'laboratory'])
})

test('the selection can be cleared, and the focus moves to the field', async () => {
  await renderInConsole(<ScopeField first={SCOPES[0]!} />)
  await page.getByRole('button', { name: 'Clear' }).click()
  await expect.element(input).toHaveValue('')
  await expect.element(input).toHaveFocus()
  await expect.element(input).toHaveAttribute('aria-invalid', 'true')
})

test('the search is debounced, and only its last result counts', async () => {
  const answers = new Map<string, (found: readonly ComboboxOption[]) => void>()
  const signals = new Map<string, AbortSignal>()
  const search: Search = (text, signal) => {
    signals.set(text, signal)
    return new Promise((resolve) => answers.set(text, resolve))
  }
  await renderInConsole(<ScopeField search={search} />)
  await input.click()
  await expect.element(page.getByText('Loading…')).toBeVisible()
  await userEvent.keyboard('eu')
  await vi.waitFor(() => expect([...answers.keys()]).toEqual(['', 'eu']))
  expect(signals.get('')?.aborted).toBe(true)
  answers.get('')?.(SCOPES)
  answers.get('eu')?.([])
  await expect.element(page.getByText('No results')).toBeVisible()
  expect(options.query()).toBeNull()
})

test('a failed search shows an error, and the next one may succeed', async () => {
  let isDown = true
  await renderInConsole(
    <ScopeField search={(text) => (isDown ? Promise.reject(new Error('down')) : find(text))} />,
  )
  await input.click()
  await expect.element(page.getByText(/not available/i)).toBeVisible()
  isDown = false
  await userEvent.keyboard('e')
  await expect.element(options.first()).toBeVisible()
})

test('Escape closes the list and leaves the dialog around it open', async () => {
  const onClose = vi.fn()
  await renderInConsole(
    <Dialog open title="Install" onClose={onClose}>
      <ScopeField />
    </Dialog>,
  )
  await input.click()
  await expect.element(options).toHaveLength(3)
  await page.getByRole('option', { name: 'production / us / 2' }).hover()
  await userEvent.keyboard('{Escape}')
  expect(options.query()).toBeNull()
  expect(onClose).not.toHaveBeenCalled()
  await userEvent.keyboard('{Escape}')
  expect(onClose).toHaveBeenCalledOnce()
})

test('a read-only field shows its value and opens no list', async () => {
  await renderInConsole(<ScopeField first={SCOPES[0]!} readOnly />)
  await input.click()
  await userEvent.keyboard('{ArrowDown}')
  await expect.element(input).toHaveValue('production / eu / 1')
  await expect.element(input).toHaveAttribute('readonly')
  expect(options.query()).toBeNull()
  expect(page.getByRole('button', { name: 'Clear' }).query()).toBeNull()
})

test('the list is inside the window, below or above its field', async () => {
  await renderInConsole(
    <div style={{ position: 'fixed', bottom: 4, left: 0, right: 0 }}>
      <ScopeField />
    </div>,
  )
  await input.click()
  await expect.element(options).toHaveLength(3)
  const list = page.getByRole('listbox').element().getBoundingClientRect()
  expect(list.bottom).toBeLessThanOrEqual(input.element().getBoundingClientRect().top)
  expect(list.top).toBeGreaterThanOrEqual(0)
})
