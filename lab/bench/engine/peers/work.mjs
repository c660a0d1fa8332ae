// Plain JavaScript: the packages of these engines are installed only for the benchmark, so the compiler cannot read them.
import pg from 'pg'
import { Pool } from 'undici'

export const CONCURRENCY = Number(process.env.BENCH_AT_ONCE ?? 20)

/** At most this many connections in each of the two pools of a peer; the server has 100. */
export const CONNECTIONS = Math.min(CONCURRENCY + 5, 45)

const REQUEST = {
  contractVersion: '1.0.0',
  pluginId: 'provisioner',
  executionSequence: 1,
  installation: {
    environmentKey: 'bench',
    applicationRuntimeId: 'engine',
    workspaceId: 1,
    bundleInstallId: '01980000-0000-7000-8000-000000000000',
    bundle: { environmentKey: 'bench', bundleId: 'crm' },
  },
  operation: {
    operationId: '01980000-0000-7000-8000-000000000001',
    operationType: 'CONFIGURE',
    currentVersion: '1.0.0',
    targetVersion: '1.0.0',
  },
  configuration: { schemaVersion: '1', values: { size: 'small' } },
  resources: {
    'bench/crm/MODULE/tenants': {
      action: 'CONFIGURE',
      currentVersion: '1.0.0',
      targetVersion: '1.0.0',
      properties: { region: { '@type': 'Data', value: 'eu' } },
      references: {},
    },
  },
}

/** The calls of the peers: a request as ours sends it, with the client that ours is built on. */
export function poster(pluginUrl) {
  const pool = new Pool(pluginUrl, { connections: CONCURRENCY })
  return async (stage) => {
    const { statusCode, body } = await pool.request({
      method: 'POST',
      path: '/',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...REQUEST, stage }),
    })
    if (statusCode !== 200) throw new Error(`The plugin responded with ${statusCode}`)
    return body.json()
  }
}

export function openPool(databaseUrl, max) {
  const pool = new pg.Pool({ connectionString: databaseUrl, max })
  const fail = (error) => console.error(error)
  return pool.on('error', fail).on('connect', (client) => client.on('error', fail))
}

const TABLE = `
  create table attempt (
    job text, stage text, started_at timestamptz not null default clock_timestamp(), finished_at timestamptz,
    outcome text, response json, primary key (job, stage))`

const BEGIN = {
  name: 'begin',
  text: `insert into attempt (job, stage) select unnest($1::text[]), 'BEFORE_RESOURCES'`,
}
const finish = (stage) => `
  update attempt set finished_at = clock_timestamp(), outcome = answer.outcome, response = answer.response
  from unnest($1::text[], $2::text[], $3::json[]) as answer (job, outcome, response)
  where attempt.job = answer.job and attempt.stage = '${stage}'`
const NEXT = {
  name: 'next',
  text: `with finished as (${finish('BEFORE_RESOURCES')} returning attempt.job)
    insert into attempt (job, stage) select job, 'AFTER_RESOURCES' from finished`,
}
const END = { name: 'end', text: finish('AFTER_RESOURCES') }
const STORE = {
  name: 'store',
  text: 'insert into result (job, response) select * from unnest($1::text[], $2::json[])',
}

/**
 * What a peer stores of its jobs, in batches or one at a time. `recorded`: an attempt is committed before each call and its
 * outcome after it; the outcome of the first call and the attempt of the second are one statement, as in our engine.
 * Otherwise only the response of the first call is stored, because the second call needs it, and the peer keeps the other.
 */
export function work({ query, pluginUrl, recorded }) {
  const post = poster(pluginUrl)
  const callAll = (ids, stage) => Promise.all(ids.map(() => post(stage)))
  const outcomes = (ids, answers) => [
    ids,
    answers.map(({ data }) => data.outcome),
    answers.map((answer) => JSON.stringify(answer)),
  ]
  return {
    async prepare() {
      await query({ text: recorded ? TABLE : 'create table result (job text primary key, response json)' })
    },
    /** Makes both calls of each of these jobs, and resolves with the second responses. */
    async run(ids) {
      if (recorded) await query({ ...BEGIN, values: [ids] })
      const before = await callAll(ids, 'BEFORE_RESOURCES')
      if (recorded) await query({ ...NEXT, values: outcomes(ids, before) })
      else await query({ ...STORE, values: [ids, before.map((answer) => JSON.stringify(answer))] })
      const after = await callAll(ids, 'AFTER_RESOURCES')
      if (recorded) await query({ ...END, values: outcomes(ids, after) })
      return after
    },
    /** SQL: the number of jobs that have what they must store. */
    stored: recorded
      ? 'select count(*)::integer / 2 as stored from attempt where finished_at is not null and response is not null'
      : 'select count(*)::integer as stored from result',
  }
}

export async function countIn(pool, text) {
  const { rows } = await pool.query(text)
  return rows[0].stored
}
