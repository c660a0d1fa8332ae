import type { ConfigurationResource } from '#contract/console-api/shapes.ts'
import { viewOf } from '../../../forms/property/property-value.ts'
import { useText } from '../../../i18n/use-text.ts'
import { Badge } from '../../../ui/Badge.tsx'
import { Button } from '../../../ui/Button.tsx'
import { LocatorText } from '../../../ui/Id.tsx'
import { Icon } from '../../../ui/Icon.tsx'
import { focusHome } from '../../../ui/keep-focus.ts'
import { Notice } from '../../../ui/Notice.tsx'
import { PropertyValueView } from '../../../ui/value/ValueView.tsx'
import { kindIcon, propertyTitle, resourceTitle } from '../../../forms/property/property-labels.ts'
import { useDraft } from '../draft/use-draft-store.ts'
import { useEditor, labelId, rowId } from '../editor/editor-context.ts'

/** A resource that is no longer here while the person has edits of it: they stay in view until they are discarded. */
export function GoneForm({ locator, resource }: { locator: string; resource: ConfigurationResource }) {
  const t = useText()
  const { store } = useEditor()
  const properties = Object.keys(useDraft(store)[locator] ?? {})
  return (
    <section aria-labelledby="resource-title" className="@container/form min-w-0">
      <header className="mb-4">
        <div className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
          <Icon name={kindIcon[resource.kind]} className="text-muted" />
          <h2
            id="resource-title"
            tabIndex={-1}
            className="text-lg font-semibold tracking-tight outline-none wrap-anywhere"
          >
            <del>{resourceTitle(resource, locator)}</del>
          </h2>
          <Badge>{t(`vocabulary.kind.${resource.kind}`)}</Badge>
        </div>
        <div className="mt-1">
          <LocatorText locator={locator} />
        </div>
      </header>
      <Notice tone="warn">{t('configuration.conflict.gone.resource')}</Notice>
      <GoneEdits locator={locator} properties={properties} />
    </section>
  )
}

/** Edits of properties that cannot be saved any more. */
export function GoneEdits({ locator, properties }: { locator: string; properties: readonly string[] }) {
  const t = useText()
  const { store, loseChange, definitionAt } = useEditor()
  const draft = useDraft(store)
  return (
    <div className="mt-3">
      {properties.map((property) => {
        const edited = draft[locator]?.[property]
        if (edited === undefined) return null
        return (
          <div
            key={property}
            id={rowId(property)}
            role="group"
            aria-labelledby={labelId(property)}
            {...focusHome('resource-title')}
            className="flex flex-wrap items-center gap-x-4 gap-y-1 border-t border-line py-3 first:border-t-0"
          >
            <del id={labelId(property)} className="min-w-40 font-medium wrap-anywhere">
              {propertyTitle(definitionAt(locator, property), property)}
            </del>
            <span className="min-w-0 flex-1">
              <PropertyValueView value={viewOf(edited.edit, edited.isSensitive)} />
            </span>
            <Button
              size="sm"
              of={labelId(property)}
              onClick={() => loseChange(() => store.apply([{ locator, property, next: null }]))}
            >
              {t('configuration.conflict.letGo')}
            </Button>
          </div>
        )
      })}
    </div>
  )
}
