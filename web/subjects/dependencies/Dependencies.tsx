import type { UseQueryResult } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { DependencyGraph } from '#contract/console-api/shapes.ts'
import { paths } from '../../addresses/paths.ts'
import { useErrorView } from '../../i18n/describe-code.ts'
import { joinSentences } from '../../i18n/punctuation.ts'
import { useText, type Translate } from '../../i18n/use-text.ts'
import { Button } from '../../ui/Button.tsx'
import { Section } from '../../ui/Card.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { PlainLink } from '../../ui/Link.tsx'
import { SkeletonLines } from '../../ui/Skeleton.tsx'
import type { Column } from '../../ui/table/column.ts'
import { OutdatedNotice } from '../../ui/table/QueryTable.tsx'
import { Table } from '../../ui/table/Table.tsx'
import { BundleName } from '../manifest/BundleName.tsx'
import { PropertyPlaceText, ServiceLink } from '../references/PropertyPlace.tsx'
import { ScopeText } from '../scopes/ScopeText.tsx'
import { DependencyPicture } from './DependencyPicture.tsx'
import { countReached, pictureOf, reachedUses, type Box, type ReachedUse } from './picture.ts'

/** What is reached if a service or an installation stops, as a sentence, a picture and a table, and what it needs. */
export function Dependencies({
  of,
  title,
  query,
}: {
  of: 'service' | 'installation'
  /** Of what the page is about. */
  title: string
  query: UseQueryResult<DependencyGraph>
}) {
  const t = useText()
  const error = useErrorView(query.error)
  const { data } = query
  return (
    <Section
      title={t('references.graph.title')}
      description={data && sentenceOf({ of, title, graph: data }, t)}
      flush
    >
      <OutdatedNotice query={query} />
      {data !== undefined ? (
        <Shown graph={data} title={title} />
      ) : error === null ? (
        <SkeletonLines lines={6} />
      ) : (
        <ErrorState error={error} onRetry={() => void query.refetch()} retrying={query.isFetching} />
      )}
    </Section>
  )
}

function Shown({ graph, title }: { graph: DependencyGraph; title: string }) {
  const t = useText()
  const [chosen, setChosen] = useState<(Box & { bundleInstallIds: string[] }) | null>(null)
  const picture = useMemo(() => pictureOf(graph), [graph])
  const all = useMemo(() => reachedUses(graph), [graph])
  const columns = useMemo(() => reachedColumns(t), [t])
  const rows =
    chosen === null
      ? all
      : all.filter(({ installation }) =>
          chosen.bundleInstallIds.includes(installation.installation.bundleInstallId),
        )
  if (picture.boxes.length === 1) return null
  return (
    <div className="space-y-3">
      <DependencyPicture
        label={t('references.graph.picture', { name: title })}
        picture={picture}
        chosen={chosen?.id ?? null}
        onChoose={(box) => setChosen(box.id === chosen?.id ? null : box)}
      />
      {chosen !== null && (
        <p role="status" className="flex flex-wrap items-center gap-x-3 gap-y-1 text-muted">
          <span>{t('references.graph.chosen', { n: new Set(rows.map(rowInstallation)).size })}</span>
          <Button size="sm" onClick={() => setChosen(null)}>
            {t('references.graph.all')}
          </Button>
        </p>
      )}
      {/* the sentence above the picture says that nothing is reached */}
      {all.length > 0 && (
        <Table
          label={t('references.graph.table')}
          columns={columns}
          rows={rows}
          rowKey={rowKey}
          empty={<EmptyState icon="services" title={t('references.graph.none')} />}
        />
      )}
    </div>
  )
}

/** How many are reached, and whether the graph is complete. */
function sentenceOf(
  { of, title, graph }: { of: 'service' | 'installation'; title: string; graph: DependencyGraph },
  t: Translate,
): string {
  const { direct, further } = countReached(graph)
  return joinSentences(t, [
    direct === 0
      ? t(`references.graph.nobody.${of}`, { name: title })
      : t(`references.graph.users.${of}`, { n: direct, name: title }),
    further > 0 && t('references.graph.further', { n: further }),
    graph.more > 0 && t('references.graph.more', { n: graph.more }),
  ])
}

const rowInstallation = ({ use }: ReachedUse) => use.bundleInstallId
const rowKey = ({ use }: ReachedUse) => `${use.bundleInstallId} ${use.serviceId}`

const reachedColumns = (t: Translate): Column<ReachedUse>[] => [
  {
    id: 'installation',
    header: t('references.column.installation'),
    cell: ({ installation: { installation, title } }) => (
      <PlainLink
        to={paths.installation(installation.bundleInstallId)}
        className="target rounded-sm font-medium hover:underline"
      >
        <BundleName
          title={title}
          bundle={installation.bundle}
          idClass="@min-[40rem]/table:@max-[68rem]/table:hidden"
        />
      </PlainLink>
    ),
    width: 'max(8.5rem, 40cqi - 13rem)',
  },
  {
    id: 'scope',
    header: t('references.column.scope'),
    cell: ({ installation: { installation } }) => <ScopeText scope={installation} />,
    width: 'max(13.5rem, 20cqi)',
    card: 'wide',
  },
  {
    id: 'property',
    header: t('references.column.property'),
    cell: ({ installation: { installation }, use: { properties, propertyCount } }) => (
      <>
        {properties.map((place) => (
          <PropertyPlaceText
            key={`${place.locator} ${place.property}`}
            installation={installation}
            {...place}
          />
        ))}
        {propertyCount > properties.length && (
          <span className="block pb-1.5 text-muted">
            {t('references.graph.moreProperties', { n: propertyCount - properties.length })}
          </span>
        )}
      </>
    ),
    card: 'wide',
  },
  {
    id: 'service',
    header: t('references.column.service'),
    cell: ({ use: { serviceId }, serviceTitle }) => (
      <ServiceLink serviceId={serviceId} title={serviceTitle} />
    ),
    width: '18%',
  },
  {
    id: 'between',
    header: t('references.column.between'),
    cell: ({ between }) => (
      <span className="text-muted">
        {between === 0 ? t('references.graph.directly') : t('references.graph.between', { n: between })}
      </span>
    ),
    width: '10.5rem',
    hideBelow: 'lg',
  },
]
