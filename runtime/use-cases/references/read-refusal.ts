import type { RuntimeErrorCode } from '#contract/protocol/error-codes.ts'
import type { PluginRefusal } from '#contract/runtime-api/vocabulary.ts'
import { DomainError } from '../../engine/refusals.ts'

/** A call of a plugin that a rule of this platform refuses. Plugins see the code and the message, people also the rule. */
export class ReadRefusal extends DomainError {
  readonly rule: PluginRefusal
  /** The plugin, if its credential was refused; otherwise the caller knows it. */
  readonly pluginId: string | null
  readonly serviceId: string | null

  constructor(
    rule: PluginRefusal,
    code: RuntimeErrorCode,
    message: string,
    options: { retryable?: boolean; pluginId?: string; serviceId?: string } = {},
  ) {
    super(code, message, { retryable: options.retryable ?? false })
    this.name = 'ReadRefusal'
    this.rule = rule
    this.pluginId = options.pluginId ?? null
    this.serviceId = options.serviceId ?? null
  }
}
