import type { PropertyRow } from '#contract/console-api/shapes.ts'
import { scopeText } from '../../subjects/scopes/scope-text.ts'
import { plainIn } from '../../ui/value/plain-value.ts'

/** The values as a column of a spreadsheet: a line for each scope, hidden values left out. */
export function columnOf(rows: readonly Pick<PropertyRow, 'installation' | 'value'>[]): string {
  return rows
    .map(({ installation, value }) => {
      const plain = plainIn(value)
      return `${cellOf(scopeText(installation))}\t${plain === undefined ? '' : cellOf(plain)}`
    })
    .join('\n')
}

/** Spreadsheets read a text that begins like this as a formula, some also one with the wide forms of the signs. */
const FORMULA = /^[=+\-@\t\r＝＋－＠]/

function cellOf(value: unknown): string {
  // what is not a text (a negative number, a list) is not a formula
  if (typeof value !== 'string') return quoted(JSON.stringify(value))
  // they read a text with an apostrophe as a text, and hide the apostrophe
  return quoted(FORMULA.test(value) ? `'${value}` : value)
}

/** A cell with a tab or a line break would move the others. */
const quoted = (text: string): string => (/[\t\r\n"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
