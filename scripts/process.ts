import { execFileSync, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The repository's root. */
export const root = dirname(import.meta.dirname)

export interface Ran {
  code: number
  output: string
}

/** Runs one of our programs or one of node_modules to completion; `quiet` shows its output only if it fails. */
export function run(
  command: string,
  args: readonly string[],
  options: { env?: NodeJS.ProcessEnv; quiet?: boolean } = {},
): Promise<Ran> {
  const child = spawn(command, args, {
    cwd: root,
    env: { ...process.env, ...options.env },
    stdio: options.quiet === true ? ['ignore', 'pipe', 'pipe'] : ['ignore', 'inherit', 'inherit'],
  })
  let output = ''
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()))
  child.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ code: code ?? 1, output }))
  })
}

/** Runs a JavaScript or TypeScript file with the Node that runs this process. */
export function runNode(args: readonly string[], options: { env?: NodeJS.ProcessEnv; quiet?: boolean } = {}) {
  return run(process.execPath, args, options)
}

/** The files of the repository that git knows or would add, relative to the root; of these folders, or all. */
export function projectFiles(...folders: string[]): string[] {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', ...folders]
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((path) => path !== '' && existsSync(join(root, path)))
}

/** The entry file of a tool below node_modules. */
export function tool(path: string): string {
  return join(root, 'node_modules', path)
}

/**
 * The arguments of Node that compile every project. One checker per project: several would each read the shared types,
 * and the projects already compile two at a time.
 */
export const typeCheckArgs = (project = '.'): string[] => [
  tool('typescript/bin/tsc'),
  '--build',
  project,
  '--builders',
  '2',
  '--checkers',
  '1',
]
