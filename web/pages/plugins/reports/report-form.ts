import * as z from 'zod/mini'
import type { JsonValue } from '#contract/json-schema/json.ts'
import { isKey } from '#contract/protocol/locator.ts'
import { parseJson } from '../../../forms/fields/parse-json.ts'
import type { Translate } from '../../../i18n/use-text.ts'

/** A report can be sent when it is a JSON report and its version is known. The runtime checks everything else. */
export const reportSchema = (registered: string | undefined, t: Translate) =>
  z.object({
    report: z.string().check(
      z.check(({ value, issues }) => {
        const report = value.trim() === '' ? null : parseJson(value)
        const message =
          report === undefined || !Array.isArray(member(report, 'cases'))
            ? t('pluginReports.form.notReport')
            : versionOf(report, registered) === null
              ? t('pluginReports.form.noVersion')
              : null
        if (message !== null) issues.push({ code: 'custom', input: value, message })
      }),
    ),
    reason: z.string(),
  })

/** The version that a report is about: the one it names, or else the registered one. */
export function versionOf(report: JsonValue | undefined, registered: string | undefined): string | null {
  const named = member(report, 'pluginVersion') ?? registered
  return typeof named === 'string' && isKey(named) ? named : null
}

/** A report without the exchanges of its cases, which the runtime does not read and which can be large. */
export function withoutExchanges(report: JsonValue | undefined): JsonValue | undefined {
  const cases = member(report, 'cases')
  if (!Array.isArray(cases)) return report
  return {
    ...(report as Record<string, JsonValue>),
    cases: cases.map((one: JsonValue) =>
      typeof one === 'object' && one !== null && !Array.isArray(one)
        ? Object.fromEntries(Object.entries(one).filter(([name]) => name !== 'exchanges'))
        : one,
    ),
  }
}

const member = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined
