import type { SeededRandom } from '../seeded-random.ts'
import type { Field } from './bundle.ts'
import { remember } from './remember.ts'
import { formatContent, type Tab } from './tab.ts'
import { anyValue, changePart, contentOf, hasParts, meansSame, sameValue, type Content } from './values.ts'
import { changeDocument, openDocument, setInDocument } from './document.ts'

/** Longer than the page waits until a pause in typing becomes edits. */
const MAX_PAUSE_MS = 500
/** Long enough for the page to have read the document. */
const READ_MS = 3_000

/**
 * Changes a property in the JSON document beside the form, sometimes after text that is not JSON, and records the edit
 * that it must make. Returns a description.
 */
export async function editInDocument(
  tab: Tab,
  field: Field,
  random: SeededRandom,
  services: readonly string[],
): Promise<string> {
  const { model, page } = tab
  const { property, kind } = field
  if (kind === 'secret') return 'not in the document'
  await tab.show(field)
  tab.activeField = null
  await openDocument(page)
  const { version: first } = await tab.view()
  const saved = model.history.now(property).value
  const part = hasParts(kind) && random.chance(0.5) ? changePart(kind, saved, random, services) : null
  const value = part ?? (random.chance(0.3) ? saved : anyValue(kind, random, services))
  if (random.chance(0.3)) {
    const end = await changeDocument(page, 'x')
    await page.waitForTimeout(random.below(MAX_PAUSE_MS))
    await changeDocument(page, '', end)
  }
  const { before, version } = await setInDocument(page, field, value)
  if (sameValue(before, value)) return 'changed nothing'
  const typed = performance.now()
  const [from, wanted] = [contentOf(kind, before), contentOf(kind, value)]
  const { fields } = await tab.waitFor('what is typed in the document is in the form', async (view) => {
    const now = view.fields[property]
    await model.history.sync()
    const isSaved = sameValue(model.history.now(property).value, value)
    const isThere = now !== undefined && meansSame(kind, now.content, wanted) && (now.isEdited || isSaved)
    // what is saved already, or the edit began from, is not an edit, and a colleague may have saved another value
    const contents = model.contentsSince(field, first)
    const bases = (model.edit(tab.index, field)?.bases ?? []).map((base) => contentOf(kind, base))
    const isIn = (all: readonly Content[], one: Content) => all.some((other) => meansSame(kind, other, one))
    const isOvertaken =
      performance.now() > typed + READ_MS &&
      now?.isEdited === false &&
      isIn([...contents, ...bases], wanted) &&
      isIn(contents, now.content)
    return isThere || isOvertaken
      ? null
      : `${property}: ${formatContent(from)} became ${now === undefined ? 'nothing' : formatContent(now.content)}, not ${formatContent(wanted)}; edited: ${now?.isEdited}`
  })
  const now = fields[property]
  if (now?.isEdited === true) {
    remember(tab, field, { now, from: [from], first, version, isRemoved: value === null })
    // the document may be based on what the page showed when it was broken, and its edit then had another value
    const shown = model.history.since(property, first).filter((one) => one.version <= version)
    const mine = model.edit(tab.index, field)
    mine?.seen.push(...shown.map((one) => one.value))
    mine?.bases.push(...shown.map((one) => one.value))
  } else model.set(tab.index, field, null)
  return `${formatContent(from)} becomes ${formatContent(wanted)}`
}
