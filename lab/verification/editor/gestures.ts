import type { Locator, Page } from '@playwright/test'
import type { SeededRandom } from '../seeded-random.ts'
import { CHOICES, type Field } from './bundle.ts'
import { click, CONTROL_TIMEOUT_MS, focus, type FieldLocators, type Gesture } from './gesture.ts'
import { editList, editReferenceList, editReferenceMap } from './item-gestures.ts'
import { contentOf, meansSame, sameContent, type Content, type Value } from './values.ts'

/** Chooses an action on a field that shows `content`. If the action replaces the whole content, it sets `value`. */
export function chooseGesture(
  field: Field,
  content: Content,
  random: SeededRandom,
  place: FieldLocators,
  value: Value,
  services: readonly string[],
): Gesture {
  const remove = place.row.getByRole('button', { name: 'Remove value' })
  if (random.chance(0.04) && field.kind !== 'secret')
    return {
      name: 'remove value',
      makes: (_, after) => sameContent(after, contentOf(field.kind, null)),
      ...click(remove),
      isRemoval: true,
    }
  const whole = contentOf(field.kind, value)
  switch (field.kind) {
    case 'text':
      return type(place.control, place.page, String(content), {
        random,
        letters: ['a', 'b', BREAK],
        whole: String(whole),
      })
    case 'number':
      return type(place.control, place.page, String(content), {
        random,
        letters: ['0', '1', '2', '3'],
        whole: String(whole),
      })
    case 'secret':
      return editSecret(place, String(content), random)
    case 'switch':
      return {
        name: 'toggle',
        makes: (before, after) => after === (before === 'on' ? 'off' : 'on'),
        perform: async () => {
          await focus(place.control)
          await place.page.keyboard.press('Space')
        },
      }
    case 'choice':
      return choose(place.control, another([...CHOICES, ''], content, random))
    case 'reference':
      return choose(place.control, another([...services, ''], content, random))
    case 'list':
      return editList(place, Array.isArray(content) ? content.length : 0, random)
    case 'reference-list':
      return editReferenceList(place, Array.isArray(content) ? content.length : 0, random, services)
    case 'reference-map':
      return editReferenceMap(place, Array.isArray(content) ? content : [], random, services)
    case 'object':
      return editDocument(place, random, String(whole))
    case 'plugin':
      throw new RangeError('a property that a plugin writes cannot be edited')
  }
}

const MAX_LENGTH = 6
const BREAK = 'Shift+Enter'

function type(
  input: Locator,
  page: Page,
  content: string,
  {
    random,
    letters,
    whole,
    prefix = '',
  }: { random: SeededRandom; letters: readonly string[]; whole: string; prefix?: string },
): Gesture {
  const chance = random.below(10)
  if (chance < 2) return replace(input, page, whole, prefix)
  const atEnd = async (key: string) => {
    await focus(input)
    await page.keyboard.press('ControlOrMeta+End')
    await page.keyboard.press(key)
  }
  if (chance < 5 || content.length - prefix.length > MAX_LENGTH)
    return {
      name: 'backspace',
      makes: (before, after) => after === prefix + String(before).slice(prefix.length, -1),
      perform: () => atEnd('Backspace'),
    }
  const letter = random.pick(letters)
  return {
    name: `type ${letter}`,
    makes: (before, after) => after === String(before) + (letter === BREAK ? '\n' : letter),
    perform: () => atEnd(letter),
  }
}

const replace = (input: Locator, page: Page, whole: string, prefix = ''): Gesture => ({
  name: `replace by ${JSON.stringify(whole)}`,
  // a secret of several lines may be hidden
  makes: (_, after) => meansSame(prefix === '' ? 'text' : 'secret', after, prefix + whole),
  perform: async () => {
    await focus(input)
    await page.keyboard.press('ControlOrMeta+A')
    if (whole === '') await page.keyboard.press('Delete')
    else await page.keyboard.insertText(whole)
  },
})

function editSecret({ page, row, control }: FieldLocators, content: string, random: SeededRandom): Gesture {
  if (!content.startsWith('open:'))
    return {
      name: 'open',
      makes: (_, after) => after === 'open:',
      ...click(row.getByRole('button', { name: /^(Replace|Set value) / })),
    }
  if (random.chance(0.2))
    return {
      name: 'show or hide',
      makes: (before, after) => meansSame('secret', before, after),
      ...click(row.getByRole('button', { name: /^(Show|Hide) / })),
    }
  const whole = random.pick(['secret three', 'secret\nthree\n', ' three\u00a0'])
  if (!content.startsWith('open:hidden '))
    return type(control, page, content, { random, letters: ['a', 'b'], whole, prefix: 'open:' })
  if (random.chance(0.5)) return replace(control, page, whole, 'open:')
  return {
    name: 'delete what is hidden',
    makes: (_, after) => after === 'open:',
    perform: async () => {
      await focus(control)
      await page.keyboard.press('Backspace')
    },
  }
}

const another = (options: readonly string[], content: Content, random: SeededRandom): string =>
  random.pick(options.filter((option) => option !== content))

const choose = (select: Locator, option: string): Gesture => ({
  name: `choose ${option === '' ? 'nothing' : option}`,
  makes: (_, after) => after === option,
  perform: async () => {
    await focus(select)
    await select.selectOption(option, { timeout: CONTROL_TIMEOUT_MS })
  },
})

/** Presses a key at the end of the second line of a JSON document, after a number, or replaces the document. */
function editDocument({ page, row, control }: FieldLocators, random: SeededRandom, whole: string): Gesture {
  const open = async () => {
    const button = row.getByRole('button', { name: 'Edit JSON' })
    const editor = control.locator('.cm-content')
    // while a colleague's operation locks the property there is neither
    await button.or(editor).first().waitFor({ timeout: CONTROL_TIMEOUT_MS })
    if (await button.isVisible()) await button.click({ timeout: CONTROL_TIMEOUT_MS })
    await editor.waitFor({ timeout: CONTROL_TIMEOUT_MS })
    const hasFocus = await editor.evaluate((element) => element.matches(':focus'))
    if (!hasFocus) await focus(editor)
  }
  if (random.chance(0.3)) {
    const text = random.chance(0.5) ? whole.replaceAll(/\s+/g, ' ') : whole.replaceAll(/\s+/g, '')
    return {
      name: `replace by ${text}`,
      makes: (_, after) => after === text,
      perform: async () => {
        await open()
        await page.keyboard.press('ControlOrMeta+A')
        if (text === '') await page.keyboard.press('Delete')
        else await page.keyboard.insertText(text)
      },
    }
  }
  const letter = random.pick(['1', '2', '3', 'Backspace', 'Backspace'])
  return {
    name: `in the document: ${letter}`,
    makes: (before, after) => {
      const lines = String(before).split('\n')
      const at = Math.min(1, lines.length - 1)
      const line = lines[at] ?? ''
      if (letter !== 'Backspace') return after === lines.with(at, line + letter).join('\n')
      if (line.trim() !== '') return after === lines.with(at, line.slice(0, -1)).join('\n')
      // the editor may remove several characters of indentation
      return String(after).replaceAll(/\s/g, '') === String(before).replaceAll(/\s/g, '')
    },
    perform: async () => {
      await open()
      await page.keyboard.press('ControlOrMeta+Home')
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('End')
      await page.keyboard.press(letter)
    },
  }
}
