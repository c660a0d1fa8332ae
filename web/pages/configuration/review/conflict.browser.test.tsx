import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { JsonObject, JsonValue } from '#contract/json-schema/json.ts'
import { renderConsole } from '../../../testing/render.tsx'
import { CONFIGURATION, CORE, serveScope } from '../../../testing/served-scope.ts'

const text = (title: string): JsonObject => ({ type: 'string', title })
const object = (title: string, properties: JsonObject): JsonObject => ({ type: 'object', title, properties })
const SCHEMAS: Record<string, JsonObject> = {
  issuer: object('Issuer', {
    name: text('Name'),
    address: object('Address', { city: text('City'), street: text('Street') }),
    vat: text('VAT id'),
  }),
  stages: { type: 'array', title: 'Stages', items: text('Stage') },
}
const ISSUER = { name: 'Acme', address: { city: 'Hamburg', street: 'Street 1' }, vat: 'DE0' }

const dialog = page.getByRole('dialog', { name: 'Someone else saved first' })
const field = (name: string) => page.getByRole('textbox', { name, exact: true })
const goOn = dialog.getByRole('button', { name: 'Continue on top of theirs' })

/** The editor with structured properties in CRM core. */
async function edit(values: Record<string, JsonValue>) {
  const scope = await serveScope()
  await scope.saveAsColleague({ [CORE]: values })
  scope.api.answer({
    [CONFIGURATION]: () => {
      const { resources, ...rest } = scope.configuration()
      const core = resources[CORE]
      if (core === undefined) throw new Error('The scope has no core')
      const more = Object.fromEntries(
        Object.keys(values).map((name) => [name, { kind: 'DATA' as const, schema: SCHEMAS[name] ?? true }]),
      )
      return {
        ...rest,
        resources: { ...resources, [CORE]: { ...core, definitions: { ...core.definitions, ...more } } },
      }
    },
  })
  await renderConsole(scope.address(CORE))
  return {
    ...scope,
    saved: (property: string) => scope.values()[CORE]?.[property],
    save: async () => {
      const review = page.getByRole('dialog', { name: 'Review changes' })
      await review.getByRole('button', { name: /^Save and start/ }).click()
      await expect.element(page.getByText(/Snapshot \d+ applied/)).toBeVisible()
    },
  }
}

const openReview = () =>
  page.getByRole('region', { name: 'Unsaved changes' }).getByRole('button', { name: 'Review' }).click()

test('only the leaf that both changed needs a choice, and theirs for it keeps my other edits', async () => {
  const scope = await edit({ issuer: ISSUER })
  await field('City').fill('Kiel')
  await field('VAT id').fill('DE1')
  await userEvent.tab()
  await scope.saveAsColleague({
    [CORE]: { issuer: { ...ISSUER, name: 'Acme SE', address: { city: 'Lübeck', street: 'Street 1' } } },
  })
  await expect
    .element(page.getByText('1 of your changes overlaps with theirs.', { exact: false }))
    .toBeVisible()
  await openReview()
  const issuer = dialog.getByRole('group', { name: 'Issuer' })
  const city = issuer.getByRole('group', { name: 'Address › City' })
  await expect.element(city).toMatchTextContent(/You started fromHamburg.*Use theirsLübeck.*Keep mineKiel/)
  await expect.element(dialog.getByRole('radio')).toHaveLength(3)
  await expect
    .element(issuer.getByRole('list', { name: 'Kept from both sides' }))
    .toMatchTextContent(/Name.*Acme.*Acme SE.*Mira Castellan.*VAT id.*DE0.*DE1.*yours/)
  await expect.element(dialog.getByText('0 of 1 decided')).toBeVisible()
  await city.getByRole('radio', { name: /Use theirs/ }).click()
  await expect.element(dialog.getByText('1 of 1 decided')).toBeVisible()
  await goOn.click()
  await scope.save()
  expect(scope.saved('issuer')).toEqual({
    name: 'Acme SE',
    address: { city: 'Lübeck', street: 'Street 1' },
    vat: 'DE1',
  })
})

test('the choices of a leaf are one radio group, which the arrow keys move in', async () => {
  const scope = await edit({ issuer: ISSUER })
  await field('City').fill('Kiel')
  await field('Name').fill('Mine')
  await scope.saveAsColleague({
    [CORE]: { issuer: { ...ISSUER, name: 'Theirs', address: { city: 'Lübeck', street: 'Street 1' } } },
  })
  await openReview()
  // of a single property, those for all serve
  await expect.element(dialog.getByRole('button', { name: /^All mine/ })).toHaveLength(1)
  const name = dialog.getByRole('group', { name: 'Name' })
  await name.getByRole('radio', { name: /You started from/ }).click()
  await userEvent.keyboard('{ArrowDown}{ArrowDown}')
  await expect.element(name.getByRole('radio', { name: /Keep mine/ })).toBeChecked()
  await expect.element(dialog.getByText('1 of 2 decided')).toBeVisible()
  await expect.element(goOn).toHaveAccessibleDescription('Decide on 1 more value.')
  await userEvent.tab()
  await userEvent.keyboard(' ')
  await expect.element(dialog.getByText('2 of 2 decided')).toBeVisible()
})

test('one side is taken for a property or for all, and the result can be edited as a whole', async () => {
  const scope = await edit({ issuer: ISSUER, stages: ['a', 'b'] })
  await field('City').fill('Kiel')
  await field('Name').fill('Mine')
  await field('Item 2').fill('mine')
  await scope.saveAsColleague({
    [CORE]: {
      issuer: { ...ISSUER, name: 'Theirs', address: { city: 'Lübeck', street: 'Street 1' } },
      stages: ['a', 'theirs'],
    },
  })
  await openReview()
  await expect.element(dialog.getByText('0 of 3 decided')).toBeVisible()
  await dialog.getByRole('button', { name: 'All mine: Issuer' }).click()
  await expect.element(dialog.getByText('2 of 3 decided')).toBeVisible()
  await dialog.getByRole('button', { name: 'All theirs', exact: true }).click()
  await expect.element(dialog.getByText('3 of 3 decided')).toBeVisible()
  const stages = dialog.getByRole('group', { name: 'Stages', exact: true })
  await expect.element(stages.getByRole('radio', { name: /Use theirs/ })).toBeChecked()

  await stages.getByRole('checkbox', { name: 'Edit the result as a whole' }).click()
  await expect.element(stages.getByRole('textbox', { name: 'Item 2' })).toHaveValue('theirs')
  await stages.getByRole('textbox', { name: 'Item 2' }).fill('third')
  await goOn.click()
  await scope.save()
  expect(scope.saved('stages')).toEqual(['a', 'third'])
  expect(scope.saved('issuer')).toMatchObject({ name: 'Theirs' })
})

test('what does not overlap is merged and shown with who changed it, without a choice', async () => {
  const scope = await edit({ stages: ['a', 'b'] })
  await page.getByRole('button', { name: 'Add item Stages' }).click()
  await field('Item 3').fill('mine')
  await userEvent.tab()
  await scope.saveAsColleague({ [CORE]: { stages: ['b', 'a', 'theirs'] } })
  await expect
    .element(page.getByText('Your change does not overlap with theirs.', { exact: false }))
    .toBeVisible()
  await openReview()
  const merged = dialog.getByRole('list', { name: 'Stages · CRM core' })
  await expect
    .element(merged)
    .toMatchTextContent(/moved from position \d to \d [ab].*Mira Castellan.*added theirs.*added mine.*yours/)
  await expect.element(dialog.getByRole('radio')).toHaveLength(0)
  await goOn.click()
  await scope.save()
  expect(scope.saved('stages')).toEqual(['b', 'a', 'theirs', 'mine'])
})

test('an edit that is back at its base ends when its field is left', async () => {
  const scope = await edit({ stages: ['a', 'b'] })
  await field('Item 2').fill('mine')
  await scope.saveAsColleague({ [CORE]: { stages: ['a', 'theirs'] } })
  await expect
    .element(page.getByText('1 of your changes overlaps with theirs.', { exact: false }))
    .toBeVisible()
  await field('Item 2').fill('b')
  await expect
    .element(page.getByText('Your change does not overlap with theirs.', { exact: false }))
    .toBeVisible()
  await userEvent.click(page.getByRole('heading', { level: 1 }))
  await expect.element(page.getByRole('region', { name: 'Unsaved changes' })).not.toBeInTheDocument()
  await expect.element(field('Item 2')).toHaveValue('theirs')
})
