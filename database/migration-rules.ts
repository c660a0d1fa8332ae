/**
 * The rules that keep replicas of the previous version working while replicas of this one start: expand the schema
 * first, and contract it a version later (docs/operating/upgrade.md). A migration may only add, unless its first line
 * is `-- contract: 0014`: nothing since migration 0014 uses what it removes, so versions that know 0014 continue.
 *
 * A migration may not rewrite or truncate a table that a released version reads. PostgreSQL then shows the table as empty
 * to a transaction whose snapshot is older, and a read that waits for the migration has taken its snapshot before it
 * waits: it would answer that everything is missing (docs/decisions/0030-migrations.md).
 */

/** What somebody would have to change, one line for each statement. */
export interface RuleViolation {
  migration: string
  problem: string
}

/**
 * The migration that a program must know to run on a schema with this one: `0000` if every program can, because it only
 * adds.
 *
 * @returns null if no earlier program can: the first line is `-- breaking: why`.
 */
export function neededFor(sql: string): string | null {
  const contract = /^-- contract: (\d{4})$/m.exec(firstLine(sql))?.[1]
  if (contract !== undefined) return contract
  return firstLine(sql).startsWith('-- breaking: ') ? null : '0000'
}

/**
 * Whether the migration is one statement that commits after each batch of rows, so that nobody waits for all of them: its
 * first line is `-- batches: what`. It may be interrupted and run again.
 */
export const commitsItself = (sql: string): boolean => firstLine(sql).startsWith('-- batches: ')

/**
 * The SHA-256 of an earlier text of the migration, if its first line is `-- replaces: …`. Only a text that no release
 * has may be replaced, by one with the same result. A database on which the earlier text ran is up to date.
 */
export const replacedText = (sql: string): string | null =>
  /^-- replaces: ([0-9a-f]{64})$/.exec(firstLine(sql))?.[1] ?? null

/**
 * Which migrations would break a replica of the previous version.
 *
 * @param released the number of the last migration of the previous release; earlier ones are not examined.
 */
export function violationsOf(
  migrations: readonly { name: string; sql: string }[],
  released: string,
): RuleViolation[] {
  const violations: RuleViolation[] = []
  const uniqueIndexes = new Set<string>()
  /** The tables that no released version knows. */
  const unreleased = new Set<string | undefined>()
  for (const { name, sql } of migrations) {
    const statements = statementsOf(sql)
    const isExamined = name.slice(0, 4) > released
    const created = new Set(
      statements.map((text) => /^create (?:unlogged )?table (?:if not exists )?(\S+)/.exec(text)?.[1]),
    )
    if (isExamined) for (const table of created) unreleased.add(table)
    const needed = neededFor(sql)
    if (isExamined && needed !== null && needed > released)
      violations.push({
        migration: name,
        problem: `removes what migration ${needed} stopped using, but no release has that migration yet; contract a version later`,
      })
    for (const text of statements) {
      const removal = isExamined && needed === '0000' ? problemOf(text, { unreleased, uniqueIndexes }) : null
      const problem = removal ?? (isExamined && needed !== null ? rewriteProblem(text, unreleased) : null)
      if (problem !== null) violations.push({ migration: name, problem: `${problem}: ${text.slice(0, 100)}` })
      const unique = /^create unique index (?:if not exists )?(\S+)/.exec(text)?.[1]
      if (unique !== undefined) uniqueIndexes.add(bare(unique))
    }
  }
  return violations
}

interface Known {
  /** The tables that no released version knows, and so none uses. */
  unreleased: ReadonlySet<string | undefined>
  uniqueIndexes: ReadonlySet<string>
}

function problemOf(text: string, { unreleased, uniqueIndexes }: Known): string | null {
  const dropped = /^drop (\w+)(?: if exists)? (\S+)/.exec(text)
  if (dropped?.[1] === 'index' && !uniqueIndexes.has(bare(dropped[2] ?? ''))) return null
  if (dropped !== null) return 'earlier versions may use what it drops'
  const unique = /^create unique index .*? on (\S+)/.exec(text)?.[1]
  if (unique !== undefined && !unreleased.has(unique))
    return 'earlier versions may write what the unique index refuses'
  const altered = /^alter (\w+) (?:if exists )?(?:only )?(\S+) (.*)$/.exec(text)
  if (altered === null) return null
  const [, kind, table, actions = ''] = altered
  if (unreleased.has(table)) return null
  if (kind !== 'table')
    return /^(?:rename|set schema)/.test(actions) ? 'earlier versions use the old name' : null
  const parts = actionsOf(actions)
  const added = new Set(
    parts.map((action) => /^add (?:column )?(?:if not exists )?(\w+)/.exec(action)?.[1] ?? ''),
  )
  return parts.map((action) => problemOfAction(action, added)).find((problem) => problem !== null) ?? null
}

/** @param unreleased the tables that no released version reads. */
function rewriteProblem(text: string, unreleased: ReadonlySet<string | undefined>): string | null {
  const emptied = /^truncate (?:table )?(?:only )?(\S+)/.exec(text)?.[1]
  if (emptied !== undefined && !unreleased.has(emptied)) return REWRITES
  const altered = /^alter table (?:if exists )?(?:only )?(\S+) (.*)$/.exec(text)
  if (altered === null || unreleased.has(altered[1])) return null
  return actionsOf(altered[2] ?? '').some(rewrites) ? REWRITES : null
}

const REWRITES =
  'reads that wait for it would find the table empty; add a column with a constant default, and fill it in batches'

/** Whether PostgreSQL writes a new file for the table. A default that is the same for all rows does not need one. */
function rewrites(action: string): boolean {
  if (/^set (?:logged|unlogged|access method|tablespace)\b/.test(action)) return true
  if (/^alter (?:column )?\S+ (?:set data )?type\b/.test(action)) return true
  if (/^alter (?:column )?\S+ add generated\b/.test(action)) return true
  if (!/^add (?:column )?/.test(action) || /^add (?:constraint|check|foreign key)\b/.test(action))
    return false
  if (/\bgenerated\b|\b(?:small|big)?serial\b/.test(action)) return true
  const calls = /\bdefault (.*)$/.exec(action)?.[1]?.match(/\b\w+(?=\()/g) ?? []
  return calls.some((name) => name !== 'now')
}

/** @param added the columns that the same statement adds: earlier versions leave them at their default. */
function problemOfAction(action: string, added: ReadonlySet<string>): string | null {
  const check = /^add (?:constraint \w+ )?check (\(.*)$/.exec(action)?.[1]
  if (check !== undefined && wordsOf(check).every((word) => added.has(word) || NO_COLUMN.has(word)))
    return null
  if (/^add (?:constraint|check|unique|primary key|foreign key|exclude)\b/.test(action))
    return 'earlier versions may write what the constraint refuses'
  if (/^add\b/.test(action))
    return /\bnot null\b/.test(action) && !/\bdefault\b|\bgenerated\b/.test(action)
      ? 'earlier versions do not set the new column, so it needs a default'
      : null
  if (/^drop\b/.test(action)) return 'earlier versions may use what it drops'
  if (/^rename\b/.test(action)) return 'earlier versions use the old name'
  if (/^alter (?:column )?\S+ (?:set data )?type\b/.test(action))
    return 'earlier versions expect the old type'
  if (/^alter (?:column )?\S+ set not null\b/.test(action)) return 'earlier versions may write null'
  return null
}

/** Identifiers and key words, without the names of functions. */
const wordsOf = (expression: string): string[] => expression.match(/\b[a-z_]\w*\b(?!\()/g) ?? []

const NO_COLUMN = new Set([
  'and',
  'or',
  'not',
  'is',
  'null',
  'in',
  'between',
  'like',
  'true',
  'false',
  'valid',
])

/** The statements in lower case, without comments, texts and function bodies, with single spaces. */
function statementsOf(sql: string): string[] {
  return sql
    .replaceAll(/\$(\w*)\$[\s\S]*?\$\1\$/g, "''")
    .replaceAll(/'(?:[^']|'')*'/g, "''")
    .replaceAll(/--[^\n]*/g, '')
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .split(';')
    .map((text) => text.replaceAll(/\s+/g, ' ').trim().toLowerCase())
    .filter((text) => text !== '')
}

/** `add column a int, add column b numeric(3, 4)` → two actions. */
function actionsOf(text: string): string[] {
  const actions: string[] = []
  let depth = 0
  let start = 0
  for (let index = 0; index < text.length; index++) {
    if (text[index] === '(') depth++
    if (text[index] === ')') depth--
    if (text[index] !== ',' || depth > 0) continue
    actions.push(text.slice(start, index).trim())
    start = index + 1
  }
  return [...actions, text.slice(start).trim()]
}

const firstLine = (sql: string): string =>
  sql.slice(0, sql.indexOf('\n') === -1 ? undefined : sql.indexOf('\n'))
const bare = (name: string): string => name.split('.').at(-1) ?? name
