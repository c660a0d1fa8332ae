import { readFile, writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import * as z from 'zod'
import { StrictJsonError } from '#contract/protocol/json-text-problem.ts'
import { parseStrictJson } from '#contract/protocol/strict-json.ts'
import { runProgram } from '#http-kit/program.ts'
import type { Program } from '#http-kit/program.ts'
import { explainFailedWrite, SettingsError } from '#http-kit/settings.ts'
import { makeActorKey, parseActorKey } from '../runtime/actor-assertion.ts'

const USAGE = 'npm run keys:assertion -- --out FILE [--public FILE]'

const KeySet = z.object({ keys: z.array(z.looseObject({ kid: z.string() })) })

/** Creates the key with which consoles sign who they act for, and prints or collects its public part. */
async function main({ end }: Program): Promise<void> {
  const { out, publicFile } = readArguments()
  const text = await makeActorKey()
  const { publicJwk, kid } = await parseActorKey(text, out)
  // read first, so that a public file that cannot be used leaves no key behind
  const keySet = publicFile === undefined ? { keys: [] } : await readKeySet(publicFile)
  // never overwritten, because consoles may sign with it
  await writeFile(out, text, { mode: 0o600, flag: 'wx' }).catch(explainFailedWrite(out))
  console.log(`${out} is the new key ${kid}. Name it in ACTOR_ASSERTION_KEY_FILE of every console.`)
  const published = `${JSON.stringify({ keys: [...keySet.keys, publicJwk] })}\n`
  if (publicFile === undefined) console.log(`Its public key set for ACTOR_ASSERTION_JWKS:\n${published}`)
  else {
    await writeFile(publicFile, published).catch(explainFailedWrite(publicFile))
    console.log(`${publicFile} contains its public key. Name it in ACTOR_ASSERTION_JWKS of every runtime.`)
  }
  end(0)
}

function readArguments(): { out: string; publicFile: string | undefined } {
  try {
    const { values } = parseArgs({ options: { out: { type: 'string' }, public: { type: 'string' } } })
    if (values.out !== undefined) return { out: values.out, publicFile: values.public }
  } catch (error) {
    throw new SettingsError(`${error instanceof Error ? error.message : String(error)}. Usage: ${USAGE}`)
  }
  throw new SettingsError(`The file of the new key is missing. Usage: ${USAGE}`)
}

/** The keys that are already in the file: during a change, consoles sign with the old key or the new one. */
async function readKeySet(file: string): Promise<z.output<typeof KeySet>> {
  let text
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { keys: [] }
    throw new SettingsError(`--public is wrong: ${file} cannot be read`)
  }
  const parsed = KeySet.safeParse(parseJson(text, file))
  if (!parsed.success) throw new SettingsError(`--public is wrong: ${file} is not a key set`)
  return parsed.data
}

function parseJson(text: string, file: string): unknown {
  try {
    return parseStrictJson(text)
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error
    throw new SettingsError(`--public is wrong: ${file} is not a key set: ${error.messageWithoutPath}`)
  }
}

await runProgram(main)
