import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { JsonObject } from '#contract/json-schema/json.ts'
import { renderField } from '../../../testing/property-field.tsx'

const texts = (...names: string[]): JsonObject =>
  Object.fromEntries(names.map((name) => [name, { type: 'string', title: name }]))

const release: JsonObject = {
  type: 'object',
  properties: {
    ...texts('Name'),
    Replicas: { type: 'integer' },
    Debug: { type: 'boolean' },
    Mode: { type: 'string', enum: ['', 'private', 'public'] },
    Hosts: { type: 'array', items: { type: 'string' } },
    Probe: { type: 'object', properties: { Path: { type: 'string' } } },
    Labels: { type: 'object', additionalProperties: { type: 'string' } },
  },
}

const button = (name: string) => page.getByRole('button', { name, exact: true })
const label = (name: string) => page.getByLabelText(name, { exact: true })

test('a member that was tried and cleared is not set, and neither is an object that holds nothing else', async () => {
  const value = await renderField(release, undefined, undefined, { isRequired: false })
  await label('Name').fill('D')
  expect(value()).toEqual({ Name: 'D' })
  await label('Name').fill('')
  expect(value()).toEqual({ kind: 'removed' })
  await label('Path').fill('/x')
  expect(value()).toEqual({ Probe: { Path: '/x' } })
  await label('Path').fill('')
  expect(value()).toEqual({ kind: 'removed' })
})

test('a saved text that is cleared is an empty text, which is named, and can be removed', async () => {
  const saved = { Name: 'one', Replicas: 2, Debug: true, Mode: 'public', Hosts: ['a'], Probe: {} }
  const value = await renderField(release, saved, saved)
  await label('Name').fill('')
  expect(value()).toEqual({ ...saved, Name: '' })
  await expect.element(label('Name')).toHaveAccessibleDescription('empty text')
  for (const [name, rest] of [
    ['Name', { Replicas: 2, Debug: true, Mode: 'public', Hosts: ['a'], Probe: {} }],
    ['Replicas', { Debug: true, Mode: 'public', Hosts: ['a'], Probe: {} }],
    ['Debug', { Mode: 'public', Hosts: ['a'], Probe: {} }],
    ['Mode', { Hosts: ['a'], Probe: {} }],
    ['Hosts', { Probe: {} }],
    ['Probe', {}],
  ] as const) {
    await button(`Remove ${name}`).click()
    expect(value()).toEqual(rest)
    // the keyboard goes on at the member
    expect(document.activeElement?.id).toBe(`setting.${name}`)
  }
  await expect.element(page.getByText('No items')).not.toBeInTheDocument()
})

test('an empty text, list or object is set where the person asks for it, by keyboard', async () => {
  const value = await renderField(release, undefined)
  button('Set Name to an empty text').element().focus()
  await userEvent.keyboard('{Enter}')
  expect(value()).toEqual({ Name: '' })
  await expect.element(label('Name')).toHaveFocus()
  await button('Set Hosts to an empty list').click()
  await button('Set Probe to an empty object').click()
  expect(value()).toEqual({ Name: '', Hosts: [], Probe: {} })
  await expect.element(page.getByText('empty object')).toBeVisible()
})

test('a required member cannot be removed', async () => {
  const value = await renderField({ ...release, required: ['Name'] }, { Name: 'a' })
  await expect.element(button('Remove Name')).not.toBeInTheDocument()
  await label('Name').fill('')
  expect(value()).toEqual({ Name: '' })
})

test('a choice tells an empty text from no value', async () => {
  const value = await renderField(
    { type: 'object', properties: { Mode: { type: 'string', enum: ['', 'private'] } } },
    { Mode: '' },
  )
  const mode = label('Mode')
  await expect.element(mode).toHaveDisplayValue('empty text')
  await mode.selectOptions('private')
  expect(value()).toEqual({ Mode: 'private' })
  await mode.selectOptions('empty text')
  expect(value()).toEqual({ Mode: '' })
  await mode.selectOptions('Not set')
  expect(value()).toEqual({})
  await expect.element(mode).toHaveDisplayValue('Not set')
})

test('a property that is one of several texts can be the empty one', async () => {
  const value = await renderField({ type: 'string', enum: ['', 'INFO'] }, 'INFO', 'INFO', {
    isRequired: false,
  })
  const choice = page.getByRole('combobox', { name: 'Setting' })
  await choice.selectOptions('empty text')
  expect(value()).toBe('')
  await choice.selectOptions('Not set')
  expect(value()).toEqual({ kind: 'removed' })
})

test('an optional text that was not set is not set when it is cleared, and an empty one is asked for', async () => {
  const value = await renderField({ type: 'string' }, undefined, undefined, { isRequired: false })
  const field = page.getByRole('textbox', { name: 'Setting' })
  await expect.element(field).toHaveAttribute('placeholder', 'Not set')
  await field.fill('x')
  expect(value()).toBe('x')
  await field.fill('')
  expect(value()).toEqual({ kind: 'removed' })
  button('Set Setting to an empty text').element().focus()
  await userEvent.keyboard('{Enter}')
  expect(value()).toBe('')
  await expect.element(field).toHaveFocus()
  await expect.element(field).toHaveAccessibleDescription('empty text')
})

test('a domain that was not set is not set when it is cleared', async () => {
  const value = await renderField({ type: 'string', format: 'hostname' }, undefined, undefined, {
    kind: 'GATEWAY',
    isRequired: false,
  })
  const field = page.getByRole('textbox', { name: 'Setting' })
  await field.fill('example.org')
  await field.fill('')
  expect(value()).toEqual({ kind: 'removed' })
  // an empty text is not a domain
  await expect.element(button('Set Setting to an empty text')).not.toBeInTheDocument()
})

test('a saved text that is cleared is an empty text', async () => {
  const value = await renderField({ type: 'string' }, 'a', 'a', { isRequired: false })
  await page.getByRole('textbox', { name: 'Setting' }).fill('')
  expect(value()).toBe('')
})

test('a required text that is cleared is an empty text', async () => {
  const value = await renderField({ type: 'string' }, undefined)
  await page.getByRole('textbox', { name: 'Setting' }).fill('x')
  await page.getByRole('textbox', { name: 'Setting' }).fill('')
  expect(value()).toBe('')
})

const labels: JsonObject = { type: 'object', additionalProperties: { type: 'string' } }
const keys = () => page.getByRole('textbox', { name: 'Key', exact: true })

test('the entries of a map are added, renamed and removed', async () => {
  const value = await renderField(labels, { app: 'web', tier: 'front' })
  await label('Value of app').fill('shop')
  expect(value()).toEqual({ app: 'shop', tier: 'front' })
  await keys().nth(1).fill('zone')
  expect(value()).toEqual({ app: 'shop', zone: 'front' })
  await button('Add key Setting').click()
  await expect.element(keys().nth(2)).toHaveFocus()
  await userEvent.keyboard('owner{Enter}team a')
  expect(value()).toEqual({ app: 'shop', zone: 'front', owner: 'team a' })
  await button('Remove app Setting').click()
  expect(value()).toEqual({ zone: 'front', owner: 'team a' })
  await expect.element(keys().first()).toHaveFocus()
})

test('a key that another entry has is named at its row, and nothing is lost or saved until it differs', async () => {
  const value = await renderField(labels, { a: '1', b: '2' })
  await keys().nth(1).fill('a')
  await expect.element(keys().nth(1)).toHaveAccessibleDescription('The key a is already used')
  await expect.element(keys().nth(1)).toHaveValue('a')
  expect(value()).toMatchObject({ kind: 'unfinished', inside: { value: { a: '1', b: '2' } } })
  await keys().nth(0).fill('c')
  expect(value()).toEqual({ c: '1', a: '2' })
  await expect.element(keys().nth(1)).toHaveAccessibleDescription('')
})

test('a new entry needs a key', async () => {
  const value = await renderField(labels, {})
  await button('Add key Setting').click()
  await expect.element(keys()).toHaveAccessibleDescription('Enter a key')
  expect(value()).toMatchObject({ kind: 'unfinished' })
  await userEvent.keyboard('__proto__')
  await expect.element(keys()).toHaveAccessibleDescription(/__proto__ is not allowed/)
  await keys().fill('a')
  expect(value()).toEqual({ a: '' })
})

test('a row keeps its place while a number is typed as its key', async () => {
  const value = await renderField(labels, { http: 'a', https: 'b' })
  await keys().nth(1).click()
  await userEvent.keyboard('{Control>}a{/Control}8080')
  expect(value()).toEqual({ http: 'a', '8080': 'b' })
  await expect.element(keys().nth(1)).toHaveValue('8080')
  await expect.element(keys().nth(1)).toHaveFocus()
})

test('an object has its members and other keys, each once', async () => {
  const value = await renderField(
    {
      type: 'object',
      properties: { enabled: { type: 'boolean', title: 'Enabled' } },
      additionalProperties: { type: 'number' },
    },
    { enabled: true, cpu: 2 },
  )
  await label('Value of cpu').fill('4')
  await label('Enabled').click()
  expect(value()).toEqual({ enabled: false, cpu: 4 })
  await keys().fill('enabled')
  await expect.element(keys()).toHaveAccessibleDescription('The key enabled is already used')
  await keys().fill('memory')
  expect(value()).toEqual({ enabled: false, memory: 4 })
})

test('a map of objects shows their members', async () => {
  const value = await renderField(
    {
      type: 'object',
      additionalProperties: { type: 'object', properties: { port: { type: 'integer', title: 'Port' } } },
    },
    { web: { port: 80 } },
  )
  await label('Port').fill('8080')
  expect(value()).toEqual({ web: { port: 8080 } })
})

test('a key that the schema does not know is shown beside the members, and can be removed', async () => {
  const value = await renderField(
    { type: 'object', properties: texts('Name'), additionalProperties: false },
    { Name: 'a', other: [1] },
  )
  await expect.element(page.getByText('other: Is not a known property')).toBeVisible()
  await label('Name').fill('b')
  expect(value()).toEqual({ Name: 'b', other: [1] })
  await button('Remove other Setting').click()
  expect(value()).toEqual({ Name: 'b' })
})

test('only the member without a control is JSON, and what is unfinished there is kept and named', async () => {
  const value = await renderField(
    { type: 'object', properties: { ...texts('Name'), Extra: { title: 'Extra' } } },
    { Name: 'a', Extra: { deep: 1 } },
  )
  await label('Name').fill('b')
  // that of the member loads on demand, above that of the object
  await expect.element(page.getByRole('button', { name: /^Edit JSON/ }).nth(1)).toBeVisible()
  await page
    .getByRole('button', { name: /^Edit JSON/ })
    .nth(0)
    .click()
  await expect.element(page.getByRole('textbox', { name: 'Extra as JSON' })).toBeVisible()
  await userEvent.keyboard('{Control>}a{/Control}{Backspace}')
  await userEvent.keyboard('{{"x": ')
  await expect.element(page.getByText(/^Extra: Line 1, column \d+: /)).toBeVisible()
  expect(value()).toMatchObject({ kind: 'unfinished', inside: { value: { Name: 'b' } } })
  await userEvent.keyboard('2')
  await expect.poll(value).toEqual({ Name: 'b', Extra: { x: 2 } })
})

test('a number inside an object that is still typed is not a text of it', async () => {
  const value = await renderField(
    { type: 'object', properties: { Port: { type: ['integer', 'string'] } } },
    { Port: 80 },
  )
  await page.getByRole('textbox', { name: 'Port' }).fill('80x')
  expect(value()).toMatchObject({ kind: 'unfinished', inside: { value: { Port: 80 } } })
  await expect.element(page.getByText('Port: Enter a number')).toBeVisible()
})

test('a list without a schema of its items follows the type of each', async () => {
  const value = await renderField({ type: 'array' }, ['a', 2, { k: true }])
  await page.getByRole('textbox', { name: 'Item 1', exact: true }).fill('b')
  await page.getByRole('textbox', { name: 'Item 2', exact: true }).fill('3')
  await page.getByRole('switch', { name: 'Value of k' }).click()
  expect(value()).toEqual(['b', 3, { k: false }])
  await page.getByRole('combobox', { name: 'Item 1', exact: true }).selectOptions('List')
  expect(value()).toEqual([[], 3, { k: false }])
})

test('a value of several types is a choice of the type, and null is one of them', async () => {
  const value = await renderField({ type: ['string', 'boolean', 'null'] }, 'on')
  const type = page.getByRole('combobox', { name: 'Setting' })
  await expect.element(type).toHaveDisplayValue('Text')
  await type.selectOptions('On or off')
  expect(value()).toBe(false)
  await type.selectOptions('No value')
  expect(value()).toBeNull()
  await type.selectOptions('Text')
  expect(value()).toBe('on')
})

test('references lead to the members of their targets, also of one that contains itself', async () => {
  const value = await renderField(
    {
      $ref: '#/definitions/node',
      definitions: {
        node: {
          type: 'object',
          properties: {
            ...texts('Name'),
            Next: { $ref: '#/definitions/node' },
            Port: { $ref: '#/$defs/port' },
          },
        },
      },
      $defs: { port: { type: 'integer', minimum: 1 } },
    },
    { Name: 'a', Next: { Name: 'b' } },
  )
  await button('Next 1 set').click()
  await label('Name').nth(1).fill('c')
  await label('Port').nth(1).fill('0')
  expect(value()).toEqual({ Name: 'a', Next: { Name: 'c' }, Port: 0 })
  await expect.element(page.getByText('Port: Must be at least 1')).toBeVisible()
})

test('an object of many members shows first those that are set, and keeps the order', async () => {
  const names = Array.from({ length: 60 }, (_, index) => `Member ${index + 1}`)
  const value = await renderField(
    { type: 'object', properties: texts(...names) },
    { 'Member 40': 'x' },
    { 'Member 40': 'x' },
  )
  const shown = () =>
    page
      .getByRole('textbox')
      .elements()
      .map((element) => element.getAttribute('aria-labelledby'))
  expect(shown()).toEqual([1, 2, 3, 4, 5, 6, 40].map((n) => `setting.Member ${n}-label`))
  await label('Member 40').fill('')
  expect(value()).toEqual({ 'Member 40': '' })
  await button('Remove Member 40').click()
  expect(shown()).toHaveLength(7)
  await button('Show 53 more Setting').click()
  expect(shown()).toHaveLength(60)
})

test('a value of another type than its control is JSON, and is not lost', async () => {
  const value = await renderField(
    { type: 'object', properties: { Port: { type: 'integer' }, ...texts('Name') } },
    { Port: ['80'], Name: 'a' },
  )
  await label('Name').fill('b')
  expect(value()).toEqual({ Port: ['80'], Name: 'b' })
  await expect.element(page.getByText('Port: Must be a whole number')).toBeVisible()
})

test('the title of a member is before its field, and above it where there is little room', async () => {
  const places = async (width: number) => {
    await page.viewport(width, 800)
    const [title, input, remove] = [
      document.getElementById('setting.Name-label'),
      label('Name').element(),
      button('Remove Name').element(),
    ].map((element) => element?.getBoundingClientRect())
    if (title === undefined || input === undefined || remove === undefined) throw new Error('there are three')
    return { title, input, remove }
  }
  await renderField({ type: 'object', properties: texts('Name') }, { Name: 'a' })
  const wide = await places(1000)
  expect(wide.title.right).toBeLessThan(wide.input.left)
  expect(wide.input.right).toBeLessThan(wide.remove.left)
  const narrow = await places(360)
  expect(narrow.title.bottom).toBeLessThanOrEqual(narrow.input.top)
  expect(narrow.title.left).toBeLessThan(narrow.remove.left)
})

test('a value with too many parts for a form is JSON, of which the form has no field', async () => {
  const hosts = Array.from({ length: 1_001 }, (_, index) => `host-${index}`)
  const inputs = () => document.querySelectorAll('input, textarea').length
  for (const value of [{ Hosts: hosts }, { Labels: Object.fromEntries(hosts.map((name) => [name, ''])) }]) {
    await renderField(release, value, value)
    await expect.element(page.getByRole('button', { name: /JSON/ }).last()).toBeVisible()
    expect(inputs()).toBe(0)
  }
  const value = { Hosts: hosts.slice(0, 30) }
  await renderField(release, value, value)
  await expect.poll(inputs).toBeGreaterThan(30)
})
