import { listen, toNodeListener } from '@bundle-console/plugin-sdk'
import { mailboxMaker } from './plugin.ts'
import { openStore } from './store.ts'

const platformApiBase = process.env['PLATFORM_API_BASE']
const plugin = mailboxMaker({
  store: openStore(),
  // Without a platform, calls of anyone are accepted: only for trying it out.
  ...(platformApiBase === undefined ? { verify: false } : { platformApiBase }),
})

const { url } = await listen(toNodeListener(plugin), Number(process.env['PORT'] ?? 8090))
console.log(`mailbox-maker accepts lifecycle calls at ${url}/`)
