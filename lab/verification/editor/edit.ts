import type { SeededRandom } from '../seeded-random.ts'
import type { Field } from './bundle.ts'
import { chooseGesture } from './gestures.ts'
import { InvariantViolation } from './model.ts'
import type { FieldView } from './read-page.ts'
import { remember } from './remember.ts'
import { formatContent, type Tab } from './tab.ts'
import { anyValue, changePart, contentOf, hasParts, meansSame, valueOf, type Content } from './values.ts'

const RESPONSE_MS = 15_000
const POLL_MS = 15

/** Performs one gesture on a field, and records the edit that it must make. Returns a description. */
export async function editField(
  tab: Tab,
  field: Field,
  random: SeededRandom,
  services: readonly string[],
): Promise<string> {
  const { model } = tab
  const { property, kind } = field
  const seen = await waitForMine(tab, field)
  const mine = model.edit(tab.index, field)
  if (!seen.isOpen) return tryLocked(tab, field, seen)

  // sometimes the value is one that was saved, or the one that the edit is based on
  const known = [...(mine?.seen ?? []), model.history.now(property).value]
  const shown = valueOf(kind, seen.content)
  const part =
    shown !== undefined && hasParts(kind) && random.chance(0.6)
      ? changePart(kind, shown, random, services)
      : null
  const value =
    part ?? (random.chance(0.4) && kind !== 'secret' ? random.pick(known) : anyValue(kind, random, services))
  // the page may show a newer snapshot before the gesture reaches it
  const { version: first, claims } = await tab.view()
  const gesture = chooseGesture(field, seen.content, random, tab.locators(property), value, services)
  const wasActive = tab.activeField === property
  let refused: unknown = null
  await gesture.perform().catch((error: unknown) => (refused = error))

  // an edit whose value is saved already may have been removed
  const mayStart = mine === undefined || mine.savedSince !== null
  const before = mayStart ? await possibleStarts(tab, field, seen.content, first) : [seen.content]
  const end = performance.now() + RESPONSE_MS
  for (;;) {
    const view = await tab.view()
    const now = view.fields[property]
    const from = now === undefined ? undefined : before.filter((start) => gesture.makes(start, now.content))
    if (
      now !== undefined &&
      from !== undefined &&
      from.length > 0 &&
      (now.isEdited || !isUnchanged(from, now.content))
    ) {
      remember(tab, field, { now, from, first, version: view.version, isRemoved: gesture.isRemoval === true })
      tab.activeField = view.focus === property ? property : null
      return `${gesture.name}: ${formatContent(now.content)}`
    }
    // back at its base, while a colleague has saved another value, it is not an edit any more
    const makesBase = mine?.bases.some((base) =>
      before.some((start) => gesture.makes(start, contentOf(kind, base))),
    )
    if (makesBase === true && now?.isEdited === false) {
      await model.history.sync()
      if (model.contentsSince(field, first).some((saved) => meansSame(kind, saved, now.content))) {
        model.set(tab.index, field, null)
        // until the focus leaves, the field shows the value that it was based on
        await tab.page.getByRole('heading', { level: 1 }).click()
        tab.activeField = null
        return `${gesture.name}: back at the base, so the edit ended`
      }
    }
    const isUntouched = now !== undefined && before.some((start) => meansSame(kind, start, now.content))
    const showsLock =
      now?.lock === 'readOnly' || now?.lock === 'missed' || (refused !== null && now?.isOpen === false)
    // a short operation has just locked the control; a key press in a control that keeps the focus is noted separately
    const wasLocked = (gesture.isClick === true || refused !== null) && view.claims > claims
    const isExcused = (showsLock || wasLocked) && !wasActive && mayStart
    if (isUntouched && isExcused) {
      tab.activeField = null
      return `${gesture.name}: the form is locked, and says so`
    }
    if (isUntouched && from !== undefined && from.length > 0) return `${gesture.name}: changed nothing`
    if (performance.now() > end) {
      const because = refused instanceof Error ? ` (${refused.message})` : ''
      throw new InvariantViolation(
        'what is typed is in the field',
        `${property}: ${gesture.name} on ${before.map(formatContent).join(' or ')} made ${now === undefined ? 'nothing' : formatContent(now.content)}${because}; open: ${now?.isOpen}, lock: ${now?.lock}, active before: ${wasActive}`,
      )
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}

const isUnchanged = (from: readonly Content[], now: Content): boolean =>
  from.some((start) => JSON.stringify(start) === JSON.stringify(now))

/** Waits until the field shows my edit, which may have been made in another tab. */
async function waitForMine(tab: Tab, field: Field): Promise<FieldView> {
  const { model } = tab
  await tab.show(field)
  let shown: FieldView | undefined
  await tab.waitFor('an edit stays as it was typed', async (view) => {
    shown = view.fields[field.property]
    if (shown === undefined) return `${field.property} is not there`
    const { content } = shown
    const isMine = () => model.edit(tab.index, field)
    if (isMine() === undefined) return null
    const isShown = (one: Content) => meansSame(field.kind, one, content)
    if (model.allowed(tab.index, field).slice(0, 1).some(isShown)) return null
    await model.history.sync()
    const { savedSince } = isMine() ?? {}
    if (
      savedSince !== undefined &&
      savedSince !== null &&
      model.contentsSince(field, savedSince).some(isShown)
    ) {
      model.set(tab.index, field, null)
      return null
    }
    return `${field.property} shows ${formatContent(content)}, not ${model.allowed(tab.index, field).map(formatContent).join(' or ')}`
  })
  if (shown === undefined) throw new InvariantViolation('a field is shown', field.property)
  return shown
}

/** What the field may have shown when the gesture began: what was read before, or a newer saved value. */
async function possibleStarts(tab: Tab, field: Field, content: Content, version: number): Promise<Content[]> {
  const { history } = tab.model
  await history.sync()
  const newer = history.since(field.property, version).map(({ value }) => contentOf(field.kind, value))
  return [content, ...newer.filter((one) => JSON.stringify(one) !== JSON.stringify(content))]
}

/** Presses a key in a field that is locked: its value must not change, and it must say why. */
async function tryLocked(tab: Tab, field: Field, seen: FieldView): Promise<string> {
  const { property, kind } = field
  if (tab.model.edit(tab.index, field)?.savedSince === null && seen.lock !== 'saving')
    throw new InvariantViolation('a field with an edit stays open', property)
  if (kind !== 'text' && kind !== 'number') return 'locked'
  tab.activeField = null
  await tab.locators(property).control.focus()
  await tab.page.keyboard.press('End')
  const { version: first } = await tab.view()
  await tab.page.keyboard.press('9')
  await tab.waitFor('a locked field says so', (view) => {
    const now = view.fields[property]
    if (now === undefined || now.lock !== null || now.isOpen) return null
    return `${property} ignored a key and said nothing`
  })
  // it may have been unlocked before the key reached it
  const now = (await tab.view()).fields[property]
  const was = String(seen.content)
  if (now !== undefined && now.isEdited)
    remember(tab, field, {
      now,
      from: [String(now.content).slice(0, -1)],
      first,
      version: (await tab.view()).version,
      isRemoved: false,
    })
  return `locked at ${formatContent(was)}`
}
