import type { Locator } from '@playwright/test'
import { FIELDS, type Field, type Kind } from './bundle.ts'
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
import type { SeededRandom } from '../seeded-random.ts'
import { mergeDiffers, type Take } from './merged.ts'
import { contentOf, hasParts, meansSame, valueOf, type Content, type Value } from './values.ts'

interface Group {
  field: Field
  root: Locator
  base: string | null
  theirs: string | null
  mine: string | null
}

interface Decision {
  field: Field
  /** The choices for its leaves, each for one, or another value for the whole. */
  takes: readonly Take[] | 'other'
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
    const isOther = isText && random.chance(0.3)
    const version = (await tab.view()).version
    const theirs = model.history.since(field.property, version)[0]?.value ?? null
    const content = field.kind === 'number' ? String(random.below(1000)) : `other ${random.below(10)}`
    // the conflict may have changed: then the caller looks at the dialog again
    const takes = isOther ? await takeOther(group.root, content) : await takeSides(group.root, random, dialog)
    if (takes === null) return note('the conflict changed')
    decisions.push({ field, takes, theirs, version, content })
    if (random.chance(0.15)) note(`during the decision: ${await context.saveAsColleague([field.property])}`)
  }
  const before = model.edits(tab.index).filter(([{ kind }]) => hasParts(kind))
  const first = (await tab.view()).version
  const apply = dialog.getByRole('button', { name: 'Continue on top of theirs' })
  const isApplied = await succeeds(apply.click({ timeout: CLICK_TIMEOUT_MS }))
  if (!isApplied && (await tab.view()).dialog === CONFLICT) {
    // a save of a colleague may have been the first with something to decide
    if (decisions.length === 0 && (await groupsIn(dialog)).length === 0)
      throw new InvariantViolation('a conflict can be decided', 'it names none of the properties')
    return note('not all properties are decided')
  }
  const open = await openAfter(tab)
  for (const decision of decisions) {
    const { field, takes, theirs, version, content } = decision
    if (hasParts(field.kind)) continue
    const take = takes === 'other' ? takes : takes[0]
    const mine = model.edit(tab.index, field)
    const still = open.get(field.property)
    if (mine === undefined) continue
    // the conflict came back before the decision was applied
    if (still !== undefined && (take === 'theirs' || (take === 'other' && still !== content))) continue
    if (take === 'theirs') model.set(tab.index, field, null)
    else {
      mine.seen.push(theirs)
      mine.bases = [theirs]
      mine.seenVersion = Math.max(mine.seenVersion, version)
      if (take === 'other')
        Object.assign(mine, { content, isRemoved: false, typedVersion: version, savedSince: null })
      model.note(field, mine)
    }
    note(`decided ${field.property}: ${take}${take === 'other' ? ` ${content}` : ''}`)
  }
  await followMerges(tab, { before, first, decisions, note })
}

async function takeOther(root: Locator, content: string): Promise<'other' | null> {
  const isDone =
    (await succeeds(root.getByRole('radio', { name: 'Another value' }).check({ timeout: 2000 }))) &&
    (await succeeds(root.getByRole('textbox').fill(content, { timeout: 2000 })))
  return isDone ? 'other' : null
}

/** Decides on each leaf of a property, or on all of them at once. */
async function takeSides(root: Locator, random: SeededRandom, dialog: Locator): Promise<Take[] | null> {
  const name = { theirs: 'Use theirs', mine: 'Keep mine' }
  const sides = ['theirs', 'mine'] as const
  const theirs = root.getByRole('radio', { name: name.theirs })
  const count = await theirs.count()
  if (count > 1 && random.chance(0.3)) {
    const side = random.pick(sides)
    const label = side === 'theirs' ? 'All theirs' : 'All mine'
    // where one property is in conflict, its buttons are those of the whole dialog
    const all = root
      .getByRole('button', { name: label })
      .or(dialog.getByRole('button', { name: label, exact: true }))
      .first()
    return (await succeeds(all.click({ timeout: 2000 }))) ? Array.from({ length: count }, () => side) : null
  }
  const takes: Take[] = []
  for (let leaf = 0; leaf < count; leaf++) {
    const side = random.pick(sides)
    const radio = root.getByRole('radio', { name: name[side] }).nth(leaf)
    if (!(await succeeds(radio.check({ timeout: 2000 })))) return null
    takes.push(side)
  }
  return takes
}

/** Checks what became of the edits whose values have parts: none of mine and none of theirs is lost. */
async function followMerges(
  tab: Tab,
  {
    before,
    first,
    decisions,
    note,
  }: {
    before: readonly (readonly [Field, Edit])[]
    /** The snapshot that the page showed before the decisions were applied. */
    first: number
    decisions: readonly Decision[]
    note: (text: string) => void
  },
): Promise<void> {
  const { model } = tab
  const { fields, version, dialog } = await tab.view()
  await model.history.sync()
  for (const [field, mine] of before) {
    const { property, kind } = field
    const shown = fields[property]
    const was = model.valueOf(field, mine)
    if (shown === undefined || was === undefined) continue
    const isSame = meansSame(kind, shown.content, mine.content)
    // in a new conflict it is not known whether this one was applied; an edit that had ended was not
    if ((dialog === CONFLICT && isSame) || (mine.savedSince !== null && !shown.isEdited)) continue
    const chosen = decisions.find((one) => one.field.property === property)?.takes ?? []
    const takes = chosen === 'other' ? [] : chosen
    const saved = model.history.since(property, first).filter((one) => one.version <= version)
    const differences = valuesShown(kind, shown.content, mine.isRemoved).map((now) => ({
      now,
      found: mine.bases.flatMap((base) =>
        saved.map((one) => mergeDiffers({ base, theirs: one.value, mine: was, now }, takes)),
      ),
    }))
    const kept = differences.find(({ found }) => found.includes(null))
    if (kept === undefined)
      throw new InvariantViolation(
        'a merge loses no edit of a leaf',
        `${property} with ${takes.length === 0 ? 'no choice' : takes.join(', ')}: ${[...new Set(differences.flatMap(({ found }) => found))].join('; or ')}`,
      )
    if (!isSame) note(`${property} became ${formatContent(shown.content)} (${takes.join(', ')})`)
    if (!shown.isEdited) {
      model.set(tab.index, field, null)
      continue
    }
    const values = saved.map(({ value }) => value)
    mine.seen.push(...values)
    Object.assign(mine, {
      content: shown.content,
      isRemoved: kept.now === null,
      bases: values,
      seenVersion: Math.max(mine.seenVersion, version),
      typedVersion: version,
      savedSince: null,
    })
    model.note(field, mine)
  }
}

/** What a field may have for this content: nothing and an empty value look the same. */
function valuesShown(kind: Kind, content: Content, isRemoved: boolean): Value[] {
  const value = valueOf(kind, content) ?? null
  if (content.length > 0 || value === null) return [value]
  return isRemoved ? [null, value] : [value, null]
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
  // one for each property; the leaves of its value are groups inside
  for (const root of await dialog.locator('fieldset[aria-labelledby]').all()) {
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
            title: document.getElementById(element.getAttribute('aria-labelledby') ?? '')?.textContent ?? '',
            base: plain(optionOf('You started from')),
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
