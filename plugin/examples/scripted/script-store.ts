import { randomUUID } from 'node:crypto'
import type { LifecycleRequest } from '#contract/protocol/lifecycle.ts'
import type { SqliteTransaction } from '#plugin-sdk/src/sqlite-store.ts'
import { matches, Rule } from './script.ts'

export const SCRIPT_SCHEMA = `
CREATE TABLE IF NOT EXISTS rule (
  rule_id TEXT NOT NULL PRIMARY KEY,
  position INTEGER NOT NULL,
  used INTEGER NOT NULL DEFAULT 0,
  rule TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS call (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  operation_id TEXT,
  bundle_install_id TEXT,
  entry TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS effect (
  operation_id TEXT NOT NULL,
  stage TEXT NOT NULL,
  bundle_install_id TEXT NOT NULL,
  execution_sequence INTEGER NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (operation_id, stage)
) STRICT;
`

/** One logged call. Neither body nor token is stored, only hashes that show whether two calls were the same. */
export interface LogEntry {
  id: number
  at: string
  path: string
  /** SHA-256 of the body, in hexadecimal. */
  sha256: string
  byteLength: number
  /** Null if the body was not a lifecycle request. */
  operationId: string | null
  operationType: string | null
  stage: string | null
  executionSequence: number | null
  bundleInstallId: string | null
  bundleId: string | null
  /** The claims of the bearer token, verified or not; null without a token. */
  claims: Record<string, unknown> | null
  /** The names of the request's headers, in lower case. */
  headers: string[]
  ruleId: string | null
  behaviour: string
  /** Null if there was no response, or not yet. */
  status: number | null
  /** SHA-256 of the response's bytes: equal for equal responses. */
  answerSha256: string | null
  endedAt: string | null
}

/** How often a call took effect: never more than once. */
export interface Effect {
  operationId: string
  stage: string
  bundleInstallId: string
  executionSequence: number
  count: number
}

export interface StoredRule {
  ruleId: string
  used: number
  rule: Rule
}

/** Null selects all. */
export interface LogFilter {
  operationId: string | null
  bundleInstallId: string | null
}

export function listRules(tx: SqliteTransaction): StoredRule[] {
  return tx
    .prepare('SELECT rule_id, used, rule FROM rule ORDER BY position')
    .all()
    .map((row) => ({
      ruleId: String(row['rule_id']),
      used: Number(row['used']),
      rule: Rule.parse(JSON.parse(String(row['rule']))),
    }))
}

/** Inserts rules before the existing ones, in the given order; returns their ids. */
export function prependRules(tx: SqliteTransaction, rules: readonly Rule[]): string[] {
  const first = tx.prepare('SELECT min(position) AS position FROM rule').get()
  const start = Number(first?.['position'] ?? 0) - rules.length
  return rules.map((rule, index) => {
    const ruleId = randomUUID()
    tx.prepare('INSERT INTO rule (rule_id, position, rule) VALUES (?, ?, ?)').run(
      ruleId,
      start + index,
      JSON.stringify(rule),
    )
    return ruleId
  })
}

/** Removes one rule, or all. */
export function removeRules(tx: SqliteTransaction, ruleId: string | null): void {
  tx.prepare('DELETE FROM rule WHERE ? IS NULL OR rule_id = ?').run(ruleId, ruleId)
}

/** The rule that applies to this call, counted as used; null if none matches. */
export function useRule(tx: SqliteTransaction, request: LifecycleRequest): StoredRule | null {
  const rule = listRules(tx).find(
    ({ used, rule: { times, when } }) => (times === undefined || used < times) && matches(when, request),
  )
  if (rule === undefined) return null
  tx.prepare('UPDATE rule SET used = used + 1 WHERE rule_id = ?').run(rule.ruleId)
  return rule
}

export function recordCall(tx: SqliteTransaction, entry: Omit<LogEntry, 'id'>): number {
  const { lastInsertRowid } = tx
    .prepare('INSERT INTO call (operation_id, bundle_install_id, entry) VALUES (?, ?, ?)')
    .run(entry.operationId, entry.bundleInstallId, JSON.stringify(entry))
  return Number(lastInsertRowid)
}

export function recordEnd(
  tx: SqliteTransaction,
  id: number,
  end: Pick<LogEntry, 'status' | 'answerSha256' | 'endedAt'>,
): void {
  const row = tx.prepare('SELECT entry FROM call WHERE id = ?').get(id)
  if (row === undefined) return
  const entry = { ...JSON.parse(String(row['entry'])), ...end }
  tx.prepare('UPDATE call SET entry = ? WHERE id = ?').run(JSON.stringify(entry), id)
}

export function listCalls(tx: SqliteTransaction, filter: LogFilter): LogEntry[] {
  return (
    tx
      .prepare(`SELECT id, entry FROM call WHERE ${WHERE} ORDER BY id`)
      .all(...parametersOf(filter))
      // Only recordCall and recordEnd write here.
      .map((row) => ({ id: Number(row['id']), ...JSON.parse(String(row['entry'])) }) as LogEntry)
  )
}

export const listEffects = (tx: SqliteTransaction, filter: LogFilter): Effect[] =>
  tx
    .prepare(
      `SELECT operation_id AS operationId, stage, bundle_install_id AS bundleInstallId,
         execution_sequence AS executionSequence, count FROM effect WHERE ${WHERE} ORDER BY rowid`,
    )
    .all(...parametersOf(filter)) as unknown as Effect[]

const WHERE = '(? IS NULL OR operation_id = ?) AND (? IS NULL OR bundle_install_id = ?)'

const parametersOf = ({ operationId, bundleInstallId }: LogFilter) => [
  operationId,
  operationId,
  bundleInstallId,
  bundleInstallId,
]

export const clearLog = (tx: SqliteTransaction): void => tx.exec('DELETE FROM call')

/** The business effect of a scripted plugin: it counts its executions. */
export function countEffect(tx: SqliteTransaction, request: Omit<Effect, 'count'>): void {
  tx.prepare(
    `INSERT INTO effect VALUES (?, ?, ?, ?, 1)
     ON CONFLICT (operation_id, stage) DO UPDATE SET count = count + 1`,
  ).run(request.operationId, request.stage, request.bundleInstallId, request.executionSequence)
}
