import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import { checkPageScripts } from './console/script-sizes.ts'
import { root, runNode, tool } from './process.ts'

const output = join(root, 'dist', 'web')
const stamp = join(output, '.sources')
const SOURCES = ['web', 'contract', 'scripts/console', 'index.html', 'vite.config.ts', 'package-lock.json']

/**
 * Builds the console to dist/web with a brotli version of each file; does nothing if the build is up to date. Returns how
 * many milliseconds the build took, 0 without one.
 *
 * @throws Error when it cannot be built, or a page loads more scripts than its limit.
 */
export async function buildConsole(): Promise<number> {
  const sources = fingerprint()
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === sources) return 0
  const began = performance.now()
  console.log('Building the console …')
  await runVite()
  await compressFiles()
  checkPageScripts(output)
  writeFileSync(stamp, sources)
  return performance.now() - began
}

async function runVite(): Promise<void> {
  const options = ['build', '--logLevel', 'warn']
  const { code, output: log } = await runNode([tool('vite/bin/vite.js'), ...options], { quiet: true })
  if (code === 0) return
  console.error(log)
  throw new Error('The console could not be built')
}

async function compressFiles(): Promise<void> {
  const brotli = promisify(brotliCompress)
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11 }
  for (const name of readdirSync(output, { recursive: true, encoding: 'utf8' })) {
    if (!/\.(css|html|js|json|svg|webmanifest)$/.test(name)) continue
    const path = join(output, name)
    writeFileSync(`${path}.br`, await brotli(readFileSync(path), { params }))
  }
}

function fingerprint(): string {
  const hash = createHash('sha256')
  for (const source of SOURCES) {
    const path = join(root, source)
    if (!existsSync(path)) continue
    const names = statSync(path).isDirectory()
      ? readdirSync(path, { recursive: true, encoding: 'utf8' })
          .sort()
          .map((name) => join(path, name))
      : [path]
    for (const name of names) {
      if (statSync(name).isFile()) hash.update(name.slice(root.length)).update(readFileSync(name))
    }
  }
  return hash.digest('hex')
}

if (import.meta.main) await buildConsole()
