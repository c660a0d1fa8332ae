import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findPhrases } from './phrases.ts'
import { root } from './process.ts'

// cspell checks single words only. This checks the phrases of cspell-phrases.json in the files that cspell checks.

interface SpellingConfig {
  ignorePaths: string[]
  overrides: { filename: string[]; enabled?: boolean }[]
}

const TEXT_FILES = '**/*.{css,html,js,md,mjs,sql,ts,tsx}'
const UNTRACKED = [
  '**/node_modules/**',
  '**/dist/**',
  '.cache/**',
  'data/**',
  '**/test-results/**',
  '**/playwright-report/**',
]

const { ignorePaths, overrides } = readJson<SpellingConfig>('cspell.config.json')
const replacements = readJson<Record<string, string>>('cspell-phrases.json')
const disabled = overrides.filter(({ enabled }) => enabled === false).flatMap(({ filename }) => filename)

const files = globSync(TEXT_FILES, { cwd: root, exclude: [...UNTRACKED, ...ignorePaths, ...disabled] }).sort()
for (const file of files) {
  for (const { line, phrase } of findPhrases(
    readFileSync(join(root, file), 'utf8'),
    Object.keys(replacements),
  )) {
    console.error(`${file}:${line}: "${phrase}". Write: ${replacements[phrase]}`)
    process.exitCode = 1
  }
}

function readJson<T>(file: string): T {
  return JSON.parse(readFileSync(join(root, file), 'utf8')) as T
}
