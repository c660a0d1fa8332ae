import type { Locator } from '@playwright/test'
import { FIELDS, type Field } from './bundle.ts'
import {
  RESPONSE_MS,
  CLICK_TIMEOUT_MS,
  CONFLICT,
  dialogState,
  succeeds,
  type ReviewContext,
} from './dialog.ts'
import { InvariantViolation, type Edit } from './model.ts'
import { formatContent, type Tab } from './tab.ts'
import { contentOf, type Value } from './values.ts'

interface Group {
  field: Field
  root: Locator
  base: string | null
  theirs: string | null
  mine: string | null
}

interface Decision {
  field: Field
  take: 'theirs' | 'mine' | 'other'
  /** The saved value at the time of the decision. */
  theirs: Value
  version: number
  /** What is typed as the other value. */
  content: string
}

/** Decides on each property in conflict, and continues on top of what the colleague saved. */
export async function resolveConflict(tab: Tab, context: ReviewContext): Promise<void> {
  const { random, note } = context
  const { model, page } = tab
  const dialog = page.getByRole('dialog')
  const decisions: Decision[] = []
  for (const group of await groupsIn(dialog)) {
    const { field } = group
    const mine = model.edit(tab.index, field)
    if (mine === undefined)
      throw new InvariantViolation('a conflict is about one of my edits', field.property)
    await model.history.sync()
    checkGroup(tab, group, mine)
    const isText = field.kind === 'text' || field.kind === 'number'
    const take = random.pick(isText ? (['theirs', 'mine', 'other'] as const) : (['theirs', 'mine'] as const))
    const version = (await tab.view()).version
    const theirs = model.history.since(field.property, version)[0]?.value ?? null
    const content = field.kind === 'number' ? String(random.below(1000)) : `other ${random.below(10)}`
    const label = { theirs: 'Use theirs', mine: 'Keep mine', other: 'Another value' }[take]
    // the conflict may have changed: then the caller looks at the dialog again
    const radio = group.root.getByRole('radio', { name: label })
    if (!(await succeeds(radio.check({ timeout: 2000 })))) return note('the conflict changed')
    const input = group.root.getByRole('textbox')
    if (take === 'other' && !(await succeeds(input.fill(content, { timeout: 2000 }))))
      return note('the conflict changed')
    decisions.push({ field, take, theirs, version, content })
    if (random.chance(0.15)) note(`during the decision: ${await context.saveAsColleague([field.property])}`)
  }
  const apply = dialog.getByRole('button', { name: 'Continue on top of theirs' })
  const isApplied = await succeeds(apply.click({ timeout: CLICK_TIMEOUT_MS }))
  if (!isApplied && (await tab.view()).dialog === CONFLICT) return note('not all properties are decided')
  const open = await openAfter(tab)
  for (const decision of decisions) {
    const { field, take, theirs, version, content } = decision
    const mine = model.edit(tab.index, field)
    const still = open.get(field.property)
    if (mine === undefined) continue
    // the conflict came back before the decision was applied
    if (still !== undefined && (take === 'theirs' || (take === 'other' && still !== content))) continue
    if (take === 'theirs') model.set(tab.index, field, null)
    else {
      mine.seen.push(theirs)
      mine.seenVersion = Math.max(mine.seenVersion, version)
      if (take === 'other')
        Object.assign(mine, { content, isRemoved: false, typedVersion: version, savedSince: null })
      model.note(field, mine)
    }
    note(`decided ${field.property}: ${take}${take === 'other' ? ` ${content}` : ''}`)
  }
}

/** The properties that are still, or again, in conflict after the decisions were applied, with my value as it is shown. */
async function openAfter(tab: Tab): Promise<Map<string, string | null>> {
  const dialog = tab.page.getByRole('dialog')
  const choices = dialog.locator('fieldset')
  const end = performance.now() + RESPONSE_MS
  let state = await dialogState(tab)
  // as long as every choice is still made, the decisions are being applied; in a new conflict at least one is open
  while (state === 'conflict' && performance.now() < end) {
    const open = choices.filter({ hasNot: tab.page.locator('input[type=radio]:checked') })
    if ((await open.count()) > 0) break
    state = await dialogState(tab)
  }
  if (state !== 'conflict') return new Map()
  const groups = await groupsIn(dialog)
  return new Map(groups.map(({ field, mine }) => [field.property, mine]))
}

async function groupsIn(dialog: Locator): Promise<Group[]> {
  const found: Group[] = []
  for (const root of await dialog
    .getByRole('group')
    .filter({ has: dialog.page().locator('legend') })
    .all()) {
    const read = await root
      .evaluate(
        (element) => {
          const plain = (from: Element | null | undefined) =>
            from?.querySelector('.mono')?.textContent ?? null
          const spans = [...element.querySelectorAll('span')]
          const optionOf = (text: string) =>
            spans
              .find(({ textContent, className }) => textContent === text && className.includes('font-medium'))
              ?.closest('label')
          return {
            title: element.querySelector('legend')?.textContent ?? '',
            base: plain(
              spans.find(({ firstChild }) => firstChild?.textContent?.startsWith('You started from')),
            ),
            theirs: plain(optionOf('Use theirs')),
            mine: plain(optionOf('Keep mine')),
          }
        },
        undefined,
        { timeout: 2000 },
      )
      .catch(() => null)
    const field = FIELDS.find(({ title }) => title === read?.title)
    if (read !== null && field !== undefined) found.push({ field, root, ...read })
  }
  return found
}

/** Checks base, theirs and mine as the dialog shows them, where they are plain texts or numbers. */
function checkGroup(tab: Tab, { field, base, theirs, mine: shownMine }: Group, mine: Edit): void {
  if (field.kind !== 'text' && field.kind !== 'number') return
  const { history } = tab.model
  const textOf = (value: Value) => contentOf(field.kind, value)
  const seen = mine.seen.map(textOf)
  if (base !== null && !seen.includes(base))
    throw new InvariantViolation(
      'a conflict shows the base',
      `${field.property} began from ${seen.map(formatContent).join(' or ')}, formatContent ${base}`,
    )
  const known = history.since(field.property, mine.seenVersion).map(({ value }) => textOf(value))
  if (theirs !== null && !known.includes(theirs))
    throw new InvariantViolation(
      'a conflict shows theirs',
      `${field.property} is ${known.map(formatContent).join(' or ')}, formatContent ${theirs}`,
    )
  if (shownMine !== null && shownMine !== mine.content)
    throw new InvariantViolation(
      'a conflict shows mine',
      `${field.property} is ${formatContent(mine.content)}, formatContent ${shownMine}`,
    )
}
