import assert from 'node:assert/strict'
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { parse } from 'yaml'
import { licensesPage, productionPackages } from './packages.ts'
import type { LockedPackageDetails } from './packages.ts'
import { projectFiles, root, run } from './process.ts'

const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const manifest = JSON.parse(read('package.json')) as {
  dependencies: Record<string, string>
  devDependencies: Record<string, string>
  allowScripts: Record<string, boolean>
}
const { packages } = JSON.parse(read('package-lock.json')) as {
  packages: Record<string, LockedPackageDetails>
}
const page = read('docs/dependencies.md')
const workflow = (name: string): string => read(`.github/workflows/${name}.yml`)

/** What the steps of a workflow run, by job. */
const commandsOf = (name: string): Map<string, string> => {
  const { jobs } = parse(workflow(name)) as {
    jobs: Record<string, { steps: { run?: string; with?: { script?: string } }[] }>
  }
  return new Map(
    Object.entries(jobs).map(([job, { steps }]) => [
      job,
      steps.flatMap((step) => [step.run ?? [], step.with?.script ?? []].flat()).join('\n'),
    ]),
  )
}

/** The rows of the page's tables, by their first cell. */
const rowsOf = (text: string): Map<string, string[]> =>
  new Map(
    [...text.matchAll(/^\| `([^`]+)` *\|(.*)\|$/gm)].map(([, name = '', rest = '']) => [
      name,
      rest.split('|').map((cell) => cell.trim()),
    ]),
  )

/** Names without the optional packages, of which a platform has a few. */
const NAMES_MAX = 150
const LICENSES = new Set([
  'MIT',
  'ISC',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'BlueOak-1.0.0',
  'MPL-2.0',
  'OFL-1.1',
  'Unlicense',
  'CC0-1.0',
])

describe('packages', () => {
  it('have a hash, and come from a registry only (K01, K02)', () => {
    for (const [path, locked] of Object.entries(packages)) {
      if (!path.startsWith('node_modules/') || locked.link === true) continue
      assert.equal(locked.resolved, undefined, `${path} has the address of a registry`)
      // what lies inside of a package is covered by its hash
      const isBundled = (locked as { inBundle?: boolean }).inBundle === true
      if (!isBundled) assert.match(locked.integrity ?? '', /^sha512-/, path)
      assert.match(locked.version ?? '', /^\d+\.\d+\.\d+/, path)
    }
    for (const line of ['allow-git=none', 'allow-remote=none'])
      assert.match(read('.npmrc'), new RegExp(`^${line}$`, 'm'))
  })

  it(
    'of every platform are in the lock file: npm accepts it (K01)',
    { skip: process.platform === 'win32' && 'npm is a shell script there' },
    async () => {
      const copy = mkdtempSync(join(tmpdir(), 'lock-file-'))
      for (const file of ['package.json', 'package-lock.json'])
        copyFileSync(join(root, file), join(copy, file))
      const options = ['--dry-run', '--offline', '--ignore-scripts', '--prefix', copy]
      const { code, output } = await run('npm', ['ci', ...options], { quiet: true })
      rmSync(copy, { recursive: true })
      assert.equal(code, 0, output)
    },
  )

  it('run an install script only if that version was reviewed (K02)', () => {
    const reviewed = rowsOf(page.slice(page.indexOf('## Install scripts')))
    const withScript = Object.entries(packages).filter(
      ([, { hasInstallScript }]) => hasInstallScript === true,
    )
    const production = withScript.filter(([, { dev }]) => dev !== true)
    assert.deepEqual(
      Object.fromEntries(
        production.map(([path, { version }]) => [path.replace('node_modules/', ''), version]),
      ),
      Object.fromEntries([...reviewed].map(([name, [version]]) => [name, version])),
    )
    assert.deepEqual(Object.keys(manifest.allowScripts).toSorted(), [...reviewed.keys()].toSorted())
    for (const workspace of projectFiles('packages').filter((file) => file.endsWith('/package.json')))
      assert.doesNotMatch(read(workspace), /"(?:pre|post)?install":/, workspace)
  })

  it('have exact versions, a reason each, and a budget (K03)', () => {
    for (const [name, version] of Object.entries({ ...manifest.dependencies, ...manifest.devDependencies }))
      assert.match(version, /^\d+\.\d+\.\d+(?:-[\w.]+)?$/, name)
    const reasons = rowsOf(page.slice(0, page.indexOf('## Install scripts')))
    assert.deepEqual([...reasons.keys()].toSorted(), Object.keys(manifest.dependencies).toSorted())
    const names = new Set(
      productionPackages(packages)
        .filter(({ isOptional }) => !isOptional)
        .map(({ name }) => name),
    )
    assert.ok(names.size <= NAMES_MAX, `${names.size} packages`)
    const { minimumReleaseAge } = JSON.parse(read('renovate.json')) as { minimumReleaseAge: string }
    assert.equal(minimumReleaseAge, '7 days')
  })

  it('are verified every night: advisories and signatures (K04)', () => {
    assert.match(workflow('nightly'), /npm audit --audit-level=high/)
    assert.match(workflow('nightly'), /npm audit signatures/)
  })

  it('have a known license, and are listed in a release with all components (K05)', () => {
    const found = productionPackages(packages)
    for (const { name, license } of found)
      assert.ok(
        license.split(/ (?:AND|OR) /).every((one) => LICENSES.has(one.replaceAll(/[()]/g, ''))),
        `${name}: ${license}`,
      )
    assert.match(licensesPage(found), /^\| `hono` \| [\d.]+ \| MIT \|$/m)
    const release = read('scripts/release.ts')
    assert.match(release, /'sbom\.cdx\.json'/)
    assert.match(release, /'licenses\.md'/)
  })
})

describe('builds', () => {
  it('publish with provenance (K06)', () => {
    assert.match(workflow('release'), /npm publish --ignore-scripts --provenance/)
    assert.match(workflow('release'), /attest-build-provenance/)
  })

  it('have the least permissions, and no secret of a pull request (K08)', () => {
    for (const name of ['check', 'nightly', 'release'])
      assert.match(workflow(name), /^permissions:\n {2}contents: read$/m, name)
    for (const name of ['check', 'nightly'])
      assert.doesNotMatch(workflow(name), /secrets\.|pull_request_target/, name)
  })

  it('run no script of a package in the job that publishes (K08)', () => {
    const { jobs } = parse(workflow('release')) as { jobs: Record<string, { permissions?: object }> }
    const publishing = Object.keys(jobs).filter((job) => jobs[job]?.permissions !== undefined)
    assert.deepEqual(publishing, ['publish'])
    const commands = commandsOf('release').get('publish') ?? ''
    assert.match(commands, /npm publish --ignore-scripts/)
    assert.doesNotMatch(commands, /npm (?!publish --ignore-scripts)/)
  })

  it('take what somebody else chose, such as the name of a tag, from the environment (K08)', () => {
    for (const name of ['check', 'nightly', 'release'])
      for (const [job, commands] of commandsOf(name))
        assert.doesNotMatch(commands, /\$\{\{(?! matrix\.)/, `${name}, ${job}`)
    assert.match(workflow('release'), /persist-credentials: false/)
  })
})

describe('samples of deployments', () => {
  const units = ['deploy/systemd/bundle-runtime.service', 'deploy/systemd/bundle-web.service']
  const SECRETS = ['DATABASE_URL', 'RUNTIME_API_CREDENTIAL', 'OIDC_CLIENT_SECRET', 'CONSOLE_USERS']

  it('run without root, and write only where they must (K07)', () => {
    assert.match(read('deploy/container/Containerfile'), /^USER 10001:10001$/m)
    const compose = read('deploy/compose/compose.yaml')
    for (const line of ['read_only: true', 'cap_drop: [ALL]', 'no-new-privileges:true'])
      assert.ok(compose.includes(line), line)
    const chart = read('deploy/helm/bundle-console/templates/_helpers.tpl')
    for (const line of [
      'runAsNonRoot: true',
      'readOnlyRootFilesystem: true',
      'capabilities: { drop: [ALL] }',
    ])
      assert.ok(chart.includes(line), line)
    for (const unit of units) assert.match(read(unit), /^ProtectSystem=strict$/m, unit)
  })

  it('take secrets from files, and write no memory to disk (H06)', () => {
    for (const unit of units) assert.match(read(unit), /^LimitCORE=0$/m, unit)
    assert.match(read('deploy/compose/compose.yaml'), /^ {2}ulimits: \{ core: 0 \}$/m)
    const files = projectFiles('deploy').filter((file) => /\.(?:ya?ml|tpl|service|conf)$/.test(file))
    for (const file of files) {
      for (const name of SECRETS)
        assert.doesNotMatch(
          read(file),
          new RegExp(String.raw`(?<![A-Z_])${name}(?:=|: |, value)`),
          `${file}: ${name}`,
        )
    }
  })
})
