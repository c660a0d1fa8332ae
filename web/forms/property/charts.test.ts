import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { isJsonObject } from '#contract/json-schema/json.ts'
import type { JsonObject } from '#contract/json-schema/json.ts'
import { controlKind, schemaOf } from './control-kind.ts'
import { membersOf } from './schema-parts.ts'

/** Published charts, which are not part of this repository; see docs/reliability.md. */
const charts = path.join(
  process.env['PUBLIC_SUITES'] ?? path.resolve(import.meta.dirname, '../../../../shared/suites'),
  'charts',
)
const skip = existsSync(charts) ? false : `there are no charts at ${charts}`

test('almost all settings of published charts have a control', { skip }, () => {
  const files = globSync('**/values.schema.json', { cwd: charts }).toSorted()
  assert.ok(files.length >= 6, 'the six charts')
  const settings = files.flatMap((file) => settingsOf(file))
  const raw = settings.filter(({ schema }) => controlKind({ kind: 'DATA', schema }, 'MODULE') === 'json')
  console.log(
    `${raw.length} of ${settings.length} settings are JSON: ${raw.map(({ name }) => name).join(', ')}`,
  )
  assert.ok(settings.length >= 164)
  assert.ok(raw.length <= 15, `${raw.length} settings have no control`)
})

/** Each setting of a chart by itself, with the definitions of the chart beside it. */
function settingsOf(file: string): { name: string; schema: JsonObject }[] {
  const whole: unknown = JSON.parse(readFileSync(path.join(charts, file), 'utf8'))
  assert.ok(isJsonObject(whole))
  const members = membersOf(schemaOf({ kind: 'DATA', schema: whole })) ?? []
  return members.map(({ name, schema }) => ({ name: `${path.dirname(file)} ${name}`, schema }))
}
