import {
  applied,
  definePlugin,
  notApplied,
  PluginFailure,
  verified,
  type PluginDefinition,
} from '@bundle-console/plugin-sdk'
import { forget, hasMailbox, keep, type Tx } from './store.ts'

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
            if (action === 'DETACH') {
              await forget(tx, install, locator)
              continue
            }
            if (values.displayName === undefined) continue
            const name = values.displayName.toLowerCase().replaceAll(/[^a-z0-9]+/g, '.')
            const mailbox = `${name}@example.com`
            await keep(tx, install, locator, mailbox)
            writes[locator] = { mailbox }
          }
          return applied(writes)
        }),
      AFTER_RESOURCES: (call) =>
        call.conclude(async (tx) => {
          if (call.operation.operationType === 'DETACH') return notApplied()
          if (await hasMailbox(tx, call.installation.bundleInstallId)) return verified()
          throw new PluginFailure({
            errorCode: 'MAILBOX_MISSING',
            message: 'The mailbox is gone',
            retryable: false,
          })
        }),
    },
  })
