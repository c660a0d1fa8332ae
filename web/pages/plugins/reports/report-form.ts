import * as z from 'zod/mini'
import type { JsonValue } from '#contract/json-schema/json.ts'
import { FILE_BYTES_MAX, FILE_KEYS_MAX } from '#contract/protocol/limits.ts'
import { isKey } from '#contract/protocol/locator.ts'
import { jsonErrorText, readJson, type JsonReading } from '../../../forms/json/parse-json.ts'
import type { Translate } from '../../../i18n/use-text.ts'

/** A report can be sent when it is a JSON report and its version is known. The runtime checks everything else. */
export const reportSchema = (registered: string | undefined, t: Translate) =>
  z.object({
    report: z.string().check(
      z.check(({ value, issues }) => {
        const message = problemOf(value, registered, t)
        if (message !== null) issues.push({ code: 'custom', input: value, message })
      }),
    ),
    reason: z.string(),
  })

function problemOf(text: string, registered: string | undefined, t: Translate): string | null {
  if (text.trim() === '') return t('pluginReports.form.notReport')
  const { value: report, error } = readReport(text)
  if (error !== null) return jsonErrorText(error, t)
  if (!Array.isArray(member(report, 'cases'))) return t('pluginReports.form.notReport')
  return versionOf(report, registered) === null ? t('pluginReports.form.noVersion') : null
}

/** Exchanges, which are not sent, may have longer strings than a request. */
export const readReport = (text: string): JsonReading =>
  readJson(text, { maxKeys: FILE_KEYS_MAX, maxStringBytes: FILE_BYTES_MAX })

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
