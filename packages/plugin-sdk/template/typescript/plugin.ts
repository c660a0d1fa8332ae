import {
  applied,
  definePlugin,
  notApplied,
  PluginFailure,
  verified,
  type PluginDefinition,
} from '@bundle-console/plugin-sdk'
import { find, forget, keep, type Tx } from './store.ts'

type Settings = Omit<PluginDefinition<Tx>, 'pluginId' | 'handle' | 'writes'>

/** Makes a mailbox for each Module with a name. The types of the values are those of manifest.d.ts. */
export const mailboxMaker = (settings: Settings) =>
  definePlugin({
    ...settings,
    pluginId: 'mailbox-maker',
    writes: { mailbox: {} },
    handle: {
      BEFORE_RESOURCES: (call) =>
        call.conclude(async (tx) => {
          const install = call.installation.bundleInstallId
          if (call.operation.operationType === 'DETACH')
            return (await forget(tx, install, null)) ? applied() : notApplied()
          const writes: Record<string, { mailbox: string }> = {}
          for (const { action, locator, values } of call.resources) {
            // what an upgrade drops, or has no name any more
            if (action === 'DETACH' || values.displayName === undefined) {
              await forget(tx, install, locator)
              continue
            }
            const name = values.displayName
            const mailbox = `${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '.')}@example.com`
            await keep(tx, install, locator, { name, address: mailbox })
            writes[locator] = { mailbox }
          }
          return applied(writes)
        }),
      AFTER_RESOURCES: (call) =>
        call.conclude(async (tx) => {
          if (call.operation.operationType === 'DETACH') return notApplied()
          for (const { action, locator, values } of call.resources) {
            if (action === 'DETACH' || values.displayName === undefined) continue
            const found = await find(tx, call.installation.bundleInstallId, locator)
            if (found.length > 0) continue
            throw new PluginFailure({
              errorCode: 'MAILBOX_MISSING',
              message: 'The mailbox is gone',
              retryable: false,
            })
          }
          return verified()
        }),
    },
  })
