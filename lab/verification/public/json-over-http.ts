import { createLog } from '#http-kit/log.ts'
import { readStrictJson } from '#http-kit/text/strict-json.ts'
import { deepEqual } from '#contract/json-schema/json.ts'
import { CREDENTIAL, testHttp } from '#runtime/testing/http.ts'
import type { Violation } from '../suite.ts'
import type { PartReport } from './comparison.ts'
import { isReadable, jsonFilesIn, type JsonFile } from './json-text.ts'
import { configurationPath, CORE, type World } from './world.ts'

const PROMISE = 'JSON over HTTP'
/** In the quick form, one of so many files. */
const STRIDE = 6
const VERSION = '1.0.0'

/**
 * JSONTestSuite as requests: each text as a whole body at runtime and console, and as a value in a body. Texts that are no JSON are
 * refused with 400; values that are arrive at the plugin, all in one save.
 */
export async function compareJsonOverHttp(
  world: World,
  data: string,
  { databaseUrl, isFull }: { databaseUrl: string; isFull: boolean },
): Promise<PartReport> {
  const files = jsonFilesIn(data).filter((_, index) => isFull || index % STRIDE === 0)
  const violations: Violation[] = []
  const refuse = (file: JsonFile, seen: string): void => {
    violations.push({ promise: PROMISE, seen: `${file.name} ${seen}` })
  }
  const readable = files.filter(({ bytes }) => isReadable(bytes))
  const names = new Map(readable.map((file, index) => [file, `value${index}`]))
  const properties = Object.fromEntries(
    [...names.values()].map((name) => [name, { kind: 'DATA', schema: true } as const]),
  )
  const scope = await world.install(VERSION, { core: properties })
  const path = configurationPath(scope)
  const { snapshotVersion } = await world.configuration(scope)
  const patch = (values: [string, Buffer][]): Buffer =>
    Buffer.concat([
      Buffer.from(`{"snapshotVersion":${snapshotVersion},"changes":{"${CORE}":{`),
      ...values.flatMap(([name, text], index) => [
        Buffer.from(`${index === 0 ? '' : ','}"${name}":{"@type":"Data","value":`),
        text,
        Buffer.from('}'),
      ]),
      Buffer.from('}}}'),
    ])
  const http = await testHttp({ log: createLog({ name: 'public', level: 'silent' }) }, databaseUrl)
  let requests = 0
  try {
    for (const file of files) {
      const whole = await world.send('PATCH', path, file.bytes)
      // valid JSON, and still no save
      if (whole.status !== 400 && whole.status !== 422)
        refuse(file, `as a body: the console answers ${whole.status}`)
      const response = await http.send(`/bundle-runtime/api${path}`, {
        method: 'PATCH',
        headers: {
          authorization: `Bearer ${CREDENTIAL}`,
          'x-runtime-actor-assertion': await http.assertion(),
          'idempotency-key': `public-${requests}`,
          'content-type': 'application/json',
        },
        body: new Uint8Array(file.bytes),
      })
      const refused = await response.text()
      if (response.status >= 500) refuse(file, `as a body: the runtime answers ${response.status}`)
      else if (!/"(?:code|errorCode)":"(?!0")/.test(refused))
        refuse(file, 'as a body: the runtime accepts it')
      requests += 2
      if (names.has(file)) continue
      const { status } = await world.send('PATCH', path, patch([['value0', file.bytes]]))
      requests++
      if (status !== 400) refuse(file, `as a value: the console answers ${status}`)
    }
  } finally {
    await http.close()
  }
  const save = await world.send('PATCH', path, patch([...names].map(([file, name]) => [name, file.bytes])))
  if (save.status !== 200)
    throw new Error(`The save of all values is answered with ${save.status}: ${JSON.stringify(save.json)}`)
  // the answer of a save
  const { operations } = save.json as unknown as { operations: { operationId: string }[] }
  for (const { operationId } of operations) await world.system.ended(operationId)
  const atPlugin = world.valuesAtPlugin(scope)
  const atConsole = await world.valuesInConsole(scope)
  for (const [file, name] of names) {
    const value = readStrictJson(file.bytes)
    if (!deepEqual(atPlugin[name], value)) refuse(file, `is ${JSON.stringify(atPlugin[name])} at the plugin`)
    if (!deepEqual(atConsole[name], value))
      refuse(file, `is ${JSON.stringify(atConsole[name])} at the console`)
  }
  return {
    line: `${PROMISE}: ${requests} requests with ${files.length} texts as bodies and as values, ${names.size} values at the plugin`,
    cases: requests + names.size,
    violations,
  }
}
