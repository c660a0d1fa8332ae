import {
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { printableLines } from '../../../contract/protocol/foreign-text.ts'
import { describeManifestProblem, readManifest } from '../../../contract/protocol/manifest-text.ts'
import { manifestTypes } from './manifest-types.ts'

const USAGE = `Usage:
  plugin-sdk init [folder]          copies a plugin in JavaScript to start from into the folder
    --typescript                    in TypeScript, with a test and a workflow for GitHub that runs plugin-check
    --postgres                      in TypeScript, with its data in PostgreSQL instead of SQLite
  plugin-sdk check manifest.json    says what is wrong in the manifest of a bundle, by line and column
  plugin-sdk types manifest.json    prints the types of its properties, for a file such as manifest.d.ts

Exit code: 0 done, 1 the manifest is wrong or a file exists, 2 the command is not understood.`

export interface Output {
  print(text: string): void
  printError(text: string): void
}

/**
 * Runs one command of plugin-sdk and returns its exit code.
 *
 * @param templates the folder of the templates in the package
 */
export function runCommand(args: readonly string[], templates: string, given: Output): number {
  // a manifest may come from somebody else
  const output: Output = {
    print: (text) => given.print(printableLines(text)),
    printError: (text) => given.printError(printableLines(text)),
  }
  const [command, ...rest] = args
  const parsed = options(rest)
  if (parsed === null || parsed.values.help === true || parsed.positionals.length > 1)
    return usage(output, args)
  const { values, positionals } = parsed
  const [path] = positionals
  if (command === 'init') return init(path ?? '.', templates, templateOf(values), output)
  if (values.typescript === true || values.postgres === true) return usage(output, args)
  if (command === 'check') return check(path ?? 'manifest.json', output)
  if (command === 'types') return types(path ?? 'manifest.json', output)
  return usage(output, args)
}

function options(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        typescript: { type: 'boolean' },
        postgres: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    })
  } catch {
    return null
  }
}

function usage({ print, printError }: Output, args: readonly string[]): number {
  const isWanted = args.some((one) => one === 'help' || one === '--help' || one === '-h')
  if (isWanted) print(USAGE)
  else printError(USAGE)
  return isWanted ? 0 : 2
}

interface Template {
  /** In the folder of the templates. */
  folders: readonly string[]
  program: string
  /** Which commands install what it needs apart from the SDK. */
  installs: readonly string[]
}

const FOR_TYPES = 'npm install --save-dev typescript @types/node @bundle-console/plugin-check'

function templateOf({
  typescript,
  postgres,
}: {
  typescript?: boolean | undefined
  postgres?: boolean | undefined
}): Template {
  if (postgres === true)
    return {
      folders: ['bundle', 'typescript', 'postgres'],
      program: 'main.ts',
      installs: ['npm install pg', `${FOR_TYPES} @types/pg`],
    }
  return typescript === true
    ? { folders: ['bundle', 'typescript', 'sqlite'], program: 'main.ts', installs: [FOR_TYPES] }
    : { folders: ['bundle', 'javascript'], program: 'plugin.mjs', installs: [] }
}

/** The files of a template by their path in the new folder. */
function filesOf(templates: string, folders: readonly string[]): Map<string, string> {
  return new Map(
    folders.flatMap((folder) => {
      const from = join(templates, folder)
      return (
        readdirSync(from, { recursive: true, encoding: 'utf8' })
          .filter((name) => statSync(join(from, name)).isFile())
          // npm leaves folders that begin with a dot out of a package
          .map((name) => [name.replace(/^github/, '.github'), join(from, name)])
      )
    }),
  )
}

function init(
  folder: string,
  templates: string,
  { folders, program, installs }: Template,
  { print, printError }: Output,
): number {
  const files = filesOf(templates, folders)
  const target = resolve(folder)
  const names = [...files.keys()].toSorted()
  const existing = names.filter((name) => existsSync(join(target, name)))
  if (existing.length > 0) {
    printError(`Nothing was copied. Already in the folder: ${existing.join(', ')}. Choose another folder.`)
    return 1
  }
  mkdirSync(target, { recursive: true })
  for (const [name, from] of files) {
    mkdirSync(dirname(join(target, name)), { recursive: true })
    copyFileSync(from, join(target, name), constants.COPYFILE_EXCL)
  }
  const isTyped = folders.includes('typescript')
  if (isTyped) prepareForTypes(target)
  const isIgnored = existsSync(join(target, IGNORED))
  if (!isIgnored) writeFileSync(join(target, IGNORED), NOT_TO_COMMIT)
  const more = [...(isTyped ? [TYPES] : []), ...(isIgnored ? [] : [IGNORED])]
  print(`Created ${[...names, ...more].join(', ')}.`)
  if (installs.length > 0) print(`Install what it needs with: ${installs.join(' && ')}`)
  print(`Start the plugin with: node ${program}`)
  return 0
}

const TYPES = 'manifest.d.ts'

// not a file of the template: npm leaves it out of a package
const IGNORED = '.gitignore'
/** The store has sensitive values; the folders of the checker have keys and values of receipts. */
const NOT_TO_COMMIT = 'node_modules/\ndata/\n.plugin-check/\n.plugin-dev/\n'

/** TypeScript reads the files as ECMAScript modules, with the types of the manifest. */
function prepareForTypes(target: string): void {
  const file = join(target, 'package.json')
  const before = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as object) : { private: true }
  writeFileSync(file, `${JSON.stringify({ ...before, type: 'module' }, null, 2)}\n`)
  const { manifest } = readManifest(readFileSync(join(target, 'manifest.json'), 'utf8'))
  if (manifest !== null) writeFileSync(join(target, TYPES), manifestTypes(manifest))
}

function check(file: string, { print, printError }: Output): number {
  const reading = readFile(file, printError)
  if (reading === null) return 1
  const { bundle, version, resources, plugins } = reading
  print(
    `${file}: ${bundle.bundleId} ${version} is valid, with ${count(resources.length, 'resource')} and ${count(plugins.length, 'plugin')}`,
  )
  return 0
}

const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? '' : 's'}`

function types(file: string, { print, printError }: Output): number {
  const manifest = readFile(file, printError)
  if (manifest === null) return 1
  print(manifestTypes(manifest).trimEnd())
  return 0
}

/** Prints why the file is not a valid manifest, as compilers do, and returns null. */
function readFile(file: string, printError: Output['printError']) {
  let bytes: Buffer
  try {
    bytes = readFileSync(file)
  } catch {
    printError(`${file} cannot be read. Name the manifest of the bundle.`)
    return null
  }
  const text = bytes.toString().replace(/^\uFEFF/, '')
  const { manifest, problems } = readManifest(text)
  for (const problem of problems ?? []) printError(describeManifestProblem(file, problem))
  return manifest
}
