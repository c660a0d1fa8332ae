import { readFileSync } from 'node:fs'
import type { Locator, Page } from '@playwright/test'
import type { JsonValue } from '#contract/json-schema/json.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { configurationPath } from '../../../e2e/vocabulary.ts'
import type { EditorElement } from '../editor/document.ts'
import { locatorOf } from '../public/world.ts'
import { MARK, NOTE, NOTE_MODULE, TAIL, TYPED, type Trial } from './slots.ts'

/** A busy machine may take long; only what hangs takes a minute. */
const TIMEOUT_MS = 60_000

/** Opens the form of a scope, at the first Module. */
export async function openForm(page: Page, scope: Scope): Promise<void> {
  await page.goto(configurationPath(scope, locatorOf(NOTE_MODULE)))
  await page.locator(`#property-${NOTE}`).waitFor({ timeout: TIMEOUT_MS })
}

/** Shows the form of a Module, without loading the page again. */
export async function showModule(page: Page, module: string): Promise<void> {
  const title = page.locator('#resource-title')
  if ((await title.innerText({ timeout: TIMEOUT_MS })) === module) return
  await page.getByRole('link', { name: new RegExp(`\\b${module}\\b`) }).click({ timeout: TIMEOUT_MS })
  await title.filter({ hasText: module }).waitFor({ timeout: TIMEOUT_MS })
}

/** Does what a person would do with one property. */
export async function touch(page: Page, trial: Trial): Promise<void> {
  const { slot, other } = trial
  const { property, kind, isPasted } = slot
  const row = page.locator(`#row-${property}`)
  const id = `property-${property}`
  if (slot.touch === 'none') return
  const isHere = slot.touch === 'here'
  switch (kind) {
    case 'text':
    case 'long-text':
      if (!isHere) return typeAndUndo(page, id)
      return isPasted ? paste(page, id, String(other)) : typeAtEnd(page, id)
    case 'number':
      return isHere ? replace(page, id, String(other)) : typeAndUndo(page, id, '1')
    case 'secret':
    case 'secret-json':
      await row.getByRole('button', { name: /^(Replace|Set value) / }).click({ timeout: TIMEOUT_MS })
      if (!isHere)
        return row.getByRole('button', { name: 'Keep current value' }).click({ timeout: TIMEOUT_MS })
      return kind === 'secret' ? paste(page, id, String(other)) : replaceDocument(row, other)
    case 'list':
      return typeAtEnd(page, `${id}.${isHere ? 0 : (trial.value as JsonValue[]).length - 1}`)
    case 'object':
      return editMember(page, trial, isHere ? 'text' : MARK)
    case 'map':
    case 'json':
      if (!isHere && kind === 'map') return editEntry(page, trial)
      await openDocument(row)
      return isHere ? replaceDocument(row, other) : typeInDocument(row)
  }
}

// an id may contain dots
const control = (page: Page, id: string): Locator => page.locator(`[id="${id}"]`)

/** Puts the caret at the end of a text. */
const focusEnd = (page: Page, id: string): Promise<void> =>
  control(page, id).evaluate(
    (element) => {
      if (!(element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement))
        throw new Error(`the control is a ${element.tagName}`)
      element.focus()
      element.setSelectionRange(element.value.length, element.value.length)
    },
    undefined,
    { timeout: TIMEOUT_MS },
  )

async function typeAtEnd(page: Page, id: string): Promise<void> {
  await focusEnd(page, id)
  await page.keyboard.press(TYPED)
}

async function typeAndUndo(page: Page, id: string, key = TYPED): Promise<void> {
  await focusEnd(page, id)
  await page.keyboard.press(key)
  await page.keyboard.press('Backspace')
}

async function replace(page: Page, id: string, text: string): Promise<void> {
  await control(page, id).focus({ timeout: TIMEOUT_MS })
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.insertText(text)
}

/** Through the clipboard of the browser, which only one page may use at a time. */
async function paste(page: Page, id: string, text: string): Promise<void> {
  await control(page, id).focus({ timeout: TIMEOUT_MS })
  await page.keyboard.press('ControlOrMeta+A')
  if (text === '') return page.keyboard.press('Delete')
  await page.evaluate((copied) => navigator.clipboard.writeText(copied), text)
  await page.keyboard.press('ControlOrMeta+V')
}

/** Types at the end of a member's text, in its control or, where the object is shown as JSON, in the document. */
async function editMember(page: Page, trial: Trial, member: string): Promise<void> {
  const { property } = trial.slot
  const id = `property-${property}.${member}`
  if ((await page.locator(`[id="${id}"]`).count()) > 0) return typeAtEnd(page, id)
  const row = page.locator(`#row-${property}`)
  await openDocument(row)
  if (member === MARK) return typeInDocument(row)
  // as generated
  const object = trial.value as { [key: string]: JsonValue }
  return replaceDocument(row, { ...object, [member]: `${String(object[member])}${TYPED}` })
}

/** Types at the end of the text under the key `mark`. */
async function editEntry(page: Page, { slot: { property } }: Trial): Promise<void> {
  const row = page.locator(`#row-${property}`)
  const value = row.locator(`[role=group][aria-label="${MARK}"] :is(input, textarea):not([data-key])`)
  if ((await value.count()) > 0) {
    await value.focus({ timeout: TIMEOUT_MS })
    await page.keyboard.press('ControlOrMeta+End')
    return page.keyboard.press(TYPED)
  }
  await openDocument(row)
  return typeInDocument(row)
}

async function openDocument(row: Locator): Promise<void> {
  const editor = row.locator('.cm-content')
  if ((await editor.count()) === 0)
    await row.getByRole('button', { name: 'Edit JSON' }).click({ timeout: TIMEOUT_MS })
  await editor.waitFor({ timeout: TIMEOUT_MS })
}

/** Replaces the whole document, as a paste does. */
async function replaceDocument(row: Locator, value: JsonValue): Promise<void> {
  const editor = row.locator('.cm-content')
  await editor.waitFor({ timeout: TIMEOUT_MS })
  await editor.evaluate((element, insert) => {
    const { view } = (element as unknown as EditorElement).cmTile.root
    view.focus()
    view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert }, userEvent: 'input.paste' })
  }, JSON.stringify(value))
}

/** Types at the end of the text under the key `mark`, which is the last of the document's texts that looks like it. */
async function typeInDocument(row: Locator): Promise<void> {
  await row.locator('.cm-content').evaluate(
    (element, { before, typed }) => {
      const { view } = (element as unknown as EditorElement).cmTile.root
      const at = view.state.doc.toString().lastIndexOf(before)
      if (at === -1) throw new Error('The document has no mark')
      view.focus()
      view.dispatch({
        changes: { from: at + before.length, to: at + before.length, insert: typed },
        userEvent: 'input.type',
      })
    },
    { before: `"${MARK}": "${TAIL}`, typed: TYPED },
  )
}

/** Edits the note, so that there is something to save. */
export const editNote = (page: Page, text: string): Promise<void> => replace(page, `property-${NOTE}`, text)

/** Resets the edits of the shown form that the page finds invalid. Returns them with what the page says. */
export async function resetInvalid(page: Page): Promise<{ property: string; said: string }[]> {
  const found: { property: string; said: string }[] = []
  const invalid = page.locator('[id^="row-"][data-invalid]')
  while ((await invalid.count()) > 0) {
    const row = invalid.first()
    const property = (await row.getAttribute('id'))?.slice('row-'.length) ?? ''
    found.push({ property, said: (await row.innerText()).replaceAll(/\s+/g, ' ').slice(0, 300) })
    await row.getByRole('button', { name: /^Reset / }).click({ timeout: TIMEOUT_MS })
    await page.locator(`[id="row-${property}"]:not([data-invalid])`).waitFor({ timeout: TIMEOUT_MS })
  }
  return found
}

/** Opens the review if it is not open, and saves. Throws if the page refuses, with what it says. */
export async function save(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog')
  if (!(await dialog.isVisible())) {
    const bar = page.getByRole('region', { name: 'Unsaved changes' })
    await bar.getByRole('button', { name: 'Review' }).click({ timeout: TIMEOUT_MS })
  }
  const button = dialog.getByRole('button', { name: /^Save/ })
  try {
    await button.click({ timeout: TIMEOUT_MS })
    await dialog.waitFor({ state: 'hidden', timeout: TIMEOUT_MS })
  } catch (error) {
    const said = await page.locator('[role=alert], [data-invalid], dialog[open] footer').allInnerTexts()
    throw new Error(`The page does not save: ${said.join(' | ').slice(0, 2_000)}`, { cause: error })
  }
}

/** Downloads the configuration as the page offers it. */
export async function download(page: Page, format: 'JSON' | 'YAML'): Promise<string> {
  await page.getByRole('button', { name: 'File', exact: true }).click({ timeout: TIMEOUT_MS })
  const [file] = await Promise.all([
    page.waitForEvent('download', { timeout: TIMEOUT_MS }),
    page.getByRole('menuitem', { name: `Download as ${format}` }).click({ timeout: TIMEOUT_MS }),
  ])
  return readFileSync(await file.path(), 'utf8')
}

/** Chooses a file to import, and waits for the review. Throws with the message of the page if there is none. */
export async function importFile(page: Page, format: 'JSON' | 'YAML', text: string): Promise<void> {
  const name = `configuration.${format.toLowerCase()}`
  await page
    .locator('input[type=file]')
    .first()
    .setInputFiles({ name, mimeType: 'application/octet-stream', buffer: Buffer.from(text) })
  const dialog = page.getByRole('dialog')
  const refusal = page
    .getByRole('status')
    .or(page.getByRole('alert'))
    .filter({ hasText: /file|column/i })
  try {
    await dialog.or(refusal).first().waitFor({ timeout: TIMEOUT_MS })
  } catch (error) {
    const said = await page.locator('[role=status], [role=alert], main').allInnerTexts()
    throw new Error(`The page does nothing with the file: ${said.join(' | ').slice(0, 600)}`, {
      cause: error,
    })
  }
  if (!(await dialog.isVisible()))
    throw new Error(`The page refuses the file: ${(await refusal.allInnerTexts()).join(' | ')}`)
}
