import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonValue } from '#contract/json-schema/json.ts'
import { columnOf } from './copied-column.ts'

const installation = {
  environmentKey: 'production',
  applicationRuntimeId: 'eu',
  workspaceId: 1,
  bundleInstallId: '01a2223e-8c07-778e-bce7-42f6cf01f4d7',
  bundle: { environmentKey: 'production', bundleId: 'crm' },
}
const cell = (value: JsonValue) =>
  columnOf([{ installation, value: { '@type': 'Data', value } }]).slice('production/eu/1\t'.length)

test('a text that a spreadsheet would run as a formula stays a text (C10)', () => {
  for (const text of ['=1+1', '+49 30', '-x', '@SUM(A1)', '＝1']) assert.equal(cell(text), `'${text}`)
  assert.equal(cell('=A1&"x"'), `"'=A1&""x"""`)
  assert.equal(cell('\t=1'), `"'\t=1"`)
  assert.equal(cell('a=1'), 'a=1')
  assert.equal(cell(-5), '-5')
  assert.equal(cell([-1]), '[-1]')
})

test('a text with a line break, a tab or a quotation mark is one cell', () => {
  assert.equal(cell('a\nb'), '"a\nb"')
  assert.equal(cell('a\tb'), '"a\tb"')
  assert.equal(cell('say "a"'), '"say ""a"""')
})

test('each scope is a line, and a hidden value is left out', () => {
  const hidden = { '@type': 'Data', isSensitive: true, isSet: true } as const
  const rows = [
    { installation, value: hidden },
    { installation: { ...installation, workspaceId: 2 }, value: null },
  ]
  assert.equal(columnOf(rows), 'production/eu/1\t\nproduction/eu/2\t')
})
