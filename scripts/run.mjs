// The entry point of every command. Plain JavaScript, because on a new machine it runs on any installed Node: it
// installs missing packages, then starts the pinned Node, which runs the TypeScript directly.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isInstalled } from './installed.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const programs = {
  start: 'scripts/start.ts',
  'start:runtime': 'runtime/main.ts',
  'start:console': 'bff/main.ts',
  dev: 'scripts/dev.ts',
  'image:stage': 'scripts/stage-image.ts',
  release: 'scripts/release.ts',
  build: 'scripts/console-build.ts',
  check: 'scripts/checks.ts',
  test: 'scripts/test.ts',
  components: 'scripts/component-tests.ts',
  e2e: 'scripts/end-to-end.ts',
  'audit:verify': 'runtime/commands/verify-audit.ts',
  'keys:rotate': 'runtime/commands/rotate-keys.ts',
  'keys:rewrap': 'runtime/commands/rewrap-keys.ts',
  'keys:assertion': 'bff/commands/make-assertion-key.ts',
  migrate: 'operating/migrate/main.ts',
  backup: 'operating/backup/main.ts',
  restore: 'operating/restore/main.ts',
  recover: 'operating/recover/main.ts',
  doctor: 'operating/doctor/main.ts',
  'support:bundle': 'operating/support/main.ts',
  bench: 'lab/bench/main.ts',
  verify: 'scripts/verify.ts',
  openapi: 'scripts/openapi.ts',
  security: 'scripts/security/main.ts',
  'wire-kit': 'scripts/wire-kit.ts',
  'count:save': 'scripts/count-save.ts',
  'count:changes': 'scripts/count-changes.ts',
  'plugin-check': 'packages/plugin-check/src/main.ts',
  'plugin-dev': 'scripts/plugin-dev/main.ts',
}

const [command = '', ...args] = process.argv.slice(2)
// `npm run start:runtime --worker`, without `--` before it: npm consumes the option and passes it on as a variable
const npmOptions = command === 'start:runtime' ? ['api', 'worker'] : []
const rest = [
  ...args,
  ...npmOptions.filter((name) => process.env[`npm_config_${name}`] === 'true').map((name) => `--${name}`),
]
// the package has this command too; here it uses the sources
const isDev = command === 'plugin-check' && rest[0] === 'dev'
if (isDev) rest.shift()
const program = programs[isDev ? 'plugin-dev' : command]
if (program === undefined) {
  console.error(`There is no command "${command}". There are: ${Object.keys(programs).join(', ')}.`)
  process.exit(2)
}
refuseOldNode()
installMissingPackages()
// Node compiles more than a thousand modules at each start; it keeps them, compiled and without types, by their content
process.env.NODE_COMPILE_CACHE ??= join(root, '.cache', 'compiled')
// where it was called: npm calls it in the root, and deploy/systemd/bundle-console where a relative path of its user begins
const child = spawn(pinnedNode(), [join(root, program), ...rest], { stdio: 'inherit' })
child.on('exit', (code) => process.exit(code ?? 1))
// Ctrl+C reaches the program directly, and this waits until it has stopped in order; SIGTERM reaches only this process
process.on('SIGINT', () => undefined)
process.on('SIGTERM', () => child.kill('SIGTERM'))
endWithNpm()

// `npm run` forwards SIGTERM to its shell, and many shells exit without forwarding it. Without this check the program
// would keep running and hold its port, with nobody left to stop it. Windows does not report the end of a parent.
function endWithNpm() {
  if (process.env.npm_lifecycle_event === undefined || process.platform === 'win32') return
  const parent = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(watch)
    child.kill('SIGTERM')
  }, 250)
}

/** Under an older Node, npm leaves out packages of this platform without a word, and the build fails later. */
function refuseOldNode() {
  if (Number(process.versions.node.split('.')[0]) >= 20) return
  console.error(
    `Node 20 or later is needed; this is ${process.versions.node}. Run "npm install -g node@24", then "npm install -g npm@11", and "npm ci".`,
  )
  process.exit(1)
}

function installMissingPackages() {
  if (existsSync(pinnedNode()) && isInstalled(root)) return
  console.log('Installing packages …')
  const windows = process.platform === 'win32'
  // Windows cannot delete a running program: there, an update by the pinned Node must leave node_modules in place
  const isPinned = process.execPath.startsWith(join(root, 'node_modules'))
  const how = windows && isPinned ? ['install', '--no-save'] : ['ci']
  const install = spawnSync(
    windows ? 'npm.cmd' : 'npm',
    [...how, '--no-audit', '--no-fund', '--loglevel=error'],
    { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], shell: windows },
  )
  if (install.status !== 0) {
    console.error('The packages could not be installed. Is the npm registry reachable?')
    process.exit(1)
  }
}

function pinnedNode() {
  return join(root, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
}
