import type { Page } from '@playwright/test'
import { FIELDS, type Kind } from './bundle.ts'
import type { EditorElement } from './document.ts'
import type { Content } from './values.ts'

/** A field as a person sees it. */
export interface FieldView {
  content: Content
  /** Whether it can be edited. */
  isOpen: boolean
  /** Which note about a lock is shown below it. */
  lock: 'draft' | 'readOnly' | 'saving' | 'missed' | null
  /** The value that it shows as the base of the edit; null where it shows none as plain text. */
  was: string | null
  /** The value that it shows as saved by others; null likewise. */
  theirs: string | null
  isEdited: boolean
}

export interface PageView {
  /** The title of the resource whose form is shown. */
  resource: string | null
  version: number
  /** The number of changes in the bar; 0 without a bar. */
  changes: number
  dialog: string | null
  /** The property whose field has the focus. */
  focus: string | null
  isClaimed: boolean
  /** How often the page has shown a claim since it was loaded. */
  claims: number
  fields: Partial<Record<string, FieldView>>
  /** The number of sensitive values that the page reports as not kept. */
  notKept: number
  /** The JSON document beside the form; null if it is not open. */
  document: string | null
}

const KINDS = Object.fromEntries(FIELDS.map(({ property, kind }) => [property, kind]))

/** Reads the whole state of the page at one moment. */
export const readPage = (page: Page): Promise<PageView> => page.evaluate(read, KINDS)

/** Counts how often the page shows a claim, because one can come and go between two reads. */
export const countClaims = (page: Page): Promise<unknown> =>
  page.addInitScript(() => {
    let wasShown = false
    new MutationObserver(() => {
      const isShown = document.querySelector('[aria-label="Locked by an operation"]') !== null
      const { dataset } = document.documentElement
      if (isShown && !wasShown) dataset['claims'] = String(Number(dataset['claims'] ?? 0) + 1)
      wasShown = isShown
    }).observe(document, { childList: true, subtree: true })
  })

/** Runs in the browser, so it uses nothing from this module. */
function read(kinds: Readonly<Record<string, Kind>>): PageView {
  const contentIn = (kind: Kind, control: HTMLElement): { content: Content; isOpen: boolean } => {
    const items = [...control.querySelectorAll('textarea')]
    const selects = [...control.querySelectorAll('select')]
    const buttons = [...control.querySelectorAll('button')]
    switch (kind) {
      case 'text':
      case 'number':
        return control instanceof HTMLInputElement || control instanceof HTMLTextAreaElement
          ? { content: control.value, isOpen: !control.readOnly }
          : { content: control.textContent, isOpen: false }
      case 'switch': {
        if (!(control instanceof HTMLInputElement)) return { content: control.textContent, isOpen: false }
        const words = control.closest('label')?.textContent.trim()
        const off = words === 'Off' ? 'off' : 'unset'
        return { content: control.checked ? 'on' : off, isOpen: !control.disabled }
      }
      case 'choice':
        return control instanceof HTMLSelectElement
          ? // the option of a text has a sign before it; that of no value is empty
            { content: control.value.slice(1), isOpen: !control.disabled }
          : { content: control.textContent, isOpen: false }
      case 'reference':
        return control instanceof HTMLSelectElement
          ? { content: control.value, isOpen: !control.disabled }
          : { content: control.textContent, isOpen: false }
      case 'list':
        return { content: items.map(({ value }) => value), isOpen: buttons.length > 0 }
      case 'reference-list':
        return { content: selects.map(({ value }) => value), isOpen: buttons.length > 0 }
      case 'reference-map':
        return {
          content: selects.map((select): [string, string] => [
            select.closest('div')?.querySelector('span[title]')?.textContent ?? '',
            select.value,
          ]),
          isOpen: buttons.length > 0,
        }
      case 'object': {
        const lines = control.shadowRoot?.querySelectorAll('.cm-line')
        if (lines !== undefined)
          return { content: [...lines].map(({ textContent }) => textContent).join('\n'), isOpen: true }
        return { content: control.querySelector('pre')?.textContent ?? '', isOpen: buttons.length > 0 }
      }
      case 'secret': {
        if (control instanceof HTMLTextAreaElement) return { content: `open:${control.value}`, isOpen: true }
        if (control instanceof HTMLInputElement) {
          const facts = document.getElementById(`${control.id}-facts`)?.textContent ?? ''
          const [, lines, characters] = /^(\d+) lines?, (\d+) characters?/.exec(facts) ?? []
          const hidden = lines === undefined ? control.value : `hidden ${lines}/${characters}`
          return { content: `open:${hidden}`, isOpen: true }
        }
        const isSet = control.textContent.includes('A value is set')
        return { content: isSet ? 'closed:set' : 'closed:unset', isOpen: buttons.length > 0 }
      }
      case 'plugin':
        return { content: control.textContent, isOpen: false }
    }
  }
  const lockOf = (text: string): FieldView['lock'] => {
    if (text.includes('Locked: your change is kept as a draft')) return 'draft'
    if (text.includes('Locked: read-only')) return 'readOnly'
    if (text.includes('your input was not applied')) return 'missed'
    return text.includes('Read-only until your save') ? 'saving' : null
  }
  const fields: Partial<Record<string, FieldView>> = {}
  for (const [property, kind] of Object.entries(kinds)) {
    const row = document.getElementById(`row-${property}`)
    const control =
      document.getElementById(`property-${property}`) ??
      (kind === 'plugin' ? row?.querySelector<HTMLElement>('.bg-sunken') : null)
    if (row === null || control === null || control === undefined) continue
    const spans = [...row.querySelectorAll('span')]
    const plain = (element: Element | null | undefined) =>
      element?.querySelector('.mono')?.textContent ?? null
    const was = spans.find(
      ({ firstChild }) => firstChild?.textContent?.trim() === 'was' && firstChild.nodeType === 3,
    )
    const theirs = spans.find(
      ({ textContent, className }) =>
        className.includes('font-medium') && /saved since then:/i.test(textContent),
    )
    fields[property] = {
      ...contentIn(kind, control),
      lock: lockOf(row.textContent),
      was: plain(was),
      theirs: plain(theirs?.nextElementSibling),
      isEdited: [...row.querySelectorAll('button')].some(({ textContent }) => textContent === 'Reset'),
    }
  }
  const pane = document.querySelector('section[aria-labelledby="document-pane"]')
  const editor = [...(pane?.querySelectorAll('*') ?? [])]
    .map(({ shadowRoot }) => shadowRoot?.querySelector<EditorElement>('.cm-content'))
    .find((content) => content !== null && content !== undefined)
  const bar = document.querySelector('[role=region][aria-label="Unsaved changes"]')
  const dialogs = [...document.querySelectorAll('dialog[open]')]
  const focused = document.activeElement?.closest('[id^="row-"]')
  return {
    resource: document.getElementById('resource-title')?.textContent ?? null,
    version: Number(/Snapshot (\d+)/.exec(document.querySelector('main')?.textContent ?? '')?.[1] ?? 0),
    changes: Number(/(\d+) changes?/.exec(bar?.textContent ?? '')?.[1] ?? 0),
    dialog: dialogs.at(-1)?.querySelector('h2')?.textContent ?? null,
    focus: focused?.id.slice('row-'.length) ?? null,
    isClaimed: document.querySelector('[aria-label="Locked by an operation"]') !== null,
    claims: Number(document.documentElement.dataset['claims'] ?? 0),
    fields,
    document: editor === undefined ? null : editor.cmTile.root.view.state.doc.toString(),
    notKept: Number(
      /(\d+) sensitive values you entered were not kept/.exec(document.body.textContent)?.[1] ??
        (document.body.textContent.includes('A sensitive value you entered was not kept') ? 1 : 0),
    ),
  }
}
