import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { lockFileProblems } from './lock-file.ts'
import type { LockFile } from './lock-file.ts'
import { root } from './process.ts'

const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as LockFile
const problems = lockFileProblems(lock)
for (const problem of problems) console.error(`package-lock.json: ${problem}`)
if (problems.length > 0) {
  console.error('Choose versions whose packages the registry has for every platform, then run "npm install".')
  process.exitCode = 1
}
