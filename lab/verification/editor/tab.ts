import type { Page } from '@playwright/test'
import type { JsonValue } from '#contract/json-schema/json.ts'
import { FIELDS, RESOURCE_TITLES, type Field } from './bundle.ts'
import { InvariantViolation, type Model } from './model.ts'
import { readPage, type FieldView, type PageView } from './read-page.ts'
import { contentOf, meansSame, writtenValue, type Content } from './values.ts'

/** Long enough for an event, a request and a render on a busy machine. */
const TIMEOUT_MS = 30_000
const POLL_MS = 25

/** A page of the person. */
export class Tab {
  /** The field of the last gesture, as long as it has the focus. */
  activeField: string | null = null
  readonly page: Page
  readonly index: number
  readonly model: Model

  constructor(page: Page, index: number, model: Model) {
    this.page = page
    this.index = index
    this.model = model
  }

  view(): Promise<PageView> {
    return readPage(this.page)
  }

  row(property: string) {
    return this.page.locator(`[id="row-${property}"]`)
  }

  locators(property: string) {
    return {
      page: this.page,
      row: this.row(property),
      control: this.page.locator(`[id="property-${property}"]`),
    }
  }

  /** Takes the focus out of the form. */
  async blur(): Promise<void> {
    await this.page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur())
    this.activeField = null
  }

  /** Polls the page until it does not differ from what it should show. */
  async waitFor(
    promise: string,
    differs: (view: PageView) => string | null | Promise<string | null>,
  ): Promise<PageView> {
    const end = performance.now() + TIMEOUT_MS
    for (;;) {
      const view = await this.view()
      const difference = await differs(view)
      if (difference === null) return view
      if (performance.now() > end) throw new InvariantViolation(promise, difference)
      await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    }
  }

  /** Opens the resource of a field, and waits for all of its controls. */
  async show({ locator }: Field): Promise<PageView> {
    const title = RESOURCE_TITLES[locator]
    const isReady = (view: PageView) =>
      view.resource === title &&
      FIELDS.every((field) => field.locator !== locator || view.fields[field.property])
    const view = await this.view()
    if (isReady(view)) return view
    if (view.resource !== title) {
      this.activeField = null
      await this.page
        .getByRole('navigation', { name: 'Resources' })
        .getByRole('link', { name: title ?? '' })
        .click()
    }
    return this.waitFor('a resource is shown', (now) => (isReady(now) ? null : `${title} is not there`))
  }

  /** Waits until the page shows my edits, and the saved values of all other properties. */
  async check(): Promise<void> {
    const { model } = this
    await this.waitFor('the page shows my edits and what is saved', async (view) => {
      await model.refresh(this.index)
      for (const field of FIELDS) {
        const shown = view.fields[field.property]
        if (shown === undefined) continue
        const difference = this.differs(field, shown)
        if (difference !== null) return `${field.property} ${difference}`
      }
      return this.miscounts(view) ?? this.documentDiffers(view)
    })
  }

  private differs(field: Field, shown: FieldView): string | null {
    const { model } = this
    const mine = model.edit(this.index, field)
    if (field.kind === 'plugin') {
      const saved = contentOf(field.kind, model.history.now(field.property).value)
      const isShown = saved === '' || shown.content === saved
      return isShown
        ? null
        : `shows ${formatContent(shown.content)}, the plugin wrote ${formatContent(saved)}`
    }
    const allowed = model.allowed(this.index, field)
    if (!allowed.some((content) => meansSame(field.kind, content, shown.content)))
      return `shows ${formatContent(shown.content)}, not ${allowed.map(formatContent).join(' or ')}${mine === undefined ? `, and I have no edit there (the page says ${shown.isEdited})` : ''}`
    if (mine === undefined || mine.savedSince !== null) return null
    if (!shown.isEdited)
      return `shows my edit ${formatContent(shown.content)} and does not say that it is one`
    if (!shown.isOpen && shown.lock !== 'saving') return `is locked, with an edit of mine`
    if (field.kind === 'text' || field.kind === 'number') {
      const seen = mine.seen.map((value) => contentOf(field.kind, value))
      if (shown.was !== null && !seen.includes(shown.was))
        return `says it was ${shown.was}, I began from ${seen.map(formatContent).join(' or ')}`
      const saved = contentOf(field.kind, model.history.now(field.property).value)
      if (shown.theirs !== null && shown.theirs !== saved)
        return `says theirs is ${shown.theirs}, it is ${formatContent(saved)}`
    }
    return null
  }

  /** Compares the document, which contains all resources; secrets and what is not a value are not in it. */
  private documentDiffers({ document }: PageView): string | null {
    if (document === null) return null
    const values = JSON.parse(document) as Partial<Record<string, Record<string, JsonValue>>>
    for (const field of FIELDS) {
      const { kind, locator, property } = field
      const mine = this.model.edit(this.index, field)
      const isNoValue = mine !== undefined && this.model.valueOf(field, mine) === undefined
      if (kind === 'secret' || kind === 'plugin' || isNoValue) continue
      const content = contentOf(kind, writtenValue(values[locator]?.[property]))
      const allowed = this.model.allowed(this.index, field)
      if (!allowed.some((one) => meansSame(kind, one, content)))
        return `${property} is ${formatContent(content)} in the document, not ${allowed.map(formatContent).join(' or ')}`
    }
    return null
  }

  private miscounts({ changes, fields }: PageView): string | null {
    const edits = this.model.edits(this.index)
    const sure = edits.filter(([, mine]) => mine.savedSince === null).length
    if (changes >= sure && changes <= edits.length) return null
    return `the bar counts ${changes} changes, I have ${sure === edits.length ? sure : `${sure} to ${edits.length}`} (${Object.keys(fields).length} fields are shown)`
  }
}

export const formatContent = (content: Content): string => JSON.stringify(content)
