import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { createLog } from '#http-kit/log.ts'
import { billing, SCOPE } from '../testing/bundles.ts'
import { testHttp } from '../testing/http.ts'
import type { TestHttp } from '../testing/http.ts'
import { until } from '../testing/stream.ts'

const lines: Record<string, unknown>[] = []
let http: TestHttp
before(async () => {
  const stream = { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) }
  http = await testHttp({ worker: { pollMs: 50 }, log: createLog({ name: 'test', level: 'warn', stream }) })
})
after(() => http.close())

it('a failed operation is one line in the log, with its ID and error code', async () => {
  // its plugin is not registered
  const plugin = { pluginId: 'nobody', order: 10, failurePolicy: 'FAIL_FAST', resources: [] }
  const bundle = { ...billing, plugins: [{ ...plugin, configuration: { schemaVersion: '1', values: {} } }] }
  await http.call('/bundles/dev/billing/versions/1.0.0', { method: 'PUT', body: bundle as never })
  const { data } = await http.call('/installations', {
    method: 'POST',
    body: { scope: { ...SCOPE }, bundle: { ...billing.bundle }, targetVersion: '1.0.0' },
  })
  const { operationId } = data['operation'] as { operationId: string }
  const failures = () => lines.filter(({ msg }) => msg === 'operation failed')
  await until(() => failures().length > 0)
  const [line] = failures()
  assert.equal(line?.['operationId'], operationId)
  assert.equal(line['errorCode'], 'PLUGIN_NOT_REGISTERED')
  assert.equal(line['operationType'], 'INSTALL')
  assert.equal(failures().length, 1)
})
