import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ConsoleFailure } from '#bff/failure.ts'
import { deepEqual, RESERVED_NAMES } from '#contract/json-schema/json.ts'
import type { JsonObject, JsonValue } from '#contract/json-schema/json.ts'
import { platform } from '../../../demo/people.ts'
import type { Violation } from '../suite.ts'
import { judge, type Case, type Explanation, type PartReport } from './comparison.ts'
import { CORE, configurationPath, type Properties, type World } from './world.ts'

const PROMISE = 'naughty strings'
const VERSION = '2.0.0'
/** In the quick form, one of so many strings is tried as a reason and as a title of a plugin. */
const STRIDE = 5
const PLUGIN = 'naughty'

const EXPLANATIONS: readonly Explanation[] = [
  {
    difference: 'is trimmed',
    why: 'white space around a name or a reason is not meant',
    cases: { title: '170 175 202', reason: '170 175 202' },
  },
  {
    difference: 'is refused',
    why: 'a title is at most 200 characters long',
    cases: { title: '113 178 180 407 505' },
  },
  {
    difference: 'is refused',
    why: 'neither is blank, nor has control characters or characters that reverse text',
    cases: {
      title: '0 93 94 95 96 97 171 172 173 174 176 177 434 506 507 508',
      reason: '0 93 94 95 96 97 171 172 173 174 176 177 434 506 507 508',
    },
  },
]

/**
 * The big list of naughty strings as values, items and keys: from the API to the plugin, the console, the snapshot, its history and back.
 * As titles in a manifest. And as reasons and titles of a plugin, where some are refused in words and others lose the white space
 * around them.
 */
export async function compareNaughtyStrings(
  world: World,
  data: string,
  { isFull }: { isFull: boolean },
): Promise<PartReport> {
  // the list's own format
  const strings = JSON.parse(readFileSync(join(data, 'naughty-strings', 'blns.json'), 'utf8')) as string[]
  const asValues = await compareValues(world, strings)
  const tried = [...strings.entries()].filter(([index]) => isFull || index % STRIDE === 0)
  const cases: Case[] = []
  for (const [index, text] of tried) cases.push(...(await compareTexts(world, index, text)))
  const asTexts = judge('naughty reasons and titles', cases, EXPLANATIONS, !isFull)
  return {
    line: `${asValues.line}; ${asTexts.line}`,
    cases: asValues.cases + asTexts.cases,
    violations: [...asValues.violations, ...asTexts.violations],
  }
}

async function compareValues(world: World, strings: readonly string[]): Promise<PartReport> {
  const violations: Violation[] = []
  const values: JsonObject = Object.fromEntries(strings.map((text, index) => [`value${index}`, text]))
  values['items'] = [...strings]
  values['keys'] = Object.fromEntries(
    strings.filter((text) => !RESERVED_NAMES.includes(text)).map((text) => [text, text]),
  )
  const properties: Properties = Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const text = typeof value === 'string' ? value : name
      return [
        name,
        {
          kind: 'DATA',
          schema: { title: text, description: text, default: value, examples: [value] } satisfies JsonObject,
        },
      ]
    }),
  )
  const scope = await world.install(VERSION, { core: properties }, values)
  const check = (place: string, found: Readonly<Record<string, JsonValue | undefined>>): void => {
    for (const [name, value] of Object.entries(values))
      if (!deepEqual(found[name], value))
        violations.push({
          promise: PROMISE,
          seen: `${JSON.stringify(value).slice(0, 200)} is ${JSON.stringify(found[name])?.slice(0, 200)} ${place}`,
        })
  }
  check('at the plugin', world.valuesAtPlugin(scope))
  const published = await world.readBundle(VERSION)
  for (const { properties: definitions } of published.resources)
    for (const [name, { schema }] of Object.entries(definitions))
      if (!deepEqual(schema, properties[name]?.schema))
        violations.push({
          promise: PROMISE,
          seen: `the schema of ${name} was changed: ${JSON.stringify(schema)}`,
        })

  const path = configurationPath(scope)
  const { snapshotVersion } = await world.configuration(scope)
  for (const [place, at] of [
    ['in the console', path],
    ['in the snapshot', `${path}/snapshots/${snapshotVersion}`],
  ] as const) {
    check(place, await world.valuesInConsole(scope, at))
  }
  const { json } = await world.send('GET', path)
  // the answer of the console to a read, sent back as it is
  const { resources } = json as unknown as { resources: Record<string, { properties: JsonObject }> }
  const unchanged = {
    snapshotVersion,
    resources: { [CORE]: { properties: resources[CORE]?.properties ?? {} } },
  }
  const put = await world.send('PUT', path, JSON.stringify(unchanged))
  if (put.status !== 200 || !deepEqual(put.json, { snapshotVersion, operations: [] }))
    violations.push({
      promise: PROMISE,
      seen: `the unchanged configuration is answered with ${put.status} ${JSON.stringify(put.json).slice(0, 200)}`,
    })
  const count = strings.length
  return { line: `${PROMISE}: ${count} as value, item, key and title`, cases: count * 4, violations }
}

async function compareTexts(world: World, index: number, text: string): Promise<Case[]> {
  const register = async (title: string, reason: string): Promise<string | null> => {
    try {
      await world.system.call(
        platform,
        'PUT /plugins/{pluginId}',
        {
          params: { pluginId: PLUGIN },
          body: { title, endpoint: 'http://127.0.0.1:9/', enabled: false, reason },
        },
        crypto.randomUUID(),
      )
      return null
    } catch (error) {
      if (error instanceof ConsoleFailure && error.code === 'REQUEST_INVALID') return 'is refused'
      throw error
    }
  }
  const about = { id: String(index), name: JSON.stringify(text).slice(0, 80) }
  const difference = (found: string | null | undefined): string | null => {
    if (found === text) return null
    return found === text.trim() ? 'is trimmed' : `is ${JSON.stringify(found)}`
  }
  const asTitle = await register(text, 'a reason')
  const titled =
    asTitle ??
    difference(
      (await world.system.call(platform, 'GET /plugins/{pluginId}', { params: { pluginId: PLUGIN } })).title,
    )
  const asReason = await register('a title', text)
  const reasoned =
    asReason ??
    difference((await world.system.call(platform, 'GET /audit', { query: { limit: 1 } })).items[0]?.reason)
  return [
    { ...about, file: 'title', difference: titled },
    { ...about, file: 'reason', difference: reasoned },
  ]
}
