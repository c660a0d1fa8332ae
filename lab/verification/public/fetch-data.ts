import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { FETCHED, SOURCES } from './sources.ts'

/**
 * Downloads the data of the suites from their public homes, each at its commit, to `PUBLIC_SUITES` or `.cache/public-suites`.
 * Needs `tar`. What is there already is replaced.
 *
 * @throws Error naming the repository that cannot be downloaded; the others before it are there.
 */
export async function fetchData(): Promise<void> {
  const target = process.env['PUBLIC_SUITES'] ?? FETCHED
  mkdirSync(target, { recursive: true })
  for (const { folder, repository, commit, paths } of SOURCES) {
    const address = `https://codeload.github.com/${repository}/tar.gz/${commit}`
    const response = await fetch(address).catch((cause: unknown) => {
      throw new Error(`${address} cannot be reached`, { cause })
    })
    if (!response.ok) throw new Error(`${address} is answered with ${response.status}`)
    const temporary = mkdtempSync(join(target, 'fetching-'))
    try {
      const archive = join(temporary, 'archive.tar.gz')
      writeFileSync(archive, Buffer.from(await response.arrayBuffer()))
      // the archive has one folder, with the name of the repository and the commit
      execFileSync('tar', ['-xzf', archive, '-C', temporary, '--strip-components=1'])
      rmSync(join(target, folder), { recursive: true, force: true })
      for (const path of paths) copy(join(temporary, path), join(target, folder, path))
    } finally {
      rmSync(temporary, { recursive: true, force: true })
    }
    console.log(`${folder}: ${repository} at ${commit}`)
  }
}

function copy(from: string, to: string): void {
  // a repository without a license file is still fetched
  if (!existsSync(from)) return
  mkdirSync(dirname(to), { recursive: true })
  cpSync(from, to, { recursive: true })
}
