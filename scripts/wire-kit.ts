import { join } from 'node:path'
import { syncGenerated } from './generated-folder.ts'
import { root } from './process.ts'
import { wireKitFiles } from './wire-kit/files.ts'

// Writes docs/wire-kit from the schemas of the contract; with --check verifies that it is up to date.

const stale = syncGenerated(join(root, 'docs', 'wire-kit'), wireKitFiles(), {
  patterns: ['*.json', '{schemas,exchanges}/*.json'],
  isChecking: process.argv.includes('--check'),
})
if (stale.length > 0) {
  console.error(`docs/wire-kit is out of date (${stale.join(', ')}): run "npm run wire-kit"`)
  process.exit(1)
}
