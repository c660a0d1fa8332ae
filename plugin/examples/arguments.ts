import { parseArgs } from 'node:util'

export interface ExampleArguments {
  port: number
  host: string
  dataDir: string
  pluginId: string
  platformApiBase: string
  issuer: string | undefined
  verify: boolean
}

const USAGE = `Options:
  --data-dir <folder>            where the plugin keeps its state (required)
  --platform-api-base <address>  where the platform's keys are; required, but with the option that follows it
  --insecure-accept-any-caller   take calls without a token: for trying out only
  --issuer <text>                the iss of the runtime's tokens; the platform's address unless given
  --plugin-id <id>               the id under which the plugin is registered
  --port <number>                0, which is the default, lets the system choose
  --host <address>               127.0.0.1 unless given`

/** The arguments with which an example runs alone. Tells what is wrong and ends the process. */
export function readArguments(defaults: { pluginId: string }): ExampleArguments {
  try {
    const { values } = parseArgs({
      options: {
        'data-dir': { type: 'string' },
        'platform-api-base': { type: 'string' },
        'insecure-accept-any-caller': { type: 'boolean', default: false },
        issuer: { type: 'string' },
        'plugin-id': { type: 'string', default: defaults.pluginId },
        port: { type: 'string', default: '0' },
        host: { type: 'string', default: '127.0.0.1' },
      },
    })
    const verify = !values['insecure-accept-any-caller']
    const dataDir = values['data-dir']
    if (dataDir === undefined) throw new Error('--data-dir is required')
    if (verify && values['platform-api-base'] === undefined)
      throw new Error('--platform-api-base is required')
    const port = Number(values.port)
    if (!Number.isInteger(port) || port < 0 || port > 65535) throw new Error('--port is a number up to 65535')
    return {
      port,
      host: values.host,
      dataDir,
      pluginId: values['plugin-id'],
      platformApiBase: values['platform-api-base'] ?? 'http://platform.invalid',
      issuer: values.issuer,
      verify,
    }
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`)
    process.exit(2)
  }
}
