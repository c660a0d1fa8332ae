import { createServer } from 'node:http'
import { createHash } from 'node:crypto'
import { applied, definePlugin, listen, sqliteStore, toNodeListener } from '#plugin-sdk/src/index.ts'
import { reportCpuTime } from './report-cpu-time.ts'

// The plugin of the benchmark, with the SDK or without it, in a separate process. Both variants store the response and one
// row of business data in SQLite, which syncs each commit to disk.
const [kind = '', folder = '.'] = process.argv.slice(2)
reportCpuTime()
const SCHEMA = 'CREATE TABLE IF NOT EXISTS effect (operation_id TEXT PRIMARY KEY, at INTEGER NOT NULL)'
const EFFECT = 'INSERT INTO effect VALUES (?, ?)'

if (kind === 'sdk') {
  const plugin = definePlugin({
    pluginId: 'bench',
    verify: false,
    store: sqliteStore(`${folder}/sdk.sqlite`, { schema: SCHEMA }),
    handle: {
      BEFORE_RESOURCES: (call) =>
        call.conclude((tx) => {
          tx.prepare(EFFECT).run(call.operation.operationId, Date.now())
          return applied()
        }),
    },
  })
  console.log((await listen(toNodeListener(plugin))).url)
} else {
  const { DatabaseSync } = await import('node:sqlite')
  const database = new DatabaseSync(`${folder}/bare.sqlite`)
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  database.exec(SCHEMA)
  // stores what the SDK stores, in the same two transactions: one before the effect, one with it
  database.exec(`CREATE TABLE IF NOT EXISTS call (
    operation_id TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, response TEXT
  ) STRICT; CREATE TABLE IF NOT EXISTS mark (install TEXT PRIMARY KEY, sequence INTEGER NOT NULL) STRICT`)
  const writeMark = database.prepare('INSERT OR REPLACE INTO mark VALUES (?, ?)')
  const writeCall = database.prepare('INSERT OR REPLACE INTO call VALUES (?, ?, ?)')
  const effect = database.prepare(EFFECT)
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    const { configuration: _, resources: _resources, ...echo } = JSON.parse(body.toString()) as Echo
    const { operationId } = echo.operation
    const fingerprint = createHash('sha256').update(body).digest('hex')
    const data = { ...echo, outcome: 'APPLIED', resources: {} }
    const response = JSON.stringify({ errorCode: '0', data, contractVersion: '1.0.0' })
    database.exec('BEGIN IMMEDIATE')
    writeMark.run(echo.installation.bundleInstallId, echo.executionSequence)
    writeCall.run(operationId, fingerprint, null)
    database.exec('COMMIT; BEGIN IMMEDIATE')
    effect.run(operationId, Date.now())
    writeCall.run(operationId, fingerprint, response)
    database.exec('COMMIT')
    outgoing.writeHead(200, { 'content-type': 'application/json' }).end(response)
  })
  server.listen(0, '127.0.0.1', () => {
    const address = server.address()
    if (typeof address === 'object') console.log(`http://127.0.0.1:${address?.port}`)
  })
}

interface Echo {
  configuration: unknown
  resources: unknown
  executionSequence: number
  installation: { bundleInstallId: string }
  operation: { operationId: string }
}
