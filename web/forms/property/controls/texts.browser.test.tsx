import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { JsonObject, JsonValue } from '#contract/json-schema/json.ts'
import { paste, renderField, renderProperty } from '../../../testing/property-field.tsx'

const PEM = '-----BEGIN CERTIFICATE-----\nAAAA\nAAAA==\n-----END CERTIFICATE-----\n'
/** Characters that an input or a text area could drop or replace, apart from line endings. */
const ODD = '\ta\u00a0b\u2028c\u2029d\u0085e\vf\fg\ufeffh\u200bi\u202ej\u0001k\u3000l '

const text: JsonObject = { type: 'string' }
const item: JsonObject = {
  title: 'Item',
  type: 'object',
  properties: { note: { type: 'string', title: 'Note' } },
}
const inner = page.getByRole('textbox')

/** Every place where a text may be: its schema, and a value there with a text in it. */
const places: [name: string, schema: JsonObject, around: (text: string) => JsonValue][] = [
  ['a property', text, (one) => one],
  ['a long text', { ...text, maxLength: 5000 }, (one) => one],
  ['a text that may be null', { type: ['string', 'null'] }, (one) => one],
  ['an item of a list', { type: 'array', items: text }, (one) => [one]],
  ['a member of an object', item, (one) => ({ note: one })],
  ['a member in a list', { type: 'array', items: item }, (one) => [{ note: one }]],
  ['a variant', { oneOf: [text, { type: 'boolean' }] }, (one) => one],
  ['a schedule', { type: 'string', format: 'cron' }, (one) => one],
]

for (const [name, schema, around] of places) {
  test(`one key in a text of several lines changes nothing else: ${name}`, async () => {
    const value = await renderField(schema, around(PEM + ODD))
    await inner.click()
    await userEvent.keyboard('{ControlOrMeta>}{End}{/ControlOrMeta}x')
    expect(value()).toEqual(around(`${PEM + ODD}x`))
    await userEvent.keyboard('{Backspace}')
    expect(value()).toEqual(around(PEM + ODD))
  })

  test(`a text of several lines is pasted as it is: ${name}`, async () => {
    const value = await renderField(schema, around('ab'))
    const control = inner.element() as HTMLTextAreaElement
    control.focus()
    control.setSelectionRange(1, 1)
    await paste(PEM + ODD)
    expect(value()).toEqual(around(`a${PEM + ODD}b`))
    await expect.element(inner).toHaveFocus()
    expect(control.clientHeight).toBeGreaterThan(60)
    await userEvent.keyboard('x')
    expect(value()).toEqual(around(`a${PEM + ODD}xb`))
    await userEvent.keyboard('{ControlOrMeta>}zz{/ControlOrMeta}')
    expect(value()).toEqual(around('ab'))
    await expect.element(inner).toHaveFocus()
  })
}

test('a domain of several lines is shown and refused, not joined', async () => {
  const value = await renderField({ type: 'string', format: 'hostname' }, 'a.example', undefined, {
    kind: 'GATEWAY',
  })
  await inner.click()
  await userEvent.keyboard('{End}')
  await paste('\nb.example')
  expect(value()).toBe('a.example\nb.example')
  await expect.element(inner).toHaveAttribute('aria-invalid', 'true')
})

test('line endings of other systems stay, are named, and can be changed', async () => {
  const value = await renderField(text, 'a\r\nb\r\n')
  await expect.element(page.getByText('Line endings: CRLF.')).toBeVisible()
  await inner.click()
  await userEvent.keyboard('{ControlOrMeta>}{End}{/ControlOrMeta}c{Enter}d')
  expect(value()).toBe('a\r\nb\r\nc\r\nd')
  await userEvent.keyboard('{ControlOrMeta>}{Home}{/ControlOrMeta}')
  await paste('1\r2\n')
  expect(value()).toBe('1\r2\na\r\nb\r\nc\r\nd')
  await expect.element(page.getByText('Line endings: CRLF, CR, LF.')).toBeVisible()
  await userEvent.keyboard('{ControlOrMeta>}z{/ControlOrMeta}')
  expect(value()).toBe('a\r\nb\r\nc\r\nd')
  await userEvent.keyboard('{ControlOrMeta>}{Shift>}z{/Shift}{/ControlOrMeta}')
  expect(value()).toBe('1\r2\na\r\nb\r\nc\r\nd')
  await page.getByRole('button', { name: 'Change to LF' }).click()
  expect(value()).toBe('1\n2\na\nb\nc\nd')
  await expect.element(page.getByText('Line endings')).not.toBeInTheDocument()
  await expect.element(inner).toHaveFocus()
})

test('a text stays on one line until it gets a break, and then keeps its lines', async () => {
  const value = await renderField(text, 'one')
  const control = inner.element() as HTMLTextAreaElement
  const { clientHeight } = control
  expect(clientHeight).toBeLessThan(34)
  await inner.click()
  await userEvent.keyboard('{End}{Enter}')
  expect(value()).toBe('one')
  await userEvent.keyboard('{Shift>}{Enter}{/Shift}two')
  expect(value()).toBe('one\ntwo')
  expect(control.clientHeight).toBeGreaterThan(clientHeight)
  await userEvent.keyboard('{Home}{Backspace}{Enter}')
  expect(value()).toBe('one\ntwo')
})

test('a dropped text keeps its line breaks', async () => {
  const value = await renderField(text, 'ab')
  const source = document.createElement('p')
  source.draggable = true
  source.textContent = 'drag me'
  source.addEventListener('dragstart', (event) => event.dataTransfer?.setData('text/plain', '1\r\n2'))
  document.body.append(source)
  await userEvent.dragAndDrop(source, inner.element())
  source.remove()
  expect(String(value()).replace(/[ab]/g, '')).toBe('1\r\n2')
})

/** A sensitive text whose value is being replaced. */
const secret = (first = '', schema: JsonObject = text) =>
  renderProperty(
    { kind: 'DATA', schema: { title: 'Setting', ...schema }, isSensitive: true, required: true },
    first,
  )
const field = page.getByRole('textbox', { name: 'Setting', exact: true })

test('a secret of several lines stays hidden, says what it holds, and is shown on demand (C08)', async () => {
  const value = await secret()
  await field.click()
  await paste(PEM)
  expect(value()).toBe(PEM)
  await expect.element(field).toHaveFocus()
  await expect.element(field).toHaveAttribute('type', 'password')
  expect(document.body.innerHTML).not.toContain('AAAA')
  expect((field.element() as HTMLInputElement).value).not.toContain('AAAA')
  await expect
    .element(field)
    .toHaveAccessibleDescription(
      '4 lines, 66 characters, ends with a line break. To change part of the value, show it first.',
    )
  await page.getByRole('button', { name: 'Show Setting' }).click()
  await expect.element(field).toHaveValue(PEM)
  await field.click()
  await userEvent.keyboard('{ControlOrMeta>}{End}{/ControlOrMeta}x')
  expect(value()).toBe(`${PEM}x`)
  await page.getByRole('button', { name: 'Hide Setting' }).click()
  await expect.element(field).toHaveAttribute('type', 'password')
  await expect.element(page.getByText(/^5 lines, 67 characters\./)).toBeVisible()
})

test('a hidden secret of several lines is one whole, which can be undone', async () => {
  const value = await secret('old')
  await field.click()
  await userEvent.keyboard('{End}')
  await paste('1\r\nb')
  expect(value()).toBe('old1\r\nb')
  await expect.element(page.getByText(/^2 lines, 7 characters, line endings CRLF\./)).toBeVisible()
  await userEvent.keyboard('x')
  expect(value()).toBe('old1\r\nb')
  await paste(PEM + ODD)
  expect(value()).toBe(PEM + ODD)
  await userEvent.keyboard('{Backspace}')
  expect(value()).toBe('')
  for (const before of [PEM + ODD, 'old1\r\nb', 'old']) {
    await userEvent.keyboard('{ControlOrMeta>}z{/ControlOrMeta}')
    expect(value()).toBe(before)
  }
  await paste('\n')
  await userEvent.keyboard('{ControlOrMeta>}a{/ControlOrMeta}new')
  expect(value()).toBe('new')
})

test('a line break or a space that was pasted with a password is named', async () => {
  const value = await secret()
  await field.click()
  await paste(' hunter2\n')
  expect(value()).toBe(' hunter2\n')
  await expect
    .element(page.getByText(/^1 line, 9 characters, starts with whitespace, ends with a line break\./))
    .toBeVisible()
  await userEvent.keyboard('{Backspace}')
  await paste('hunter2 ')
  expect(value()).toBe('hunter2 ')
  await expect.element(page.getByText('8 characters, ends with whitespace.')).toBeVisible()
})

test('a line break is typed in a shown secret', async () => {
  const value = await secret('a')
  await page.getByRole('button', { name: 'Show Setting' }).click()
  await field.click()
  await userEvent.keyboard('{End}{Shift>}{Enter}{/Shift}b')
  expect(value()).toBe('a\nb')
})

test.for<[JsonObject]>([
  [{ type: ['string', 'null'] }],
  [{ anyOf: [{ type: 'string', minLength: 1 }, { type: 'null' }] }],
  [{ oneOf: [{ const: null }, { type: 'string' }] }],
])('a secret that may also be null is hidden while it is typed: %j', async ([schema]) => {
  const value = await secret('', schema)
  await field.fill('hunter2')
  expect(value()).toBe('hunter2')
  await expect.element(field).toHaveAttribute('type', 'password')
})
