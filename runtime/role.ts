import { SettingsError } from '#http-kit/settings.ts'

/** What a replica does. */
export interface Role {
  api: boolean
  worker: boolean
  /** For the log, once it listens. */
  title: string
}

const OPTIONS = ['--api', '--worker']

/** @throws SettingsError for an option that there is not. */
export function readRole(args: readonly string[]): Role {
  const unknown = args.find((argument) => !OPTIONS.includes(argument))
  if (unknown !== undefined)
    throw new SettingsError(`${unknown} is no option; there are --api and --worker, and neither means both`)
  const both = OPTIONS.every((option) => args.includes(option) === args.includes('--api'))
  if (both) return { api: true, worker: true, title: 'the runtime listens' }
  return args.includes('--api')
    ? { api: true, worker: false, title: 'the runtime listens; operations are worked on by other replicas' }
    : { api: false, worker: true, title: 'the worker works; its port answers health and metrics alone' }
}
