import type { Suite, SuiteOptions, SuiteReport } from '../suite.ts'
import { compareCanonicalJson } from './canonical-json.ts'
import type { PartReport } from './comparison.ts'
import { compareJsonOverHttp } from './json-over-http.ts'
import { compareJsonSchema } from './json-schema.ts'
import { compareJsonText } from './json-text.ts'
import { compareNaughtyStrings } from './naughty-strings.ts'
import { compareSignatures } from './signatures.ts'
import { findData } from './sources.ts'
import { compareUrls } from './urls.ts'
import { compareVersionOrder } from './version-order.ts'
import { World } from './world.ts'
import { compareYaml } from './yaml.ts'

/** Needs the built console in `dist/web`. */
export const PUBLIC: Suite = {
  name: 'public',
  title:
    'public suites of JSON Schema, JSON, YAML, Ed25519, RFC 8785, URLs and naughty strings; version order',
  run: runPublic,
}

/** Our code against suites that others wrote. Each answer is the suite's, or is explained in a table that must stay true. */
async function runPublic({ size, databaseUrl }: SuiteOptions): Promise<SuiteReport> {
  const versions = compareVersionOrder()
  const parts: PartReport[] = [versions]
  const data = findData()
  if (data !== null) {
    parts.push(
      compareJsonSchema(data),
      compareJsonText(data),
      compareYaml(data),
      await compareSignatures(data),
      compareCanonicalJson(data),
      compareUrls(data),
    )
    const world = await World.start(databaseUrl)
    try {
      const options = { databaseUrl, isFull: size === 'full' }
      parts.push(await compareJsonOverHttp(world, data, options))
      parts.push(await compareNaughtyStrings(world, data, options))
    } finally {
      await world.stop()
    }
  }
  const violations = parts.flatMap((part) => part.violations)
  return {
    lines: parts.map(({ line }) => line),
    trials: {
      'pairs of versions': versions.cases,
      'cases of public suites': parts.reduce((sum, { cases }) => sum + cases, -versions.cases),
    },
    violations,
    ...(data === null &&
      violations.length === 0 && {
        skipped:
          'the data is neither in ../shared/suites nor in PUBLIC_SUITES, and was not fetched with --fetch; only the order of versions was compared',
      }),
  }
}
