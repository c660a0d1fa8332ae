import { scopeText } from '../../components/scope-text.ts'
import { useStoredDrafts } from '../../components/stored-drafts.ts'
import { useRichText, useText } from '../../i18n/use-text.ts'
import { useShell } from '../../layouts/shell-context.ts'
import { paths } from '../../paths.ts'
import { Section } from '../../ui/Card.tsx'
import { Icon } from '../../ui/icons/Icon.tsx'
import { TextLink } from '../../ui/Link.tsx'
import { Time } from '../../ui/Time.tsx'

const SHOWN = 5

/** The person's own unsaved changes in this browser, oldest first. */
export function MyDrafts() {
  const t = useText()
  const rich = useRichText()
  const drafts = useStoredDrafts(useShell().user?.id)
  if (drafts.length === 0) return null
  return (
    <Section title={t('shell.drafts.title')} flush>
      <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
        {drafts.slice(0, SHOWN).map(({ scope, edits, since }) => (
          <li key={scopeText(scope)} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5">
            <Icon name="edit" size={14} className="text-accent" />
            <TextLink to={paths.configuration(scope, { show: 'changed' })}>{scopeText(scope)}</TextLink>
            <span>{t('shell.drafts.count', { n: edits })}</span>
            {since !== null && (
              <span className="text-muted">
                {rich('shell.drafts.since', { when: <Time at={new Date(since).toISOString()} /> })}
              </span>
            )}
          </li>
        ))}
      </ul>
      {drafts.length > SHOWN && (
        <p className="mt-1.5 text-xs text-muted">{t('shell.drafts.more', { n: drafts.length - SHOWN })}</p>
      )}
    </Section>
  )
}
