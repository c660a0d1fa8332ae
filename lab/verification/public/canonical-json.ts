import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JsonValue } from '#contract/json-schema/json.ts'
import { canonicalText } from '#runtime/use-cases/plans/plan-token.ts'
import { digestOf } from '../../../packages/plugin-check/src/receipt/digest.ts'
import { judge, type Case, type PartReport } from './comparison.ts'

/** The vectors of RFC 8785 against the canonical form that the runtime digests, and the digest that `plugin-check` computes. */
export function compareCanonicalJson(data: string): PartReport {
  const folder = join(data, 'json-canonicalization', 'testdata')
  const cases = readdirSync(join(folder, 'input'))
    .toSorted()
    .flatMap((file): Case[] => {
      // our reader would refuse a number with more digits than it has in canonical form
      const value = JSON.parse(readFileSync(join(folder, 'input', file), 'utf8')) as JsonValue
      const expected = readFileSync(join(folder, 'output', file))
      const sha256 = createHash('sha256').update(expected).digest('hex')
      return [
        {
          file,
          id: 'text',
          name: 'canonical text',
          difference: Buffer.from(canonicalText(value)).equals(expected) ? null : 'other bytes',
        },
        {
          file,
          id: 'digest',
          name: 'digest of plugin-check',
          difference: digestOf(value) === sha256 ? null : 'another digest',
        },
      ]
    })
  return judge('RFC 8785', cases, [])
}
