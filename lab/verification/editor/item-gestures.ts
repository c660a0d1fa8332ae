import type { Locator } from '@playwright/test'
import type { SeededRandom } from '../seeded-random.ts'
import { click, CONTROL_TIMEOUT_MS, focus, type FieldLocators, type Gesture } from './gesture.ts'
import type { Content } from './values.ts'

type Items = readonly (string | [string, string])[]
const itemsOf = (content: Content): Items => (Array.isArray(content) ? content : [])
const same = (after: Content, items: Items): boolean => JSON.stringify(after) === JSON.stringify(items)
const replaced = (items: Items, index: number, item: Items[number]): Items =>
  items.map((one, at) => (at === index ? item : one))

/** Edits a list of texts that has `length` items. */
export function editList({ page, row }: FieldLocators, length: number, random: SeededRandom): Gesture {
  if (length === 0 || random.chance(0.15)) return add(row, (before) => [...before, ''])
  const index = random.below(length)
  if (random.chance(0.3)) return moveOrRemove(row, index, length, random)
  const letter = random.pick(['a', 'b', 'Shift+Enter', 'Backspace'])
  return {
    name: `item ${index + 1}: ${letter}`,
    makes: (before, after) => {
      const item = String(itemsOf(before)[index])
      const typed = letter === 'Shift+Enter' ? '\n' : letter
      const next = letter === 'Backspace' ? item.slice(0, -1) : item + typed
      return same(after, replaced(itemsOf(before), index, next))
    },
    perform: async () => {
      await focus(row.getByRole('textbox', { name: `Item ${index + 1}`, exact: true }))
      await page.keyboard.press('ControlOrMeta+End')
      await page.keyboard.press(letter)
    },
  }
}

/** Edits a list of references that has `length` items. */
export function editReferenceList(
  { row }: FieldLocators,
  length: number,
  random: SeededRandom,
  services: readonly string[],
): Gesture {
  if (length === 0 || random.chance(0.25))
    return {
      name: 'add',
      makes: (before, after) => {
        const items = itemsOf(after)
        return (
          items.length === itemsOf(before).length + 1 && same(items.slice(0, -1) as string[], itemsOf(before))
        )
      },
      ...click(row.getByRole('button', { name: 'Add item' })),
    }
  const index = random.below(length)
  if (random.chance(0.4)) return moveOrRemove(row, index, length, random)
  const service = random.pick(services)
  return {
    name: `item ${index + 1}: ${service}`,
    makes: (before, after) => same(after, replaced(itemsOf(before), index, service)),
    perform: async () => {
      const select = row.getByRole('combobox', { name: `Item ${index + 1}`, exact: true })
      await select.selectOption(service, { timeout: CONTROL_TIMEOUT_MS })
    },
  }
}

const add = (row: Locator, next: (before: Items) => Items): Gesture => ({
  name: 'add',
  makes: (before, after) => same(after, next(itemsOf(before))),
  ...click(row.getByRole('button', { name: 'Add item' })),
})

function moveOrRemove(row: Locator, index: number, length: number, random: SeededRandom): Gesture {
  if (index > 0 && length > 1 && random.chance(0.5))
    return {
      name: `move item ${index + 1} up`,
      makes: (before, after) => {
        const [one, two] = [itemsOf(before)[index], itemsOf(before)[index - 1]]
        return (
          one !== undefined &&
          two !== undefined &&
          same(
            after,
            itemsOf(before)
              .with(index, two)
              .with(index - 1, one),
          )
        )
      },
      ...click(row.getByRole('button', { name: `Move item ${index + 1} up` })),
    }
  return {
    name: `remove item ${index + 1}`,
    makes: (before, after) => same(after, itemsOf(before).toSpliced(index, 1)),
    ...click(row.getByRole('button', { name: `Remove item ${index + 1}` })),
  }
}

/** Edits a map of references. */
export function editReferenceMap(
  { page, row }: FieldLocators,
  entries: Items,
  random: SeededRandom,
  services: readonly string[],
): Gesture {
  const keys = entries.map((entry) => entry[0] ?? '')
  const fresh = ['k0', 'k1', 'k2', 'k3'].find((key) => !keys.includes(key))
  if (fresh !== undefined && (keys.length === 0 || random.chance(0.3)))
    return {
      name: `add ${fresh}`,
      makes: (before, after) => {
        const items = itemsOf(after)
        const added = items.find((entry) => entry[0] === fresh)
        return (
          added !== undefined &&
          same(items.filter((entry) => entry !== added) as [string, string][], itemsOf(before))
        )
      },
      perform: async () => {
        await row.getByRole('textbox', { name: 'New key' }).fill(fresh, { timeout: CONTROL_TIMEOUT_MS })
        await page.keyboard.press('Enter')
      },
    }
  const key = random.pick(keys)
  if (random.chance(0.3))
    return {
      name: `remove ${key}`,
      makes: (before, after) =>
        same(
          after,
          itemsOf(before).filter((entry) => entry[0] !== key),
        ),
      ...click(row.getByRole('button', { name: new RegExp(`^Remove ${key} `) })),
    }
  const service = random.pick(services)
  return {
    name: `${key}: ${service}`,
    makes: (before, after) =>
      same(
        after,
        itemsOf(before).map((entry) => (entry[0] === key ? [key, service] : entry)),
      ),
    perform: async () => {
      await row
        .getByRole('combobox', { name: `Service for ${key}` })
        .selectOption(service, { timeout: CONTROL_TIMEOUT_MS })
    },
  }
}
