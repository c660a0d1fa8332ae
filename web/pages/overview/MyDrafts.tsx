import { scopeText } from '../../subjects/scopes/scope-text.ts'
import { useStoredDrafts, useStoredOperationDrafts } from '../../subjects/drafts/stored-drafts.ts'
import { useRichText, useText } from '../../i18n/use-text.ts'
import { useShell } from '../../subjects/shell/shell-context.ts'
import { paths } from '../../addresses/paths.ts'
import { Section } from '../../ui/Card.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { TextLink, type LinkTarget } from '../../ui/Link.tsx'
import { Time } from '../../ui/Time.tsx'

const SHOWN = 5

/** The person's own unsaved changes in this browser, oldest first. */
export function MyDrafts() {
  const t = useText()
  const rich = useRichText()
  const personId = useShell().user?.id
  const inScopes = useStoredDrafts(personId)
  const ofOperations = useStoredOperationDrafts(personId)
  const drafts = [
    ...inScopes.map(({ scope, change, ...draft }) => ({
      ...draft,
      title: change === null ? scopeText(scope) : t('shell.drafts.request', { scope: scopeText(scope) }),
      to: paths.configuration(scope, {
        show: 'changed',
        ...(change !== null && { change }),
      }) as LinkTarget,
    })),
    ...ofOperations.map(({ place, title, ...draft }) => ({
      ...draft,
      title: t(`shell.drafts.${place.kind}`, { bundle: title }),
      to: (place.kind === 'INSTALL'
        ? paths.installationNew(place.search)
        : paths.installation(place.bundleInstallId, {
            action: 'upgrade',
            version: place.version,
          })) as LinkTarget,
    })),
  ].toSorted((one, other) => (one.since ?? 0) - (other.since ?? 0))
  if (drafts.length === 0) return null
  return (
    <Section title={t('shell.drafts.title')} flush>
      <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
        {drafts.slice(0, SHOWN).map(({ title, to, edits, since }) => (
          <li key={JSON.stringify(to)} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5">
            <Icon name="edit" size={14} className="text-accent" />
            <TextLink to={to}>{title}</TextLink>
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
