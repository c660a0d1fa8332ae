import { openSync, writeSync } from 'node:fs'
import { createLog } from '#http-kit/log.ts'
import { serve } from '#http-kit/serve.ts'
import { ResolveHarness, SCOPE } from '#runtime/testing/resolve.ts'
import { reportCpuTime } from './report-cpu-time.ts'

// A runtime in a separate process, for the benchmark of resolving: served over HTTP, with the log of production. The
// first argument is the number of installations; each is in a separate scope.
const count = Number(process.argv[2])
const file = openSync('/dev/null', 'a')
const platform = await ResolveHarness.make({
  log: createLog({ name: 'bench', level: 'info', stream: { write: (line) => void writeSync(file, line) } }),
  checkAnswers: false,
  // one plugin sends what many would
  rateLimit: { perSecond: 1e6, burst: 1e6 },
})
const scopes = Array.from({ length: count }, (_, index) => ({ ...SCOPE, workspaceId: index + 1 }))
await platform.saveService('mail', { methods: ['send'], consumers: scopes })
const { installation } = platform.request() as { installation: object }
const requests = await Promise.all(
  scopes.map(async (scope) => {
    const bundleInstallId = await platform.addInstallation('ACTIVE', scope.workspaceId)
    return platform.request({ installation: { ...installation, ...scope, bundleInstallId } })
  }),
)
const { port } = await serve({ app: platform.http.runtime.app, port: 0, hostname: '127.0.0.1' })
console.log(JSON.stringify({ url: `http://127.0.0.1:${port}`, secret: platform.secret, requests }))

process.stdin.once('end', () => process.exit(0))
reportCpuTime()
