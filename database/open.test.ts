import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import pg from 'pg'
import { startEmbedded } from './embedded.ts'
import { openServer } from './open.ts'
import { clientConfig } from './settings.ts'

const log = { info: () => {}, warn: () => {}, error: () => {} }

describe('openServer', () => {
  it('stops the embedded server and releases the directory if its database cannot be created', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'open-'))
    try {
      const server = await startEmbedded({ dataDir, log })
      const client = new pg.Client(clientConfig(server.connection))
      await client.connect()
      // creating a database copies template1, to which nobody may be connected
      await client.query('alter database template1 is_template false')
      await client.query('drop database template1')
      await client.end()
      await server.stop()
      await assert.rejects(openServer({ databaseUrl: null, dataDir, log }), /template1/)
      const again = await startEmbedded({ dataDir, log })
      await again.stop()
    } finally {
      rmSync(dataDir, { recursive: true, force: true })
    }
  })
})
