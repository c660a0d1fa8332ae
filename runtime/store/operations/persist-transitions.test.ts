import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely'
import type { RecordedAttempt } from '../../model/call.ts'
import type { ResourceToPut } from '../../model/ledger.ts'
import type { OperationRow } from '../../model/operation.ts'
import type { RuntimeTables } from '../../model/tables.ts'
import type { Vault } from '../../model/vault.ts'
import { persistTransitions } from './persist-transitions.ts'

const GOLDEN = new URL('persist-transitions.sql', import.meta.url)

const operationId = '0190a000-0000-7000-8000-000000000001'
const lease = { operationId, owner: 'worker', epoch: 1 }
const key = { operationId, stage: 'BEFORE_RESOURCES', pluginId: 'plugin', attempt: 1 } as const

// Only the text of the statement is composed, so the rows have only the fields that composing reads.
const answer = {
  key,
  timing: null,
  judgement: { outcome: null, failure: null, httpStatus: null, recorded: null, writes: {} },
  after: { endedWell: true, failed: false, failure: null },
  nextAttemptAt: null,
} as unknown as RecordedAttempt
const resource = {
  operationId,
  bundleInstallId: operationId,
  scopeId: 1,
  locator: 'locator',
  properties: {},
  definitions: {},
  writtenBy: {},
} as unknown as ResourceToPut
const operation = {
  operation_id: operationId,
  bundle_install_id: operationId,
  operation_type: 'INSTALL',
  target_version: '1.0.0',
} as unknown as OperationRow
const vault = { seal: (plain: Uint8Array) => Buffer.from(plain) } as unknown as Vault

/** Composes the statement with all optional parts. */
async function composed(): Promise<string> {
  const texts: string[] = []
  const db = new Kysely<RuntimeTables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (of) => new PostgresIntrospector(of),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
    log({ query }) {
      texts.push(query.sql)
    },
  })
  const registration = {
    plugin_id: 'plugin',
    endpoint: '',
    retired: false,
    paused: false,
    timeout_ms: 1,
    max_attempts: 1,
    max_backoff_ms: 1,
  }
  const persisted = persistTransitions(db, vault, {
    leases: [lease],
    answers: [answer],
    failedCalls: [
      { ...key, failure: { errorCode: 'PLUGIN_TIMEOUT', message: '', retryable: true, errorPath: [] } },
    ],
    resources: [resource],
    attempts: [
      {
        ...key,
        run: 1,
        epoch: 1,
        dueAt: null,
        isFirst: true,
        followsAnswer: false,
        bytes: new Uint8Array(),
        registration,
      },
    ],
    succeeded: [operation],
    moves: [{ lease, move: { kind: 'succeed' }, nextPlugin: 'plugin' }],
    stays: [lease],
  })
  // the driver returns no rows
  await assert.rejects(persisted, /a select without a table returns a row/)
  const [text = ''] = texts
  return text
}

/** Formats a statement: one common table expression after another, indented by parentheses. */
function readable(statement: string): string {
  let depth = 0
  const lines = statement.split('\n').flatMap((line): string[] => {
    const text = line.trim()
    if (text === '') return []
    const opening = text.startsWith('--') ? 0 : text.split('(').length - text.split(')').length
    const indent = '  '.repeat(Math.max(0, text.startsWith(')') ? depth - 1 : depth))
    depth += opening
    return [indent + text]
  })
  return `${lines.join('\n')}\n`.replaceAll(/^\), *(?:\n|(?=\w))/gm, '),\n\n')
}

test('the statement that persists transitions matches persist-transitions.sql', async () => {
  const text = readable(await composed())
  const golden = await readFile(GOLDEN, 'utf8')
  assert.equal(
    text,
    golden.replace(/^\/\*[^]*?\*\/\n\n/, ''),
    'The statement has changed. Review the difference, then copy the new text to persist-transitions.sql.',
  )
})
