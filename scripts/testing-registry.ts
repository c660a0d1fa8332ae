import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listen } from '#plugin-sdk/src/node-listener.ts'
import { pack } from '../packages/plugin-check/testing/pack.ts'
import type { Packed } from '../packages/plugin-check/testing/pack.ts'

/** The published packages of this repository. */
const PUBLISHED = ['packages/plugin-sdk', 'packages/plugin-check']
/** The dependencies of those packages. */
const DEPENDENCIES = ['@cfworker/json-schema', 'jose', 'zod'].map((name) => `node_modules/${name}`)

export interface TestRegistry {
  /** For the variable `npm_config_registry`. */
  url: string
  /** The paths of the files in a package; empty if the registry does not have it. */
  filesOf(name: string): string[]
  close(): Promise<void>
}

/**
 * An npm registry on loopback with the built packages of this repository, so that a test installs them as an author
 * would, without another registry. Their dependencies are packed from `node_modules`.
 */
export async function startRegistry(): Promise<TestRegistry> {
  const folder = mkdtempSync(join(tmpdir(), 'registry-'))
  const packages = [
    ...PUBLISHED.flatMap((path) => pack(folder, [path])),
    ...pack(folder, DEPENDENCIES, ['--ignore-scripts']),
  ]
  const { url, close } = await listen((incoming, outgoing) => {
    const path = decodeURIComponent(new URL(incoming.url ?? '/', 'http://registry').pathname).slice(1)
    const tarball = packages.find(({ filename }) => `-/${filename}` === path)
    const named = packages.find(({ name }) => name === path)
    if (tarball !== undefined) outgoing.end(readFileSync(join(folder, tarball.filename)))
    else if (named !== undefined) outgoing.end(JSON.stringify(documentOf(folder, named, url)))
    else outgoing.writeHead(404).end()
  })
  return {
    url,
    filesOf: (name) => packages.find((each) => each.name === name)?.files.map(({ path }) => path) ?? [],
    async close() {
      await close({ graceMs: 0 })
      rmSync(folder, { recursive: true })
    },
  }
}

/** What a registry returns for a package: its versions, each with its package.json and its tarball. */
function documentOf(folder: string, { name, version, filename, integrity, shasum }: Packed, url: string) {
  const json = execFileSync('tar', ['-xzOf', join(folder, filename), 'package/package.json'], {
    encoding: 'utf8',
  })
  const manifest = JSON.parse(json) as object
  const dist = { tarball: `${url}/-/${filename}`, integrity, shasum }
  return { name, 'dist-tags': { latest: version }, versions: { [version]: { ...manifest, dist } } }
}
