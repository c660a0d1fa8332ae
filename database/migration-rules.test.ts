import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commitsItself, neededFor, replacedText, violationsOf } from './migration-rules.ts'

const migration = (number: string, sql: string) => ({ name: `${number}_x`, sql, sha256: '' })
const problems = (sql: string, released = '0001'): string[] =>
  violationsOf(
    [migration('0001', 'create unique index once on notes.note (id);'), migration('0002', sql)],
    released,
  ).map(({ problem }) => problem)

test('a migration may add what earlier versions do not know', () => {
  for (const sql of [
    'create table notes.tag (id int primary key); create unique index tag_once on notes.tag (id);',
    'create table notes.tag (id int); alter table notes.tag add constraint c check (id > 0);',
    'create index note_age on notes.note (at);',
    'drop index notes.slow; create index faster on notes.note (at);',
    'alter table notes.note add column a int, add column b numeric(3, 4) not null default 0;',
    'alter table notes.note alter column a drop not null, alter column b set default 3;',
    'alter table notes.note add column a int, add column b text, add constraint c check (b is null or length(b) > a);',
    'alter table notes.note set (autovacuum_enabled = on);',
    "insert into notes.note values ('drop table notes.note; alter table notes.note drop column a')",
    'create function f() returns int language plpgsql as $$ begin drop table x; end $$;',
    '-- drop table notes.note\nselect 1;',
    'update notes.note set text = null;',
  ])
    assert.deepEqual(problems(sql), [], sql)
})

test('a migration that an earlier version would not survive is refused', () => {
  const cases: Record<string, RegExp> = {
    'drop table notes.note;': /drops/,
    'DROP  VIEW\n notes.note;': /drops/,
    'drop index notes.once;': /drops/,
    'drop trigger t on notes.note;': /drops/,
    'alter table notes.note drop column text;': /drops/,
    'alter table notes.note add column a int, drop constraint c;': /drops/,
    'alter table notes.note rename column a to b;': /old name/,
    'alter table notes.note rename to notice;': /old name/,
    'alter function notes.f() rename to g;': /old name/,
    'alter table only notes.note alter column a type text;': /old type/,
    'alter table notes.note alter a set data type text;': /old type/,
    'alter table notes.note alter column a set not null;': /null/,
    'alter table notes.note add column a int not null;': /needs a default/,
    'alter table notes.note add constraint c check (a > 0) not valid;': /constraint/,
    'alter table notes.note add column b int, add check (b > a);': /constraint/,
    'create unique index other on notes.note (text);': /unique index/,
  }
  for (const [sql, expected] of Object.entries(cases)) {
    const [problem = 'accepted'] = problems(sql)
    assert.match(problem, expected, sql)
  }
})

test('a migration may change what a later one than the release has created', () => {
  const migrations = [
    { name: '0002_tag', sql: 'create table notes.tag (id int constraint known references notes.note);' },
    { name: '0003_free', sql: 'alter table notes.tag drop constraint known;' },
  ]
  assert.deepEqual(violationsOf(migrations, '0001'), [])
  assert.match(violationsOf(migrations, '0002')[0]?.problem ?? 'accepted', /drops/)
})

test('a migration may remove what the previous release already stopped using', () => {
  assert.deepEqual(problems('-- contract: 0001\ndrop table notes.note;'), [])
  assert.match(problems('-- contract: 0002\ndrop table notes.note;')[0] ?? '', /a version later/)
  assert.deepEqual(problems('-- breaking: no release has it\ndrop table notes.note;'), [])
  assert.deepEqual(problems('drop table notes.note;', '0002'), [], 'a released migration is not examined')
})

test('a migration that rewrites a table is refused, because waiting reads would find it empty', () => {
  for (const sql of [
    'alter table notes.note add column b text generated always as (lower(a)) stored;',
    'alter table notes.note add column a int, add column b uuid not null default gen_random_uuid();',
    'alter table notes.note add column at timestamptz not null default clock_timestamp();',
    'alter table notes.note add b serial;',
    'alter table notes.note add column b bigint generated always as identity;',
    'alter table notes.note set unlogged;',
    '-- contract: 0001\nalter table notes.note alter column a type text;',
    'truncate notes.note;',
  ])
    assert.match(problems(sql)[0] ?? 'accepted', /empty/, sql)
  for (const sql of [
    "alter table notes.note add column b text not null default '', add column c timestamptz default now();",
    'create table notes.tag (id int); alter table notes.tag add column b text generated always as (id::text) stored;',
    'alter table notes.note add constraint c check (a > lower(b)) not valid;',
  ])
    assert.doesNotMatch(problems(sql)[0] ?? 'accepted', /empty/, sql)
})

test('the first line says whether a migration commits itself, and which text it replaces', () => {
  assert.equal(commitsItself('-- batches: the rows of before\ndo $$ begin end $$;'), true)
  assert.equal(commitsItself('select 1;\n-- batches: no\n'), false)
  assert.equal(replacedText(`-- replaces: ${'a'.repeat(64)}\nselect 1;`), 'a'.repeat(64))
  assert.equal(replacedText('-- replaces: something\nselect 1;'), null)
})

test('says which programs continue to run', () => {
  assert.equal(neededFor('create table x ();'), '0000')
  assert.equal(neededFor('-- contract: 0014\ndrop table x;'), '0014')
  assert.equal(neededFor('-- breaking: the audit log has another form\ndrop table x;'), null)
})
