import { Pool } from 'undici'
import { CONCURRENCY } from './arm.ts'

/** The calls of the other engines: the same request that ours sends, with the client that ours is built on. */
export function poster(pluginUrl: string): (stage: string) => Promise<unknown> {
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
