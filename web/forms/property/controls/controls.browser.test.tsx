import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { JsonObject, JsonValue } from '#contract/json-schema/json.ts'
import { serveApi } from '../../../testing/api.ts'
import { renderField as field } from '../../../testing/property-field.tsx'
import { renderInConsole } from '../../../testing/render.tsx'
import { PropertyField } from './PropertyField.tsx'

const retention: JsonObject = {
  type: 'object',
  properties: {
    contacts: { type: 'integer', title: 'Contacts, in days', minimum: 30 },
    deals: { type: 'integer', title: 'Deals, in days', minimum: 30 },
    hold: {
      type: 'object',
      title: 'Legal hold',
      properties: { active: { type: 'boolean', title: 'Active' } },
    },
  },
  required: ['contacts', 'deals'],
  additionalProperties: false,
}

test('an object is a form of its members, and every fault is named by its title', async () => {
  const value = await field(retention, { contacts: 730, deals: 1825 })
  await page.getByLabelText('Contacts, in days').fill('1')
  await page.getByLabelText('Deals, in days').fill('2')
  await page.getByLabelText('Active').click()
  expect(value()).toEqual({ contacts: 1, deals: 2, hold: { active: true } })
  expect(document.getElementById('setting-error')?.textContent).toBe(
    'Contacts, in days: Must be at least 30\nDeals, in days: Must be at least 30',
  )
  await expect.element(page.getByLabelText('Deals, in days')).toHaveAttribute('aria-invalid', 'true')
  await page.getByLabelText('Contacts, in days').fill('1,000')
  await userEvent.tab()
  await expect.element(page.getByLabelText('Contacts, in days')).toHaveValue('1000')
})

test('an object with more than its form can show is edited as JSON, and loses nothing', async () => {
  const value = await field(retention, { contacts: 730, deals: 1825, other: [1] })
  await page.getByRole('button', { name: 'Edit JSON Setting' }).click()
  const editor = page.getByRole('textbox', { name: 'Setting as JSON' })
  await expect.element(editor).toBeVisible()
  expect(value()).toEqual({ contacts: 730, deals: 1825, other: [1] })
})

test('the find panel of the JSON editor has our words and our controls', async () => {
  await field({ type: 'object', additionalProperties: { type: 'string' } }, { a: 'x' })
  await page.getByRole('button', { name: 'Edit JSON Setting' }).click()
  await page.getByRole('textbox', { name: 'Setting as JSON' }).click()
  await userEvent.keyboard('{ControlOrMeta>}f{/ControlOrMeta}')
  const next = page.getByRole('button', { name: 'Next', exact: true })
  await expect.element(next).toBeVisible()
  await expect.element(page.getByRole('checkbox', { name: 'Whole words' })).toBeVisible()
  expect(getComputedStyle(next.element()).backgroundImage).toBe('none')
})

test('a number with group separators is valid as soon as it is typed', async () => {
  const value = await field({ type: 'integer', minimum: 1000 }, 3000)
  const input = page.getByRole('textbox', { name: 'Setting' })
  await input.fill('')
  await input.click()
  await userEvent.keyboard('1,000,000')
  await expect.element(input).toHaveValue('1,000,000')
  expect(value()).toBe(1_000_000)
  await expect.element(input).not.toHaveAttribute('aria-invalid')
  await userEvent.tab()
  await expect.element(input).toHaveValue('1000000')
})

test('a domain is valid as soon as it is typed with capitals, and the field keeps them until it is left', async () => {
  const value = await field(
    { type: 'string', format: 'hostname', pattern: '^[a-z.]+$' },
    'crm.example',
    undefined,
    { kind: 'GATEWAY' },
  )
  const input = page.getByRole('textbox', { name: 'Setting' })
  await input.fill('')
  await input.click()
  await userEvent.keyboard(' Shop.Example ')
  await expect.element(input).toHaveValue(' Shop.Example ')
  expect(value()).toBe('shop.example')
  await expect.element(input).not.toHaveAttribute('aria-invalid')
  await userEvent.tab()
  await expect.element(input).toHaveValue('shop.example')
})

test('a value that may be null has a box for none, and keeps the value before it', async () => {
  const value = await field({ type: ['number', 'null'], minimum: 1 }, 40)
  await page.getByLabelText('No value').click()
  expect(value()).toBeNull()
  await expect.element(page.getByRole('textbox')).not.toBeInTheDocument()
  await page.getByLabelText('No value').click()
  expect(value()).toBe(40)
  await page.getByRole('textbox', { name: 'Setting' }).fill('50')
  expect(value()).toBe(50)
})

test('an item of a list may be null', async () => {
  const value = await field({ type: 'array', items: { type: ['integer', 'null'] } }, [10, 20])
  await page.getByLabelText('No value').nth(1).click()
  expect(value()).toEqual([10, null])
  await page.getByLabelText('No value').nth(1).click()
  expect(value()).toEqual([10, 20])
  await page.getByRole('textbox', { name: 'Item 2', exact: true }).fill('')
  expect(value()).toEqual([10, ''])
})

test('the box for no value and the change to JSON stand apart, on one line', async () => {
  await field({ ...retention, type: ['object', 'null'] }, { contacts: 730, deals: 1825 })
  const box = page.getByText('No value')
  const json = page.getByRole('button', { name: 'Edit JSON Setting' })
  await expect.element(json).toBeVisible()
  const [left, right] = [box.element(), json.element()].map((element) => {
    const range = document.createRange()
    range.selectNodeContents(element)
    return range.getBoundingClientRect()
  })
  if (left === undefined || right === undefined) throw new Error('there are two')
  expect(right.left - left.right).toBeGreaterThanOrEqual(8)
  expect(Math.abs((left.top + left.bottom) / 2 - (right.top + right.bottom) / 2)).toBeLessThan(1)
})

test('a value whose default is null can be set', async () => {
  const value = await field({ type: ['string', 'null'], enum: ['a', 'b', null], default: null }, null)
  await page.getByLabelText('No value').click()
  expect(value()).toBe('a')
  await page.getByRole('combobox', { name: 'Setting' }).selectOptions('b')
  expect(value()).toBe('b')
})

test('a variant is chosen by its title, and has its own members', async () => {
  const value = await field(
    {
      oneOf: [
        {
          type: 'object',
          title: 'By mail',
          properties: { by: { const: 'mail' }, address: { type: 'string', title: 'Address' } },
          required: ['by'],
        },
        {
          type: 'object',
          title: 'By webhook',
          properties: { by: { const: 'webhook' }, url: { type: 'string', title: 'URL' } },
          required: ['by'],
        },
      ],
    },
    { by: 'mail', address: 'a@example.com' },
  )
  await expect.element(page.getByLabelText('Address')).toHaveValue('a@example.com')
  await page.getByRole('combobox', { name: 'Setting' }).selectOptions('By webhook')
  await page.getByLabelText('URL').fill('https://example.com')
  expect(value()).toEqual({ by: 'webhook', url: 'https://example.com' })
})

test('a variant with one possible value is chosen and has no other control', async () => {
  const value = await field(
    {
      oneOf: [
        { const: 'never', title: 'Never' },
        { type: 'integer', title: 'After', minimum: 1, maximum: 10 },
      ],
    },
    3,
  )
  const choice = page.getByRole('combobox', { name: 'Setting' })
  await expect.element(choice).toHaveDisplayValue('After')
  await page.getByRole('textbox').fill('7')
  expect(value()).toBe(7)
  await choice.selectOptions('Never')
  expect(value()).toBe('never')
  await expect.element(page.getByRole('textbox')).not.toBeInTheDocument()
  await choice.selectOptions('After')
  expect(value()).toBe(7)
})

test('each variant keeps what was last in it, first of all the saved value', async () => {
  const value = await field(
    {
      oneOf: [
        { type: 'integer', title: 'Number', minimum: 10 },
        { type: 'string', title: 'Text' },
      ],
    },
    'saved',
  )
  const choice = page.getByRole('combobox', { name: 'Setting' })
  const input = page.getByRole('textbox', { name: 'Setting' })
  await choice.selectOptions('Number')
  await expect.element(input).toHaveValue('10')
  await input.fill('4x')
  await choice.selectOptions('Text')
  expect(value()).toBe('saved')
  await input.fill('typed')
  await choice.selectOptions('Number')
  await expect.element(input).toHaveValue('4x')
  expect(value()).toEqual({ kind: 'unfinished', text: '4x', isPartialNumber: true })
  await input.fill('')
  await choice.selectOptions('Text')
  expect(value()).toBe('typed')
  await choice.selectOptions('Number')
  await expect.element(input).toHaveValue('')
})

test('the variant of the saved value has it again, also after the control was away', async () => {
  const variant = (by: string) => ({
    type: 'object',
    title: by,
    properties: { by: { const: by }, to: { type: 'string', title: 'To' } },
    required: ['by'],
  })
  const saved = { by: 'mail', to: 'a@example.com' }
  const value = await field({ oneOf: [variant('mail'), variant('webhook')] }, { by: 'webhook' }, saved)
  await page.getByRole('combobox', { name: 'Setting' }).selectOptions('mail')
  expect(value()).toEqual(saved)
})

test('a reset shows the variant of the saved value, and drops what the others kept', async () => {
  const value = await field(
    {
      oneOf: [
        { type: 'integer', title: 'Number', minimum: 10 },
        { type: 'string', title: 'Text' },
      ],
    },
    'saved',
    'saved',
  )
  const choice = page.getByRole('combobox', { name: 'Setting' })
  await choice.selectOptions('Number')
  await page.getByRole('textbox', { name: 'Setting' }).fill('12')
  await page.getByRole('button', { name: 'Reset' }).click()
  await expect.element(choice).toHaveDisplayValue('Text')
  await expect.element(page.getByRole('textbox', { name: 'Setting' })).toHaveValue('saved')
  await choice.selectOptions('Number')
  expect(value()).toBe(10)
})

test('a variant stays while its value is typed, even if another one takes that value', async () => {
  const value = await field(
    {
      anyOf: [
        { type: 'string', title: 'Address', format: 'email' },
        { type: 'string', title: 'Name' },
      ],
    },
    'a@example.com',
  )
  await page.getByRole('textbox').click()
  await userEvent.keyboard('{Control>}a{/Control}Ada')
  expect(value()).toBe('Ada')
  await expect.element(page.getByRole('textbox')).toHaveFocus()
  await expect.element(page.getByRole('combobox', { name: 'Setting' })).toHaveDisplayValue('Address')
})

for (const [name, around] of [
  ['a property', (schema: JsonObject) => schema],
  [
    'a property that may be null',
    ({ oneOf }: JsonObject) => ({ oneOf: [...(oneOf as []), { type: 'null' }] }),
  ],
] as const)
  test(`a partial number in a variant is named as one: ${name}`, async () => {
    await field(
      around({
        oneOf: [
          { title: 'Number', type: 'integer', minimum: 10 },
          { title: 'Text', type: 'string' },
        ],
      }),
      12,
    )
    await page.getByRole('textbox', { name: 'Setting' }).fill('4x')
    await expect.element(page.getByText('Enter a number')).toBeVisible()
    await expect.element(page.getByRole('textbox', { name: 'Setting' })).toHaveValue('4x')
  })

test('a partial number stays in the variant of an item', async () => {
  const value = await field(
    {
      type: 'array',
      items: {
        oneOf: [
          { title: 'Number', type: 'number' },
          { title: 'On', type: 'boolean' },
        ],
      },
    },
    [5],
  )
  const input = page.getByRole('textbox', { name: 'Item 1' })
  await input.click()
  await userEvent.keyboard('{Control>}a{/Control}{Backspace}')
  await expect.element(input).toHaveValue('')
  await userEvent.keyboard('1.5')
  await expect.element(input).toHaveFocus()
  expect(value()).toEqual([1.5])
})

test('an incomplete value shows the variant whose members it has', async () => {
  const variant = (title: string, name: string) => ({
    type: 'object',
    title,
    properties: { [name]: { type: 'string', title: name, minLength: 1 } },
    required: [name],
  })
  await field({ oneOf: [variant('By mail', 'address'), variant('By webhook', 'url')] }, { url: '' })
  const choice = page.getByRole('combobox', { name: 'Setting' })
  await expect.element(choice).toHaveDisplayValue('By webhook')
  await expect.element(page.getByLabelText('url')).toBeVisible()
})

test('the focus follows the items of a list', async () => {
  const value = await field({ type: 'array', items: { type: 'string', minLength: 1 } }, ['one', 'two'])
  await page.getByRole('button', { name: 'Add item Setting' }).click()
  await expect.element(page.getByLabelText('Item 3', { exact: true })).toHaveFocus()
  await userEvent.keyboard('three')
  await page.getByRole('button', { name: 'Move item 3 up Setting' }).click()
  expect(value()).toEqual(['one', 'three', 'two'])
  await expect.element(page.getByRole('button', { name: 'Move item 2 up Setting' })).toHaveFocus()
  await page.getByRole('button', { name: 'Remove item 3 Setting' }).click()
  await expect.element(page.getByLabelText('Item 2', { exact: true })).toHaveFocus()
  await page.getByRole('button', { name: 'Remove item 2 Setting' }).click()
  await page.getByRole('button', { name: 'Remove item 1 Setting' }).click()
  await expect.element(page.getByRole('button', { name: 'Add item Setting' })).toHaveFocus()
})

test('an item that cannot move further has the focus, so that Enter does not undo the move', async () => {
  const value = await field({ type: 'array', items: { type: 'string' } }, ['one', 'two', 'three'])
  page.getByRole('button', { name: 'Move item 3 up Setting' }).element().focus()
  await userEvent.keyboard('{Enter}{Enter}{Enter}{Enter}')
  expect(value()).toEqual(['three', 'one', 'two'])
  await expect.element(page.getByRole('group', { name: 'Item 1 of 3' })).toHaveFocus()
  await userEvent.tab()
  await expect.element(page.getByLabelText('Item 1', { exact: true })).toHaveFocus()
  page.getByRole('button', { name: 'Move item 1 down Setting' }).element().focus()
  await userEvent.keyboard('{Enter}{Enter}{Enter}{Enter}')
  expect(value()).toEqual(['one', 'two', 'three'])
  await expect.element(page.getByRole('group', { name: 'Item 3 of 3' })).toHaveFocus()
})

test('JSON that is not valid names its line, and the editor has the focus when it opens', async () => {
  await field({}, { a: 1 })
  await page.getByRole('button', { name: 'Edit JSON Setting' }).click()
  await expect.element(page.getByRole('textbox', { name: 'Setting as JSON' })).toBeVisible()
  // the editor is in a shadow root
  expect(document.activeElement?.shadowRoot?.activeElement?.textContent).toContain('"a"')
  await userEvent.keyboard('{Control>}a{/Control}')
  await userEvent.keyboard('nothing')
  await expect.element(page.getByText(/^Line 1, column 1: A JSON value is expected here/)).toBeVisible()
})

test('JSON whose value would change is refused at its place and kept as typed', async () => {
  const value = await field({}, { a: 1 })
  await page.getByRole('button', { name: 'Edit JSON Setting' }).click()
  const editor = page.getByRole('textbox', { name: 'Setting as JSON' })
  for (const [text, message, marked] of [
    [
      '{\n"id": 9007199254740993}',
      /^Line 2, column 7: This number cannot be kept exactly/,
      '9007199254740993',
    ],
    ['{\n"id": 1, "id": 2}', /^Line 2, column 10: The same key is in this object twice/, '"id"'],
    ['["\\ud800"]', /^Line 1, column 2: A text contains half of a character/, '"\\ud800"'],
    ['{"id": 0.12345678901234567890}', /^Line 1, column 8: This number/, '0.12345678901234567890'],
  ] as const) {
    await editor.fill(text)
    await expect.element(page.getByText(message)).toBeVisible()
    expect(value()).toEqual({ kind: 'unfinished', text })
    const root = editor.element().getRootNode() as ShadowRoot
    await expect.poll(() => root.querySelector('.cm-lintRange-error')?.textContent).toBe(marked)
  }
  await editor.fill('{"id": 1e2}')
  await expect.poll(value).toEqual({ id: 100 })
})

const jsonCases: [name: string, schema: JsonObject, unfit: JsonValue, keys: string, fit: JsonValue][] = [
  ['list', { type: 'array', items: { type: 'string' } }, { a: 1 }, '[[]', []],
  ['object', { type: 'object', properties: { a: { type: 'string' } } }, { b: 1 }, '{{}', {}],
  ['nullable text', { type: ['string', 'null'] }, 1, 'null', null],
  ['nullable list', { type: ['array', 'null'], items: { type: 'string' } }, { a: 1 }, '[[]', []],
  ['variants', { oneOf: [{ type: 'string' }, { type: 'boolean' }] }, { a: 1 }, 'true', true],
]
for (const [name, schema, unfit, keys, fit] of jsonCases)
  test(`JSON that becomes a value of the form stays open, with the focus: ${name}`, async () => {
    const value = await field(schema, unfit)
    await page.getByRole('button', { name: 'Edit JSON Setting' }).click()
    const editor = page.getByRole('textbox', { name: 'Setting as JSON' })
    await expect.element(editor).toBeVisible()
    await userEvent.keyboard('{Control>}a{/Control}{Backspace}')
    await userEvent.keyboard(keys)
    await expect.poll(value).toEqual(fit)
    expect(document.activeElement?.shadowRoot?.activeElement?.textContent).toContain(JSON.stringify(fit))
    await page.getByRole('button', { name: 'Edit as form Setting' }).click()
    await expect.element(editor).not.toBeInTheDocument()
    expect(value()).toEqual(fit)
  })

test('a partial number keeps the control of its variant', async () => {
  const value = await field({ oneOf: [{ type: 'number' }, { type: 'boolean' }] }, 5)
  await page.getByRole('textbox').fill('1,5')
  await expect.element(page.getByRole('textbox')).toHaveFocus()
  await userEvent.tab()
  expect(value()).toBe(1.5)
})

for (const zone of ['Asia/Kolkata', 'Asia/Calcutta', 'Europe/Kyiv', 'US/Eastern'])
  test(`a time zone is found, kept and shown by the name that was chosen: ${zone}`, async () => {
    const value = await field({ type: 'string', format: 'time-zone' }, 'UTC', 'UTC')
    await page.getByRole('combobox').click()
    await userEvent.keyboard(zone.split('/')[1]?.toLowerCase() ?? '')
    await page.getByRole('option', { name: zone }).click()
    await expect.poll(value).toBe(zone)
    await expect.element(page.getByRole('combobox')).toHaveValue(zone)
  })

test('a number with two readings says which one was taken, also after the field was left', async () => {
  const value = await field({ type: 'number' }, 7)
  const input = page.getByRole('textbox', { name: 'Setting' })
  await input.fill('1,500')
  expect(value()).toBe(1500)
  await expect.element(input).toHaveAccessibleDescription('Read as 1500: “,” separates thousands')
  await userEvent.tab()
  await expect.element(input).toHaveValue('1500')
  await expect.element(page.getByText('Read as 1500: “,” separates thousands')).toBeVisible()
  await input.fill('1.000')
  await expect.element(page.getByText('Read as 1: “.” is the decimal sign')).toBeVisible()
  await input.fill('１２３')
  expect(value()).toBe(123)
  await expect.element(input).toHaveAccessibleDescription('')
})

test('a number that cannot be kept exactly is refused, with the nearest that can', async () => {
  const value = await field({ type: 'number' }, 7)
  await page.getByRole('textbox', { name: 'Setting' }).fill('12345678901234567.5')
  expect(value()).toMatchObject({ kind: 'unfinished', text: '12345678901234567.5' })
  await expect
    .element(page.getByText(/The nearest number that can be kept is 12345678901234568$/))
    .toBeVisible()
})

test('the next runs of a schedule have the year if it is another one', async () => {
  await field({ type: 'string', format: 'cron' }, '0 9 29 2 *')
  await expect.element(page.getByText(/29 Feb 2028, 09:00 · .*29 Feb 2032, 09:00/)).toBeVisible()
})

test('a reference has the services of the scope and itself as options; very many are only read', async () => {
  await serveApi({
    'GET /services': () => ({
      items: ['mail', 'sms'].map((serviceId) => ({
        serviceId,
        title: serviceId,
        url: 'https://service.example',
        methods: [],
        owner: null,
        consumers: [],
        enabled: true,
        updatedAt: '2026-11-22T08:00:00.000Z',
      })),
      nextCursor: null,
    }),
  })
  const reference = (index: number) => ({ '@type': 'ServiceReference' as const, serviceId: `gone-${index}` })
  const show = async (length: number, kind: 'LIST' | 'MAP') => {
    const valueList = Array.from({ length }, (_, index) => reference(index))
    const view =
      kind === 'LIST'
        ? { '@type': 'ServiceReferenceList' as const, valueList }
        : { '@type': 'ServiceReferenceMap' as const, valueMap: Object.fromEntries(Object.entries(valueList)) }
    return await renderInConsole(
      <PropertyField
        id="setting"
        property="setting"
        definition={{ kind: `SERVICE_REFERENCE_${kind}` }}
        resourceKind="MODULE"
        edit={null}
        view={view}
        isSet
        onEdit={() => undefined}
        onReset={() => undefined}
        error={null}
        isRequired={false}
        readOnly={false}
        scope={{ environmentKey: 'production', applicationRuntimeId: 'eu', workspaceId: 1 }}
      />,
    )
  }
  const count = (of: string) => document.querySelectorAll(of).length
  for (const kind of ['LIST', 'MAP'] as const) {
    const few = await show(30, kind)
    await expect.poll(() => count('option')).toBe(30 * 3)
    await few.unmount()
    const many = await show(300, kind)
    await expect
      .element(page.getByText('These are too many to be changed here.', { exact: false }))
      .toBeVisible()
    expect([count('select'), count('[role=group] li')]).toEqual([0, 20])
    await many.unmount()
  }
})
