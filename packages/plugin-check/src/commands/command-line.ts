import { randomInt } from 'node:crypto'
import { accessSync, constants, existsSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { CASES } from '../cases/all-cases.ts'
import type { Case } from '../cases/case.ts'
import { readProfile, UsageError } from '../profile.ts'
import { profileOfManifest } from '../profile-of-manifest.ts'
import { createStarterProfile } from '../starter-profile.ts'
import { toBadge, toJson, toJunit, toTable } from '../report/formats.ts'
import { toHtml } from '../report/html.ts'
import { printable, printableLines } from '../../../../contract/protocol/foreign-text.ts'
import type { Report } from '../report/report.ts'
import { AFTER_EVERY_CASE } from '../run/run-cases.ts'
import { readReceipt } from '../receipt/read-receipt.ts'
import { replayReceipt, type ReplayResult } from '../receipt/replay-receipt.ts'
import { readSingleCall, sendSingleCall } from './call.ts'
import { check, withBench, type BenchOptions, type CheckOptions } from './check.ts'
import { progressOf } from './progress.ts'
import { loadKeys } from './stored-keys.ts'
import { readFailures, removeFailure, storeFailures } from './failures.ts'
import {
  completeValues,
  idOf,
  keepReceipt,
  readKept,
  readValues,
  settingFor,
  type Ask,
  type KeptReceipt,
} from './receipts.ts'

export interface Terminal {
  print(text: string): void
  printError(text: string): void
  ask: Ask
}

const USAGE = `plugin-check init                        create a profile to start from
plugin-check init --manifest FILE        create one for a plugin of a bundle, with sample values
plugin-check call --url URL --operation TYPE [options]   send one call, and print the judged response
plugin-check dev --url URL [options]     run the real system for one plugin, with faults on demand
plugin-check run --url URL [options]     test a plugin
plugin-check replay --url URL [options]  run the stored failures again: FIXED or STILL FAILS
plugin-check replay RECEIPT --url URL    send the failed call of a receipt from the console
plugin-check replay FOLDER --url URL     send those of all receipts in a folder: a regression suite
plugin-check list                        list the cases
plugin-check explain CASE                explain one case

  --url URL              endpoint of the plugin
  --profile FILE         what the checker must know about the plugin (plugin-check.json)
  --platform-port N      port of the checker's platform, to which the plugin is pointed (8099)
  --case ID              run only this case or group; can be repeated
  --seed N               repeat a run
  --ids N                repeat a run with the same ids; needs a plugin without memory of them
  --json FILE  --junit FILE  --html FILE  --badge FILE   write reports
  --docs-url URL         where the pages of the cases are, for links of the reports
  --values FILE          values for what a receipt masks, by JSON pointer; otherwise they are asked for
                         with call: properties, changed or invalid of the profile, or values by locator and property
  --platform-keys FILE   refuse a receipt that none of these public keys has signed (GET /platform-keys)
  --manifest FILE  --next FILE  --plugin ID   the bundle of init, its next version, and which of its plugins
  --operation TYPE  --stage STAGE             what call sends (stage: BEFORE_RESOURCES)
  --install ID  --operation-id ID  --sequence N   an installation, operation and sequence that call sends again
  --store FOLDER         where failed cases and the keys of the platform are stored (.plugin-check)

Exit code: 0 passed, 1 a MUST failed or could not be tested, 2 the plugin or the profile cannot be used.`

/** Runs one command and returns the exit code. */
export async function runCommand(args: readonly string[], given: Terminal): Promise<number> {
  // receipts, manifests and plugins come from others, and so do names in file names and messages
  const terminal: Terminal = {
    print: (text) => given.print(printableLines(text)),
    printError: (text) => given.printError(printableLines(text)),
    ask: (question) => given.ask(printable(question)),
  }
  try {
    return await dispatch(args, terminal)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    terminal.printError(error.message)
    return 2
  }
}

function dispatch(args: readonly string[], terminal: Terminal): Promise<number> | number {
  const [command, ...rest] = args
  if (rest.includes('--help') || rest.includes('-h')) {
    terminal.print(USAGE)
    return 0
  }
  switch (command) {
    case 'run':
      return run(readOptions(rest), terminal)
    case 'replay': {
      const [receipt] = rest
      if (receipt === undefined || receipt.startsWith('-')) return replay(readOptions(rest), terminal)
      const options = readOptions(rest.slice(1))
      return isFolder(receipt)
        ? replayFolder(receipt, options, terminal)
        : replayFile(receipt, options, terminal)
    }
    case 'init':
      return init(readOptions(rest), terminal)
    case 'call':
      return call(readOptions(rest), terminal)
    case 'list':
      for (const { id, level, title } of CASES) terminal.print(`${id}  ${level}  ${title}`)
      return 0
    case 'explain':
      return explain(rest[0] ?? '', terminal)
    case undefined:
    case 'help':
    case '--help':
      terminal.print(USAGE)
      return command === undefined ? 2 : 0
    default:
      throw new UsageError(`There is no command ${command}. See plugin-check help.`)
  }
}

type Options = ReturnType<typeof readOptions>

function init({ profile, manifest, next, plugin }: Options, terminal: Terminal): number {
  if (manifest === undefined && (next !== undefined || plugin !== undefined))
    throw new UsageError('--next and --plugin need --manifest.')
  const content =
    manifest === undefined ? undefined : profileOfManifest(manifest, next ?? null, plugin ?? null)
  if (!createStarterProfile(profile, content))
    throw new UsageError(`${profile} exists, and was not changed. Name another file with --profile.`)
  terminal.print(`Created ${profile}. Change its values to those of your plugin; see docs/plugin-check.md.`)
  const untested = CASES.filter(({ needs }) => needs.includes('start') || needs.includes('state'))
  terminal.print(
    `Add start and state, which only you know: without them, ${untested.length} of ${CASES.length} cases are not tested.`,
  )
  return 0
}

function readOptions(args: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        url: { type: 'string' },
        profile: { type: 'string', default: 'plugin-check.json' },
        'platform-port': { type: 'string', default: '8099' },
        case: { type: 'string', multiple: true },
        seed: { type: 'string' },
        ids: { type: 'string' },
        json: { type: 'string' },
        junit: { type: 'string' },
        html: { type: 'string' },
        badge: { type: 'string' },
        'docs-url': { type: 'string' },
        values: { type: 'string' },
        'platform-keys': { type: 'string' },
        manifest: { type: 'string' },
        next: { type: 'string' },
        plugin: { type: 'string' },
        operation: { type: 'string' },
        stage: { type: 'string' },
        install: { type: 'string' },
        'operation-id': { type: 'string' },
        sequence: { type: 'string' },
        store: { type: 'string', default: '.plugin-check' },
      },
    })
    return values
  } catch (error) {
    throw new UsageError(`${describeMistake(error)} See plugin-check help.`)
  }
}

/** What `parseArgs` says, in one sentence and without its advice, which is not about plugin-check. */
function describeMistake(error: unknown): string {
  const [first = ''] = (error instanceof Error ? error.message : String(error)).split(/\.\s/)
  const [, argument] = /^Unexpected argument '(.*)'$/.exec(first) ?? []
  return argument === undefined
    ? `${first.replace(/\.$/, '')}.`
    : `${argument} is at the wrong place: only replay takes a file, directly after its name, as in plugin-check replay RECEIPT --url URL.`
}

function toNumber(name: string, text: string | undefined, max: number): number | undefined {
  if (text === undefined) return undefined
  const value = Number(text)
  if (!Number.isSafeInteger(value) || value < 0 || value > max || text.trim() === '')
    throw new UsageError(`--${name} must be a whole number from 0 to ${max}.`)
  return value
}

function benchOptions(options: Options): Omit<BenchOptions, 'profile'> {
  if (options.url === undefined) throw new UsageError('--url is missing. Give the endpoint of the plugin.')
  const ids = toNumber('ids', options.ids, 2 ** 47)
  return {
    url: options.url,
    keys: loadKeys(options.store),
    platformPort: toNumber('platform-port', options['platform-port'], 65_535) ?? 0,
    ...(ids !== undefined && { ids }),
  }
}

const checkOptions = (options: Options): Omit<CheckOptions, 'cases'> => ({
  ...benchOptions(options),
  profile: readProfile(options.profile),
  seed: toNumber('seed', options.seed, 2 ** 31) ?? randomInt(2 ** 31),
})

function chosenCases(names: readonly string[] | undefined): readonly Case[] {
  if (names === undefined) return CASES
  const isChosen = ({ id }: Case): boolean =>
    id === AFTER_EVERY_CASE || names.some((name) => id === name || id.startsWith(`${name}.`))
  const unknown = names.find((name) => !CASES.some(({ id }) => id === name || id.startsWith(`${name}.`)))
  if (unknown !== undefined) throw new UsageError(`There is no case ${unknown}. See plugin-check list.`)
  return CASES.filter(isChosen)
}

async function call(options: Options, terminal: Terminal): Promise<number> {
  const single = readSingleCall({
    ...options,
    sequence: toNumber('sequence', options.sequence, Number.MAX_SAFE_INTEGER),
  })
  const profile = readProfile(options.profile)
  return withBench({ ...benchOptions(options), profile }, (bench) =>
    sendSingleCall(bench, single, (line) => terminal.print(line)),
  )
}

async function run(options: Options, terminal: Terminal): Promise<number> {
  const docsUrl = options['docs-url']
  if (docsUrl !== undefined && !/^https?:\/\/./.test(docsUrl))
    throw new UsageError('--docs-url must be an http or https address.')
  const cases = chosenCases(options.case)
  // creates the store, in which a report may be
  const checking = checkOptions(options)
  requireWritable([options.json, options.junit, options.html, options.badge])
  const onResult = progressOf(cases, checking.profile, { print: (line) => terminal.printError(line) })
  const report = await check({ ...checking, cases, onResult, ...(docsUrl !== undefined && { docsUrl }) })
  storeFailures(options.store, report)
  terminal.print(toTable(report))
  if (report.totals.FAILED > 0)
    terminal.print(
      `Failed cases are stored in ${options.store}: run plugin-check replay when they are fixed.`,
    )
  // last: a report that cannot be written must not cost the results of the run
  writeReports(options, report)
  return report.passed ? 0 : 1
}

/** Finds a wrong path before a run of minutes; only writing shows the others. */
function requireWritable(files: readonly (string | undefined)[]): void {
  for (const file of files) {
    if (file === undefined) continue
    try {
      accessSync(existsSync(file) ? file : dirname(file), constants.W_OK)
    } catch {
      throw cannotWrite([file])
    }
  }
}

function writeReports(options: Options, report: Report): void {
  const files = [
    [options.json, toJson(report)],
    [options.junit, toJunit(report)],
    [options.html, toHtml(report)],
    [options.badge, toBadge(report)],
  ] as const
  const unwritten = files.flatMap(([file, text]) =>
    file === undefined || writeReport(file, text) ? [] : [file],
  )
  if (unwritten.length > 0) throw cannotWrite(unwritten)
}

/** False if the file cannot be written. */
function writeReport(file: string, text: string): boolean {
  try {
    writeFileSync(file, text)
    return true
  } catch {
    return false
  }
}

const cannotWrite = (files: readonly string[]): UsageError =>
  new UsageError(`The report ${files.join(', ')} cannot be written. Check that its folder exists.`)

async function replay(options: Options, terminal: Terminal): Promise<number> {
  const failures = readFailures(options.store)
  const receipts = readKept(options.store)
  if (failures.length === 0 && receipts.length === 0) {
    terminal.print(`There are no stored failures in ${options.store}.`)
    return 0
  }
  let code = 0
  for (const kept of receipts) code = Math.max(code, await sendReceipt(kept, options, terminal))
  for (const { id, seed } of failures) {
    if (!CASES.some((one) => one.id === id)) {
      // nothing could ever fix it
      removeFailure(options.store, id)
      terminal.print(`${id} is no longer a case, and was removed from ${options.store}.`)
      continue
    }
    const cases = id === AFTER_EVERY_CASE ? CASES : CASES.filter((one) => one.id === id)
    const report = await check({ ...checkOptions(options), seed, cases })
    const found = report.cases.find((one) => one.id === id)
    const isFixed = found?.status === 'PASSED'
    if (isFixed) removeFailure(options.store, id)
    else code = Math.max(code, 1)
    terminal.print(verdictLine(isFixed ? 'FIXED' : 'STILL FAILS', id, found?.problem ?? ''))
  }
  return code
}

const verdictLine = (verdict: ReplayResult['verdict'], id: string, problem: string): string =>
  `${verdict.padEnd('STILL FAILS'.length)}  ${id}  ${problem}`.trimEnd()

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/** Sends the failed call of each receipt in a folder, as a regression suite: nothing is kept. */
async function replayFolder(folder: string, options: Options, terminal: Terminal): Promise<number> {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .toSorted()
  if (files.length === 0)
    throw new UsageError(
      `There are no receipts in ${folder}: export operations of the console as .json files into it.`,
    )
  const profile = existsSync(options.profile) ? readProfile(options.profile) : null
  let code = 0
  let fixed = 0
  for (const name of files) {
    const call = readReceipt(join(folder, name), profile?.pluginId ?? null, options['platform-keys'])
    const values = await completeValues(call, readValues(options.values, call), terminal.ask)
    const result = await sendReceipt({ id: name, call, values }, options, terminal)
    if (result === 0) fixed++
    code = Math.max(code, result)
  }
  terminal.print(`${fixed} of ${files.length} receipts are fixed`)
  return code
}

/** Sends the failed call of a receipt, and keeps it: every later `replay` sends it again. */
async function replayFile(file: string, options: Options, terminal: Terminal): Promise<number> {
  const profile = existsSync(options.profile) ? readProfile(options.profile) : null
  const call = readReceipt(file, profile?.pluginId ?? null, options['platform-keys'])
  const id = idOf(call)
  const before = readKept(options.store).find((kept) => kept.id === id)
  const known = { ...before?.values, ...readValues(options.values, call) }
  const kept = { id, call, values: await completeValues(call, known, terminal.ask) }
  keepReceipt(options.store, kept)
  return sendReceipt(kept, options, terminal)
}

/** Returns the exit code: 0 if the plugin now answers as it should, 2 if that could not be found out. */
async function sendReceipt(
  { id, call, values }: KeptReceipt,
  options: Options,
  terminal: Terminal,
): Promise<number> {
  const { profile, permitted } = settingFor(call, options.profile)
  // the SDK refuses a write that an authorization does not list, and without one checks nothing
  const hasAuthorization = Object.keys(call.request.resources).every((locator) =>
    Object.hasOwn(permitted, locator),
  )
  const result = await withBench({ ...benchOptions(options), profile, hasAuthorization }, (bench) =>
    replayReceipt(bench, call, { values, permitted }),
  )
  terminal.print(verdictLine(result.verdict, id, ''))
  terminal.print(`  in production: ${result.before}`)
  if (result.verdict === 'NOT REPLAYED') {
    terminal.print(`  ${result.reason}`)
    return 2
  }
  terminal.print(`  now:           ${result.now}`)
  if (result.differences === null)
    terminal.print('  The receipt does not contain the response, so there is nothing to compare.')
  for (const line of result.differences ?? []) terminal.print(`    ${line}`)
  return result.verdict === 'FIXED' ? 0 : 1
}

function explain(id: string, terminal: Terminal): number {
  const found = CASES.find((one) => one.id === id)
  if (found === undefined) throw new UsageError(`There is no case ${id}. See plugin-check list.`)
  terminal.print(
    [
      `${found.id} (${found.level})`,
      `${found.title}.`,
      `Fix: ${found.fix}`,
      `Rule: docs/protocol.md#${found.rule}`,
    ].join('\n'),
  )
  return 0
}
