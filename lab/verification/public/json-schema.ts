import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JsonValue } from '#contract/json-schema/json.ts'
import { checkSchema, checkValue } from '#contract/json-schema/json-schema.ts'
import { AuthorManifest, checkManifest } from '#contract/protocol/manifest.ts'
import type { Violation } from '../suite.ts'
import { judge, type Case, type PartReport } from './comparison.ts'
import { JSON_SCHEMA_EXPLANATIONS } from './json-schema-explanations.ts'

interface Group {
  description: string
  schema: JsonValue
  tests: { description: string; data: JsonValue; valid: boolean }[]
}

/** The official suite of draft 2020-12 against what judges schemas when a manifest is published, and values when they are saved. */
export function compareJsonSchema(data: string): PartReport {
  const folder = join(data, 'json-schema-test-suite', 'tests', 'draft2020-12')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.json'),
  )
  const cases: Case[] = []
  const violations: Violation[] = []
  for (const file of files.toSorted()) {
    // the suite's own format
    const groups = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Group[]
    for (const [index, { description, schema, tests }] of groups.entries()) {
      const [problem] = checkSchema(schema)
      if (isPublishable(schema) !== (problem === undefined))
        violations.push({
          promise: 'JSON Schema',
          seen: `${file} ${index} (${description}): publishing and the check of the schema disagree`,
        })
      for (const [number, test] of tests.entries()) {
        const isRight = (checkValue(schema, test.data).length === 0) === test.valid
        const wrong = isRight ? null : `says ${test.valid ? 'invalid' : 'valid'}`
        cases.push({
          file,
          id: `${index}/${number}`,
          name: `${description}: ${test.description}`,
          difference: problem === undefined ? wrong : `refused: ${problem.keyword}`,
        })
      }
    }
  }
  const report = judge('JSON Schema', cases, JSON_SCHEMA_EXPLANATIONS)
  return { ...report, violations: [...report.violations, ...violations] }
}

/** Whether a manifest with a property of this schema can be published. */
function isPublishable(schema: JsonValue): boolean {
  const { data } = AuthorManifest.safeParse({
    bundle: { environmentKey: 'dev', bundleId: 'suite' },
    version: '1.0.0',
    title: 'A schema of a public suite',
    resources: [
      {
        kind: 'MODULE',
        name: 'main',
        title: 'Main',
        moduleId: 'suite-main',
        properties: { value: { kind: 'DATA', schema } },
      },
    ],
    plugins: [],
  })
  return data !== undefined && checkManifest(data).length === 0
}
