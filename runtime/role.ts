import { SettingsError } from '#http-kit/settings.ts'

/** What a replica runs. */
export interface Role {
  api: boolean
  worker: boolean
  /** The log message when it is listening. */
  title: string
}

const OPTIONS = ['--api', '--worker']

/** @throws SettingsError for an unknown option. */
export function readRole(args: readonly string[]): Role {
  const unknown = args.find((argument) => !OPTIONS.includes(argument))
  if (unknown !== undefined)
    throw new SettingsError(`${unknown} is not an option; use --api or --worker, or neither for both`)
  const both = OPTIONS.every((option) => args.includes(option) === args.includes('--api'))
  if (both) return { api: true, worker: true, title: 'the runtime is listening' }
  return args.includes('--api')
    ? { api: true, worker: false, title: 'the runtime is listening; other replicas run the operations' }
    : { api: false, worker: true, title: 'the worker is running; its port serves only health and metrics' }
}
