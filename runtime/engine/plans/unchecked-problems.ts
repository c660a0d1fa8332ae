import { platformMessage } from '#contract/protocol/platform-messages.ts'
import type { FrozenPlan } from '../../model/plan.ts'
import type { UncheckedPlugins } from '../../model/unchecked-plugin.ts'
import type { PlatformProblem } from '../problem.ts'

/** Why an environment that requires a passing report refuses to call these plugins; each is named once. */
export function uncheckedProblems(
  plugins: FrozenPlan['plugins'],
  unchecked: UncheckedPlugins,
  environment: string,
): PlatformProblem[] {
  return [...new Set(plugins.map(({ pluginId }) => pluginId))].flatMap((plugin) => {
    const found = unchecked.get(plugin)
    if (found?.policy !== 'REFUSE') return []
    const { version, reason } = found
    const message =
      version === null
        ? platformMessage('pluginVersionUnknown', { environment, plugin })
        : reason === 'NO_REPORT'
          ? platformMessage('pluginReportMissing', { environment, plugin, version })
          : platformMessage('pluginReportNotPassed', { environment, plugin, version })
    return [{ errorCode: 'PLUGIN_NOT_CHECKED', ...message }]
  })
}
