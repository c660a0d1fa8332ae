import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { CONSOLE_VARIABLES } from '#bff/settings.ts'
import { SECRET_VARIABLES, VARIABLES } from '#http-kit/known-variables.ts'
import { RUNTIME_VARIABLES } from '#runtime/config.ts'
import { root } from './process.ts'

describe('the list of variables', () => {
  it('has exactly the variables that the programs read', () => {
    // the console reads these two beside its own settings
    const read = new Set([...CONSOLE_VARIABLES, ...RUNTIME_VARIABLES, 'DATA_DIR', 'DATABASE_URL'])
    assert.deepEqual([...VARIABLES].toSorted(), [...read].toSorted())
  })

  it('is documented, the secret ones with their files', () => {
    const settings = readFileSync(join(root, 'docs', 'operating', 'settings.md'), 'utf8')
    for (const name of VARIABLES) assert.ok(settings.includes(`\`${name}\``), name)
    for (const name of SECRET_VARIABLES) assert.ok(settings.includes(`\`${name}_FILE\``), `${name}_FILE`)
  })
})
