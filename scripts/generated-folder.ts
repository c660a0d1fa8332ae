import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * Makes the files of a folder that match the patterns equal to `files` (path below the folder → text), or with
 * `isChecking` only lists the paths that differ.
 */
export function syncGenerated(
  folder: string,
  files: Readonly<Record<string, string>>,
  { patterns, isChecking }: { patterns: string[]; isChecking: boolean },
): string[] {
  const present = globSync(patterns, { cwd: folder })
  const extra = present.filter((path) => !Object.hasOwn(files, path))
  const stale = Object.keys(files).filter((path) => readText(join(folder, path)) !== files[path])
  if (isChecking) return [...extra, ...stale].sort()
  for (const path of extra) rmSync(join(folder, path))
  for (const path of stale) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), files[path] ?? '')
  }
  return []
}

function readText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}
