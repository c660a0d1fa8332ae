import type { Page } from '@playwright/test'
import type { Field } from './bundle.ts'
import type { Value } from './values.ts'

const PANE = 'section[aria-labelledby="document-pane"]'

/** What these functions use of the editor, in the browser. */
interface EditorView {
  state: { doc: { toString: () => string; length: number } }
  focus: () => void
  dispatch: (change: { changes: { from: number; to: number; insert: string }; userEvent: string }) => void
}

/** The element that contains the text of an editor. */
export type EditorElement = Element & { cmTile: { root: { view: EditorView } } }

/** Opens the JSON document beside the form, unless it is open. */
export async function openDocument(page: Page): Promise<void> {
  const editor = page.locator(`${PANE} .cm-content`)
  const button = page.getByRole('button', { name: 'JSON beside the form' })
  if ((await button.getAttribute('aria-pressed')) === 'false') await button.click()
  await editor.waitFor()
}

/** Replaces what follows a position, by default the end, by a text. Returns the position. */
export const changeDocument = (page: Page, insert: string, position: number | null = null): Promise<number> =>
  page.locator(`${PANE} .cm-content`).evaluate(
    (element, { insert: text, position: at }) => {
      const { view } = (element as unknown as EditorElement).cmTile.root
      const { length } = view.state.doc
      const from = at ?? length
      view.focus()
      view.dispatch({ changes: { from, to: length, insert: text }, userEvent: 'input.type' })
      return from
    },
    { insert, position },
  )

/**
 * Replaces the value of a property in the document at once, so that nothing arrives in between. Returns the value that the document
 * had, and the snapshot that the page showed.
 */
export const setInDocument = (
  page: Page,
  { locator, property }: Field,
  value: Value,
): Promise<{ before: Value; version: number }> =>
  page.locator(`${PANE} .cm-content`).evaluate(
    (element, { locator: resource, property: name, json }) => {
      const { view } = (element as unknown as EditorElement).cmTile.root
      const text = view.state.doc.toString()
      const document = JSON.parse(text) as Record<string, Record<string, unknown>>
      const properties = document[resource] ?? {}
      const written = properties[name]
      // data is plain
      const isTyped = typeof written === 'object' && written !== null && '@type' in written
      const before = (
        written === undefined ? null : isTyped ? written : { '@type': 'Data', value: written }
      ) as Value
      const next = JSON.parse(json) as unknown
      if (next === null) delete properties[name]
      else properties[name] = next
      const changed = JSON.stringify({ ...document, [resource]: properties }, null, 2)
      let from = 0
      while (from < Math.min(text.length, changed.length) && text[from] === changed[from]) from++
      let after = 0
      const most = Math.min(text.length, changed.length) - from
      while (after < most && text.at(-1 - after) === changed.at(-1 - after)) after++
      view.focus()
      view.dispatch({
        changes: { from, to: text.length - after, insert: changed.slice(from, changed.length - after) },
        userEvent: 'input.paste',
      })
      const shown = /Snapshot (\d+)/.exec(element.ownerDocument.querySelector('main')?.textContent ?? '')
      return { before, version: Number(shown?.[1] ?? 0) }
    },
    { locator, property, json: JSON.stringify(value) },
  )
