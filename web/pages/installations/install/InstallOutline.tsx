import { focusControl } from '../../../forms/form/focus-field.ts'
import { useText } from '../../../i18n/use-text.ts'
import { sectionId } from '../../../subjects/operation-form/OperationFields.tsx'
import {
  isEntered,
  type Edits,
  type FormField,
  type FormResource,
} from '../../../subjects/operation-form/property-form.ts'
import { OUTLINE_ROW, OutlineCount, OutlineResource } from '../../../subjects/outline/OutlineRow.tsx'
import { propertyTitle } from '../../../forms/property/property-labels.ts'
import { cx } from '../../../ui/class-names.ts'

/** The resources of an install, each with what is missing and what was entered. A click leads to its fields. */
export function InstallOutline({
  resources,
  edits,
  invalid,
}: {
  resources: readonly FormResource[]
  edits: Edits
  invalid: ReadonlySet<string>
}) {
  const t = useText()
  return (
    <nav aria-label={t('configuration.outline.label')} className="sticky top-4 max-lg:hidden">
      <ul className="max-h-[calc(100dvh-8rem)] overflow-y-auto">
        {resources
          .filter(({ fields }) => fields.length > 0)
          .map(({ locator, kind, title, fields }) => {
            const missing = missingIn(fields, edits).length
            const edited = fields.filter(({ id }) => edits.has(id)).length
            const wrong = fields.filter(({ id }) => edits.has(id) && invalid.has(id)).length
            return (
              <li key={locator}>
                <button
                  type="button"
                  className={cx(OUTLINE_ROW, 'w-full text-left hover:bg-hover')}
                  onClick={() => goTo(locator, missingIn(fields, edits)[0])}
                >
                  <OutlineResource kind={kind} name={locator} title={title}>
                    <OutlineCount
                      of="invalid"
                      n={wrong}
                      text={t('configuration.outline.invalid', { n: wrong })}
                    />
                    <OutlineCount
                      of="missing"
                      n={missing}
                      text={t('installations.outline.missing', { n: missing })}
                    />
                    <OutlineCount
                      of="edited"
                      n={edited}
                      text={t('installations.outline.entered', { n: edited })}
                    />
                  </OutlineResource>
                </button>
              </li>
            )
          })}
      </ul>
    </nav>
  )
}

/** How many of the required values are set, and a button to the next missing one. */
export function RequiredValues({ resources, edits }: { resources: readonly FormResource[]; edits: Edits }) {
  const t = useText()
  const needed = resources.flatMap(({ fields }) => fields).filter(({ isNeeded }) => isNeeded)
  if (needed.length === 0) return null
  const [next] = missingIn(needed, edits)
  const set = needed.length - missingIn(needed, edits).length
  return (
    <>
      <span role="status" className="font-semibold whitespace-nowrap">
        {t('installations.required', { n: set, of: needed.length })}
      </span>
      {next !== undefined && (
        <button
          type="button"
          className="min-h-6 min-w-0 truncate rounded-sm text-accent hover:underline"
          onClick={() => goTo(next.locator, next)}
        >
          {t('installations.required.next', { property: propertyTitle(next.definition, next.property) })}
        </button>
      )}
    </>
  )
}

const missingIn = (fields: readonly FormField[], edits: Edits): FormField[] =>
  fields.filter((field) => field.isNeeded && !isEntered(edits.get(field.id)))

/** Goes to a field, or to the first one of its resource. */
function goTo(locator: string, field: FormField | undefined): void {
  const section = document.getElementById(sectionId(locator))
  const control = field === undefined ? null : document.getElementById(field.id)
  if (control !== null) return focusControl(control)
  if (section === null) return
  section.scrollIntoView({ block: 'start' })
  section
    .querySelector<HTMLElement>('input, select, textarea, summary, button')
    ?.focus({ preventScroll: true })
}
