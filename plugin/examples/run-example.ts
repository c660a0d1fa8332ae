import { readArguments, type ExampleArguments } from './arguments.ts'
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
