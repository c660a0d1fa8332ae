import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { deepEqual } from '#contract/json-schema/json.ts'
import type { JsonValue } from '#contract/json-schema/json.ts'
import { readYaml } from '#web/subjects/configuration-files/yaml.ts'
import { judge, type Case, type Explanation, type PartReport } from './comparison.ts'

interface Written {
  name?: string
  yaml?: string
  /** Several texts for several documents; null or absent if the suite gives none. */
  json?: string | null
  fail?: boolean
  skip?: boolean
}

const FOLDER = 'src'

const EXPLANATIONS: readonly Explanation[] = [
  {
    difference: 'is refused',
    why: 'an alias: a short text of them can stand for a huge one',
    cases: { [FOLDER]: '26DV 2SXE 3GZX 6KGN 7BUB C4HZ CUP7 E76Z HMQ5 JS2J LE5A UGM3 V55R W5VH' },
  },
  {
    difference: 'is refused',
    why: 'several documents: a file has one configuration',
    cases: {
      [FOLDER]: '35KP 5TYM 6WLZ 6XDY 6ZKB 7Z25 9DXL 9KAX 9WXW JHB9 KSS4 L383 M7A3 PUW8 RZT7 U9NS UT92 W4TN',
    },
  },
  {
    difference: 'is refused',
    why: 'an empty file has no configuration',
    cases: { [FOLDER]: '8G76 98YD AVM7' },
  },
  {
    difference: 'has several documents or none, and is accepted',
    why: 'an empty document is read as null, which is no configuration',
    cases: { [FOLDER]: 'HWV9 QT73' },
  },
  {
    difference: 'is refused',
    why: 'a tag of a type that JSON does not have, or of none',
    cases: { [FOLDER]: '2XXW 52DL 565N 6CK3 7FWL 8MK2 CC74 J7PZ M5C3 P76L S4JQ Z67P Z9M4' },
  },
  {
    difference: 'is refused',
    why: 'another version of YAML: readers of YAML 1.1 read the same text differently',
    cases: { [FOLDER]: 'BEC7 MUS6/2 MUS6/3 MUS6/4' },
  },
  {
    difference: 'is accepted',
    why: 'two equal directives for the version, of which neither changes a value',
    cases: { [FOLDER]: 'SF5V' },
  },
]

/** yaml-test-suite against the reader of files that are imported into the console. */
export function compareYaml(data: string): PartReport {
  const folder = join(data, 'yaml-test-suite', FOLDER)
  const cases = readdirSync(folder)
    .filter((name) => name.endsWith('.yaml'))
    .toSorted()
    .flatMap((file) => {
      // the suite's own format: except for `fail`, a case has the fields of the one before unless it gives its own
      const written = parse(readFileSync(join(folder, file), 'utf8')) as Written[]
      let last: Written = {}
      return written.flatMap((one, index): Case[] => {
        last = { ...last, ...one }
        const { name = file, yaml = '', json = null, skip = false } = last
        const isError = one.fail === true
        if (skip || (json === null && !isError)) return []
        const difference = differenceOf(asMeant(yaml), isError ? null : json)
        return [{ file: FOLDER, id: `${file.replace('.yaml', '')}/${index}`, name, difference }]
      })
    })
  return judge('YAML', cases, EXPLANATIONS)
}

/** `json` is what the text means, as JSON texts one after another; null if it is not YAML. */
function differenceOf(yaml: string, json: string | null): string | null {
  const { value, error } = readYaml(yaml)
  if (json === null) return error !== null ? null : 'is accepted'
  if (error !== null) return 'is refused'
  let expected: JsonValue
  try {
    expected = JSON.parse(json) as JsonValue
  } catch {
    return 'has several documents or none, and is accepted'
  }
  return deepEqual(value, expected) ? null : 'means another value'
}

/** The suite writes what a reader of its files would not see with other characters. */
const asMeant = (yaml: string): string =>
  yaml
    .replaceAll('␣', ' ')
    .replaceAll(/—*»/g, '\t')
    .replaceAll('⇔', '\u{feff}')
    .replaceAll('←', '\r')
    .replaceAll('↵', '')
    .replace(/∎\n$/, '')
