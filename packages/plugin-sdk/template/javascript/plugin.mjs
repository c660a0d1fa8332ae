import {
  applied,
  definePlugin,
  listen,
  notApplied,
  PluginFailure,
  sqliteStore,
  toNodeListener,
  verified,
} from '@bundle-console/plugin-sdk'

const {
  PORT = '8090',
  DATA_FILE = './data/mailbox-maker.sqlite',
  PLATFORM_API_BASE,
  STATE_PORT,
} = process.env
const store = sqliteStore(DATA_FILE, {
  schema: `CREATE TABLE IF NOT EXISTS mailbox (
    install TEXT, locator TEXT, name TEXT, address TEXT, PRIMARY KEY (install, locator)
  )`,
})

const plugin = definePlugin({
  pluginId: 'mailbox-maker',
  store,
  // Without a platform, calls of anyone are accepted: only for trying it out.
  ...(PLATFORM_API_BASE === undefined ? { verify: false } : { platformApiBase: PLATFORM_API_BASE }),
  writes: { mailbox: {} },
  handle: {
    BEFORE_RESOURCES: (call) =>
      call.conclude((tx) => {
        const install = call.installation.bundleInstallId
        if (call.operation.operationType === 'DETACH') {
          const { changes } = tx.prepare('DELETE FROM mailbox WHERE install = ?').run(install)
          return Number(changes) > 0 ? applied() : notApplied()
        }
        const writes = {}
        for (const { action, locator, values } of call.resources) {
          // what an upgrade drops, or has no name any more
          if (action === 'DETACH' || typeof values.displayName !== 'string') {
            tx.prepare('DELETE FROM mailbox WHERE install = ? AND locator = ?').run(install, locator)
            continue
          }
          const name = values.displayName
          const mailbox = `${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '.')}@example.com`
          tx.prepare('INSERT OR REPLACE INTO mailbox VALUES (?, ?, ?, ?)').run(
            install,
            locator,
            name,
            mailbox,
          )
          writes[locator] = { mailbox }
        }
        return applied(writes)
      }),
    AFTER_RESOURCES: (call) =>
      call.conclude((tx) => {
        if (call.operation.operationType === 'DETACH') return notApplied()
        const find = tx.prepare('SELECT 1 FROM mailbox WHERE install = ? AND locator = ?')
        const isComplete = call.resources.every(
          ({ action, locator, values }) =>
            action === 'DETACH' ||
            typeof values.displayName !== 'string' ||
            find.get(call.installation.bundleInstallId, locator) !== undefined,
        )
        if (isComplete) return verified()
        throw new PluginFailure({
          errorCode: 'MAILBOX_MISSING',
          message: 'The mailbox is gone',
          retryable: false,
        })
      }),
  },
})

const { url } = await listen(toNodeListener(plugin), Number(PORT))
console.log(`mailbox-maker accepts lifecycle calls at ${url}/`)

// For tests only: shows the checker what exists.
const state = () => store.transaction((tx) => Response.json(tx.prepare('SELECT * FROM mailbox').all()))
if (STATE_PORT !== undefined) await listen(toNodeListener(state), Number(STATE_PORT))
