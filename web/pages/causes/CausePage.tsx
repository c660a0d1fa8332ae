import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { causeCall, causeMembersCall } from '#contract/console-api/pages/causes.ts'
import type { CauseDetail, Operation } from '#contract/console-api/shapes.ts'
import { apiQuery } from '../../api/query.ts'
import { paths } from '../../addresses/paths.ts'
import { joinClauses, joinList } from '../../i18n/punctuation.ts'
import { useRichText, useText } from '../../i18n/use-text.ts'
import { Page } from '../../layouts/Page.tsx'
import { PendingPage } from '../../layouts/PendingPage.tsx'
import { affectedText, causeTitle } from '../../subjects/causes/cause-texts.ts'
import { CauseActions } from '../../subjects/causes/CauseActions.tsx'
import { CauseMemory } from '../../subjects/causes/CauseMemory.tsx'
import { CauseStateBadge } from '../../subjects/causes/CauseStateBadge.tsx'
import { FollowButton } from '../../subjects/inbox/FollowButton.tsx'
import { NoteList } from '../../subjects/people/NoteList.tsx'
import { RetryCause } from '../../subjects/causes/RetryCause.tsx'
import { NextStepText } from '../../subjects/operations/NextStepText.tsx'
import { operationName } from '../../subjects/operations/operation-texts.ts'
import { PluginLink } from '../../subjects/plugins/PluginLink.tsx'
import { ScopeLink } from '../../subjects/scopes/ScopeText.tsx'
import { Card, Section } from '../../ui/Card.tsx'
import { DefinitionList } from '../../ui/DefinitionList.tsx'
import { PlainLink, TextLink } from '../../ui/Link.tsx'
import { Time } from '../../ui/Time.tsx'

const route = getRouteApi('/causes/$id')

/** One cause: who works on it, what solved it before, the operations that are failed with it, and the notes. */
export function CausePage() {
  const t = useText()
  const { id } = route.useParams()
  const query = useQuery(apiQuery('GET /causes/{causeId}', causeCall(id)))
  const trail = [{ label: t('operations.causes.label'), to: paths.operations({ view: 'causes' }) }]
  if (!query.data) return <PendingPage id={t('operations.cause.title')} trail={trail} query={query} />
  const cause = query.data
  return (
    <Page
      title={causeTitle(cause, t)}
      trail={trail}
      state={<CauseStateBadge cause={cause} look="pill" />}
      meta={
        <>
          {cause.pluginId !== null && <PluginLink pluginId={cause.pluginId} />}
          <span className="mono text-xs wrap-anywhere">{cause.errorCode}</span>
          <FollowButton subject={{ kind: 'cause', causeId: cause.causeId }} />
        </>
      }
      actions={<CauseActions cause={cause} size="md" />}
    >
      <div className="space-y-6">
        <Card>
          <div className="space-y-4">
            <Facts cause={cause} />
            <CauseMemory cause={cause} />
            {cause.count > 0 && (
              <div className="flex flex-wrap gap-2">
                <RetryCause cause={cause} />
                <RetryCause cause={cause} action="TAKEOVER" />
              </div>
            )}
          </div>
        </Card>
        <Notes cause={cause} />
        <Members cause={cause} />
      </div>
    </Page>
  )
}

function Facts({ cause }: { cause: CauseDetail }) {
  const t = useText()
  const { latest, firstAt, lastAt, solvedBy } = cause
  return (
    <DefinitionList
      layout="facts"
      items={[
        { label: t('operations.causes.count'), value: affectedText(cause, t) },
        { label: t('operations.cause.first'), value: <Time at={firstAt} /> },
        { label: t('operations.cause.last'), value: <Time at={lastAt} /> },
        latest !== null && {
          label: t('common.nextStep'),
          value: <NextStepText nextStep={latest.nextStep} />,
        },
        latest !== null &&
          latest.retryHelps !== null && {
            label: t('operations.field.retryHelps'),
            value: t(`operations.field.retryHelps.${latest.retryHelps}`),
          },
        cause.state === 'SOLVED' &&
          solvedBy === null && {
            label: t('operations.cause.solvedBy'),
            value: t('operations.cause.neverSolved'),
          },
      ]}
    />
  )
}

function Notes({ cause: { notes } }: { cause: CauseDetail }) {
  const t = useText()
  if (notes.length === 0) return null
  return (
    <Section title={t('operations.notes.title')} flush>
      <NoteList notes={notes} />
    </Section>
  )
}

/** The failed operations, by bundle: the newest of each, and how many there are. */
function Members({ cause }: { cause: CauseDetail }) {
  const t = useText()
  const members = useQuery(apiQuery('GET /operations', causeMembersCall(cause.causeId))).data
  if (cause.count === 0 || members === undefined) return null
  const of = Map.groupBy(members.items, ({ installation: { bundle } }) => keyOf(bundle))
  return (
    <Section
      title={t('operations.cause.members')}
      actions={
        <TextLink to={paths.operations({ causeId: cause.causeId })}>
          {t('operations.cause.members.all', { n: cause.count })}
        </TextLink>
      }
      flush
    >
      <div className="space-y-4">
        {cause.inBundles.map(({ bundle, count, versions }) => {
          const shown = of.get(keyOf(bundle)) ?? []
          return (
            <Card key={keyOf(bundle)} padded={false}>
              <h3 className="flex flex-wrap items-baseline gap-x-3 border-b border-line bg-sunken px-4 py-2 font-semibold first:rounded-t-lg">
                {shown[0]?.title ?? bundle.bundleId}
                <span className="text-xs font-normal text-muted">
                  {joinClauses(t, [t('operations.cause.members.count', { n: count }), joinList(t, versions)])}
                </span>
              </h3>
              <ul className="divide-y divide-line">
                {shown.slice(0, SHOWN).map((operation) => (
                  <Member key={operation.operationId} operation={operation} />
                ))}
              </ul>
              {count > Math.min(shown.length, SHOWN) && (
                <p className="border-t border-line px-4 py-2 text-xs">
                  <TextLink
                    to={paths.operations({
                      causeId: cause.causeId,
                      bundleEnvironmentKey: bundle.environmentKey,
                      bundleId: bundle.bundleId,
                    })}
                  >
                    {t('operations.cause.members.more', { n: count - Math.min(shown.length, SHOWN) })}
                  </TextLink>
                </p>
              )}
            </Card>
          )
        })}
      </div>
    </Section>
  )
}

const SHOWN = 20
const keyOf = ({ environmentKey, bundleId }: { environmentKey: string; bundleId: string }) =>
  `${environmentKey}/${bundleId}`

function Member({ operation }: { operation: Operation }) {
  const t = useText()
  const rich = useRichText()
  const { operationId, installation, finishedAt, createdAt, assignee } = operation
  return (
    <li className="relative flex flex-wrap items-baseline gap-x-4 gap-y-0.5 px-4 py-2 hover:bg-hover">
      <PlainLink
        to={paths.operation(operationId)}
        className="inline-flex min-h-6 items-center rounded-sm font-medium after:absolute after:inset-0"
      >
        {operationName(operation, t)}
      </PlainLink>
      <span className="relative inline-flex min-h-6 items-center text-xs">
        <ScopeLink scope={installation} />
      </span>
      <span className="text-xs text-muted">
        {rich('operations.cause.failedAt', { time: <Time at={finishedAt ?? createdAt} inRow /> })}
      </span>
      {assignee !== null && <span className="text-xs text-muted">{assignee.name}</span>}
    </li>
  )
}
