import { listen, toNodeListener } from '@bundle-console/plugin-sdk'
import { mailboxMaker } from './plugin.ts'
import { find, openStore } from './store.ts'

const platformApiBase = process.env['PLATFORM_API_BASE']
const store = openStore()
const plugin = mailboxMaker({
  store,
  // Without a platform, calls of anyone are accepted: only for trying it out.
  ...(platformApiBase === undefined ? { verify: false } : { platformApiBase }),
})

const { url } = await listen(toNodeListener(plugin), Number(process.env['PORT'] ?? 8090))
console.log(`mailbox-maker accepts lifecycle calls at ${url}/`)

// For tests only: shows the checker what exists.
const statePort = process.env['STATE_PORT']
const state = () => store.transaction(async (tx) => Response.json(await find(tx)))
if (statePort !== undefined) await listen(toNodeListener(state), Number(statePort))
