import { parseArgs } from 'node:util'
import type { Listening } from '#plugin-sdk/src/node-listener.ts'

interface Example {
  listen(port: number, host: string): Promise<Listening>
}

/** Runs one example until SIGINT or SIGTERM and prints its address. */
export async function runExample(
  defaults: { pluginId: string },
  create: (options: Omit<ExampleArguments, 'issuer'> & { issuer?: string }) => Example,
): Promise<void> {
  const { issuer, ...options } = readArguments(defaults)
  const example = create({ ...options, ...(issuer === undefined ? {} : { issuer }) })
  const { url, close } = await example.listen(options.port, options.host)
  console.log(`${options.pluginId} accepts lifecycle calls at ${url}/lifecycle`)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void close())
}

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
  --data-dir <folder>            where the plugin stores its state (required)
  --platform-api-base <address>  where the platform's keys are; required without the next option
  --insecure-accept-any-caller   accept calls without a token: for experiments only
  --issuer <text>                the iss of the runtime's tokens; default: the platform's address
  --plugin-id <id>               the id under which the plugin is registered
  --port <number>                default 0: the system chooses
  --host <address>               default 127.0.0.1`

/** Reads the arguments for running an example standalone. Prints what is wrong and exits. */
function readArguments(defaults: { pluginId: string }): ExampleArguments {
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
    if (!Number.isInteger(port) || port < 0 || port > 65535)
      throw new Error('--port must be a number up to 65535')
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
