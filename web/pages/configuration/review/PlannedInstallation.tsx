import type { PropertyView } from '#contract/console-api/shapes.ts'
import { PlannedCalls } from '../../../subjects/plan/PlannedCalls.tsx'
import { placedError } from '../../../forms/property/translate-error.ts'
import { useRichText, useText } from '../../../i18n/use-text.ts'
import { paths } from '../../../addresses/paths.ts'
import { Checkbox } from '../../../ui/Checkbox.tsx'
import { Icon } from '../../../ui/Icon.tsx'
import { SkeletonLines } from '../../../ui/Skeleton.tsx'
import { TextLink } from '../../../ui/Link.tsx'
import { BeforeAfter } from '../../../ui/value/BeforeAfter.tsx'
import { useEditor } from '../editor/editor-context.ts'
import {
  kindIcon,
  propertyTitle,
  resourceTitle,
  placeNamer,
} from '../../../forms/property/property-labels.ts'
import type { EditProblem } from '../draft/marks.ts'
import { definitionOf } from '../draft/outline.ts'
import { isHidden, isSet } from '../../../forms/property/property-value.ts'
import { labelled } from '../../../i18n/punctuation.ts'
import type { Draft } from '../draft/draft.ts'
import { isTaken, take, type Offer } from '../draft/arrival.ts'
import type { PlannedGroup } from './planned.ts'

/** One installation of a plan: its changes, and the steps of its CONFIGURE operation. */
export function PlannedInstallation({
  group,
  offers,
  draft,
  problems,
  isExcluded,
  onExclude,
  isWhole,
}: {
  group: PlannedGroup
  /** Copied or restored values, which can be ticked one by one. */
  offers: readonly Offer[]
  draft: Draft
  /** What the form says about the values; it comes before what the plan says. */
  problems: readonly EditProblem[]
  isExcluded: boolean
  onExclude: (isExcluded: boolean) => void
  /** Its changes cannot be left out alone. */
  isWhole: boolean
}) {
  const t = useText()
  const rich = useRichText()
  const { titleOf } = useEditor()
  const isIdle = group.locators.length === 0
  const title = titleOf(group.installation)
  const locators = [...new Set(group.changes.map(({ locator }) => locator))]
  const heading = (
    <span className="text-md font-semibold">
      {isIdle
        ? t('configuration.plan.idle', { bundle: title })
        : t('configuration.plan.runs', { type: t('vocabulary.type.CONFIGURE'), bundle: title })}
    </span>
  )
  return (
    <section aria-label={title} className="min-w-0">
      <div className="mb-2 flex min-h-8 flex-wrap items-center justify-between gap-x-4">
        {isIdle || (isWhole && group.claim === null) ? (
          heading
        ) : (
          <Checkbox
            checked={!isExcluded}
            disabled={group.claim !== null}
            onChange={(event) => onExclude(!event.target.checked)}
          >
            {heading}
          </Checkbox>
        )}
        {isExcluded && <span className="text-xs text-muted">{t('configuration.plan.staysInDraft')}</span>}
      </div>
      {group.claim !== null && (
        <p className="mb-2 flex items-start gap-2 rounded-md border border-line-strong bg-sunken px-3 py-2">
          <Icon name="lock" size={14} className="mt-0.5 text-muted" />
          <span className="min-w-0">
            {rich('configuration.plan.claimed', {
              type: (
                <TextLink to={paths.operation(group.claim.operationId)}>
                  {t(`vocabulary.type.${group.claim.operationType}`)}
                </TextLink>
              ),
              person: group.claim.requestedBy.name,
            })}
          </span>
        </p>
      )}
      <div className={isExcluded ? 'space-y-3 opacity-60' : 'space-y-3'}>
        {locators.map((locator) => (
          <PlannedResource key={locator} {...{ locator, group, offers, draft, problems }} />
        ))}
        {group.problems
          .filter(({ property }) => property === undefined)
          .map((problem) => (
            <Refused key={problem.message}>{placedError(problem, t)}</Refused>
          ))}
        {!isIdle &&
          (group.stages === null ? <SkeletonLines lines={2} /> : <PlannedCalls stages={group.stages} />)}
      </div>
    </section>
  )
}

/** The changes of one resource. */
function PlannedResource({
  locator,
  group,
  offers,
  draft,
  problems,
}: Pick<Parameters<typeof PlannedInstallation>[0], 'group' | 'offers' | 'draft' | 'problems'> & {
  locator: string
}) {
  const t = useText()
  const { configuration } = useEditor()
  const resource = configuration.resources[locator]
  const title = resourceTitle(resource, locator)
  const changes = group.changes.filter((change) => change.locator === locator)
  return (
    <div>
      <p className="mb-1 flex items-center gap-1.5 text-muted">
        {resource !== undefined && <Icon name={kindIcon[resource.kind]} size={14} />}
        {title}
      </p>
      <BeforeAfter
        label={t('configuration.plan.changesOf', { resource: title })}
        changes={changes.map(({ property, before, after }) => {
          const isHere = (one: { locator?: string | undefined; property?: string | undefined }) =>
            one.locator === locator && one.property === property
          const offer = offers.find(isHere)
          const isOff = offer !== undefined && !isTaken(offer, draft)
          const definition = definitionOf(resource, property)
          const name = propertyTitle(definition, property)
          const planned = group.problems.find(isHere)
          const problem = problems.find(isHere)?.message ?? (planned && placedError(planned, t))
          return {
            id: property,
            name: (
              <span className="font-sans text-sm">
                {offer === undefined ? name : <TakeOffer {...{ offer, isOff, name, resource: title }} />}
              </span>
            ),
            before,
            after,
            nameOf: placeNamer(definition, t),
            isOff,
            note:
              problem !== undefined ? (
                <Refused>{problem}</Refused>
              ) : offer === undefined ? (
                isReplaced(before, after) && t('configuration.plan.replaced')
              ) : (
                <OfferNote offer={offer} isOff={isOff} />
              ),
          }
        })}
      />
    </div>
  )
}

/** The name of a property whose copied or restored value is saved only while it is ticked. */
function TakeOffer({
  offer,
  isOff,
  name,
  resource,
}: {
  offer: Offer
  isOff: boolean
  name: string
  resource: string
}) {
  const t = useText()
  const { configuration, store, isSaving } = useEditor()
  return (
    <Checkbox
      aria-label={labelled(t, t('configuration.arrival.take'), `${name} · ${resource}`)}
      checked={!isOff}
      disabled={isSaving}
      onChange={({ target }) => take(offer, target.checked, { store, configuration })}
    >
      {name}
    </Checkbox>
  )
}

function OfferNote({ offer: { bound, own }, isOff }: { offer: Offer; isOff: boolean }) {
  const t = useText()
  return (
    <>
      {bound !== null && <span className="block">{t(`configuration.arrival.bound.${bound}`)}</span>}
      {own !== null && (
        <span className="block">{t(`configuration.arrival.own.${isOff ? 'kept' : 'replaced'}`)}</span>
      )}
    </>
  )
}

/** A sensitive value looks the same before and after, so a text says that it changes. */
const isReplaced = (before: PropertyView | null, after: PropertyView | null): boolean =>
  isHidden(before) && isHidden(after) && isSet(before) && isSet(after)

function Refused({ children }: { children: string }) {
  return (
    <span className="mt-0.5 flex gap-1.5 text-xs font-normal text-fail">
      <Icon name="failed" size={12} className="mt-0.5" />
      <span className="min-w-0 whitespace-pre-line wrap-anywhere">{children}</span>
    </span>
  )
}
