import type { Problem } from '#contract/console-api/problem.ts'
import { useText } from '../../i18n/use-text.ts'

/** What is wrong with a manifest, each at its place in the document. */
export function ManifestProblems({ details }: { details: NonNullable<Problem['details']> }) {
  const t = useText()
  if (details.length === 0) return null
  return (
    <section aria-label={t('catalog.publish.problems', { n: details.length })}>
      <h3 className="mb-2 font-semibold">{t('catalog.publish.problems', { n: details.length })}</h3>
      <ul className="divide-y divide-line rounded-lg border border-line">
        {details.map(({ path, message }, index) => (
          <li
            // two may say the same of the same place
            // oxlint-disable-next-line react/no-array-index-key
            key={index}
            className="grid gap-x-4 px-3 py-2 sm:grid-cols-[minmax(10rem,18rem)_minmax(0,1fr)]"
          >
            <span className="mono text-muted wrap-anywhere">{path || t('catalog.publish.whole')}</span>
            <span className="wrap-anywhere">{message}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
