import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { buildConsole } from './console-build.ts'
import { licensesPage, productionPackages } from './packages.ts'
import type { LockedPackageDetails } from './packages.ts'
import { root } from './process.ts'

// Builds what a release consists of in dist/release: the packages for plugin authors, the programs as an archive that needs
// neither npm nor a registry where it is installed, the chart, a list of all components and their licenses, a statement of what it
// was built from, notes, and checksums. The image is built from deploy/container. With --tag, refuses a tag that is
// not the version of everything that is released.

const target = join(root, 'dist', 'release')
const PACKAGES = ['plugin-sdk', 'plugin-check', 'plugin-dev']

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
const { values } = parseArgs({ options: { tag: { type: 'string' } } })
refuseOtherVersions()

rmSync(target, { recursive: true, force: true })
mkdirSync(target, { recursive: true })
await buildConsole()
for (const name of PACKAGES)
  run('npm', ['pack', '--silent', '--pack-destination', target], join(root, 'packages', name))
const commit = run('git', ['rev-parse', 'HEAD']).trim()
const began = new Date().toISOString()
const staged = join(root, 'dist', `bundle-console-${version}`)
rmSync(staged, { recursive: true, force: true })
run(process.execPath, ['scripts/stage-image.ts', staged])
// without what somebody has beside it, such as the secrets of a deployment on this machine
const sources = readdirSync(staged).filter((name) => !['node_modules', 'dist'].includes(name))
const foreign = new Set(
  run('git', ['ls-files', '-z', '--others', ...sources, 'deploy', 'docs'])
    .split('\0')
    // a repository in it is named as a folder
    .map((path) => path.replace(/\/$/, ''))
    .filter((path) => path !== ''),
)
for (const path of foreign) rmSync(join(staged, path), { recursive: true, force: true })
// the image needs neither; a machine without a network has no other place to read them
for (const folder of ['deploy', 'docs'])
  cpSync(join(root, folder), join(staged, folder), {
    recursive: true,
    dereference: true,
    filter: (path) => !foreign.has(relative(root, path).replaceAll('\\', '/')),
  })
for (const file of ['CHANGELOG.md', 'SECURITY.md']) cpSync(join(root, file), join(staged, file))
startArchive('bundle-runtime', 'node_modules/.bin/node runtime/main.ts', 'bin/bundle-console runtime')
startArchive('bundle-web', 'node_modules/.bin/node bff/main.ts', 'bin/bundle-console console')
writeFileSync(join(staged, 'BUILD'), `${commit}\n`)
const platform = `${process.platform}-${process.arch}`
archive(`bundle-console-${version}-${platform}.tgz`, join(root, 'dist'), basename(staged))
archive(`chart-bundle-console-${version}.tgz`, join(staged, 'deploy', 'helm'), 'bundle-console')
writeFileSync(
  join(target, 'sbom.cdx.json'),
  run('npm', ['sbom', '--sbom-format', 'cyclonedx', '--omit', 'dev']),
)
writeFileSync(join(target, 'licenses.md'), licensesPage(productionPackages(lockedPackages())))
writeFileSync(join(target, 'NOTES.md'), notes())
writeFileSync(join(target, 'provenance.json'), provenance())
writeFileSync(join(target, 'SHA256SUMS'), checksums())
console.log(readdirSync(target).sort().join('\n'))

function refuseOtherVersions(): void {
  const chart = readFileSync(join(root, 'deploy', 'helm', 'bundle-console', 'Chart.yaml'), 'utf8')
  const found = new Map([
    ['deploy/helm/bundle-console/Chart.yaml, version', /^version: (.+)$/m.exec(chart)?.[1]],
    ['deploy/helm/bundle-console/Chart.yaml, appVersion', /^appVersion: (.+)$/m.exec(chart)?.[1]],
    ...globSync('packages/*/package.json', { cwd: root }).map((path) => {
      const manifest = JSON.parse(readFileSync(join(root, path), 'utf8')) as { version: string }
      return [path, manifest.version] as const
    }),
    ...(values.tag === undefined ? [] : [['the tag', values.tag.replace(/^v/, '')] as const]),
  ])
  const others = [...found].filter(([, other]) => other !== version)
  if (others.length === 0) return
  for (const [where, other] of others)
    console.error(`${where} is ${other}, but package.json has the version ${version}`)
  process.exit(1)
}

/** Lets a unit of systemd start what the archive has in place of npm's folder of commands. */
function startArchive(unit: string, program: string, command: string): void {
  const file = join(staged, 'deploy', 'systemd', `${unit}.service`)
  const text = readFileSync(file, 'utf8')
  if (!text.includes(program)) throw new Error(`${unit}.service does not start ${program}`)
  writeFileSync(file, text.replace(program, command))
}

function lockedPackages(): Record<string, LockedPackageDetails> {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, LockedPackageDetails>
  }
  return lock.packages
}

/** The part of the changelog about this version; before the first release, all of it. */
function notes(): string {
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
  const parts = changelog.split(/^## /m)
  const own =
    parts.find((part) => part.startsWith(version)) ?? parts.find((part) => part.startsWith('Unreleased'))
  return `# Bundle Console ${version}\n\n${(own ?? '').split('\n').slice(1).join('\n').trim()}\n`
}

function checksums(): string {
  return readdirSync(target)
    .sort()
    .map((name) => `${digestOf(name)}  ${name}\n`)
    .join('')
}

/** What was built, from which commit and with what, as an in-toto statement; the workflow of a release also signs one. */
function provenance(): string {
  const subject = readdirSync(target)
    .sort()
    .map((name) => ({ name, digest: { sha256: digestOf(name) } }))
  const statement = {
    _type: 'https://in-toto.io/Statement/v1',
    subject,
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'npm run release',
        externalParameters: { version, commit, isClean: run('git', ['status', '--porcelain']) === '' },
        resolvedDependencies: [
          {
            uri: 'package-lock.json',
            digest: { sha256: sha256(readFileSync(join(root, 'package-lock.json'))) },
          },
        ],
      },
      runDetails: {
        builder: { id: `node ${process.version} on ${platform}` },
        metadata: { startedOn: began, finishedOn: new Date().toISOString() },
      },
    },
  }
  return `${JSON.stringify(statement, null, 2)}\n`
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function digestOf(name: string): string {
  return sha256(readFileSync(join(target, name)))
}

/** The same content gives the same archive. Links are replaced by what they lead to: the chart has two. */
function archive(name: string, folder: string, entry: string): void {
  const stable = [
    '--sort=name',
    '--owner=0',
    '--group=0',
    '--numeric-owner',
    '--mtime=2000-01-01',
    '--dereference',
  ]
  run('tar', [...stable, '-czf', join(target, name), '-C', folder, entry])
}

function run(command: string, args: string[], cwd = root): string {
  const { status, stdout } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 64 * 1024 * 1024,
  })
  if (status === 0) return stdout
  console.error(`${command} ${args.join(' ')} failed`)
  process.exit(1)
}
