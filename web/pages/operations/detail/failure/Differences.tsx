import { useText } from '../../../../i18n/use-text.ts'
import type { FailurePoint } from '../calls/timeline.ts'
import { differencesIn } from './response-differences.ts'

/** The fields that the plugin did not repeat from the request: the expected and the received value side by side. */
export function Differences({ failurePoint }: { failurePoint: FailurePoint | null }) {
  const t = useText()
  const response = failurePoint?.bar?.attempt.response
  const rows = differencesIn(response)
  if (rows.length === 0) return null
  return (
    <table className="w-full text-left">
      <thead className="text-xs text-faint">
        <tr>
          <th className="pr-4 font-normal">{t('operations.failed.differs.field')}</th>
          <th className="pr-4 font-normal">{t('operations.failed.differs.expected')}</th>
          <th className="font-normal">{t('operations.failed.differs.received')}</th>
        </tr>
      </thead>
      <tbody className="mono text-xs">
        {rows.map(({ field, expected, received }) => (
          <tr key={field} className="align-top">
            <td className="pr-4 wrap-anywhere">{field}</td>
            <td className="pr-4 wrap-anywhere">{expected}</td>
            <td className="font-semibold wrap-anywhere text-fail">{received}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
