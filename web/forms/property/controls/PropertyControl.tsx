import { Suspense, type ComponentType } from 'react'
import type { ResourceKind } from '#contract/protocol/locator.ts'
import { lazyPart } from '../../../base/lazy-part.ts'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { ChoiceControl, SwitchControl, TimeZoneControl } from './ChoiceControls.tsx'
import { controlKind, controlTraits, schemaOf, type ControlKind } from '../control-kind.ts'
import { dataValue } from '../property-edit.ts'
import { fitsControl } from '../inner-value.ts'
import { AsJson } from './AsJson.tsx'
import type { ControlProps, InnerProps } from './control-props.ts'
import { NumberControl } from './NumberControl.tsx'
import { ObjectControl } from './ObjectControl.tsx'
import { ReferenceControl, ReferenceListControl, ReferenceMapControl } from './ReferenceControls.tsx'
import { SecretControl } from './SecretControl.tsx'
import { DomainControl, LongTextControl, TextControl } from './TextControl.tsx'
import { ListControl } from './ListControl.tsx'
import { MapControl } from './MapControl.tsx'
import { NullableControl } from './NullableControl.tsx'
import { useJsonMode } from './use-json-mode.ts'
import { VariantsControl } from './VariantsControl.tsx'

// large controls, and those that need a library, are loaded on demand
const JsonControl = lazyPart(async () => (await import('./JsonControl.tsx')).JsonControl)
const CronControl = lazyPart(async () => (await import('./CronControl.tsx')).CronControl)

const CONTROLS: Readonly<Record<ControlKind, ComponentType<ControlProps>>> = {
  text: TextControl,
  'long-text': LongTextControl,
  number: NumberControl,
  switch: SwitchControl,
  choice: ChoiceControl,
  list: ListControl,
  nullable: NullableControl,
  object: ObjectControl,
  map: MapControl,
  variants: VariantsControl,
  json: JsonControl,
  cron: CronControl,
  'time-zone': TimeZoneControl,
  domain: DomainControl,
  secret: SecretControl,
  reference: ReferenceControl,
  'reference-map': ReferenceMapControl,
  'reference-list': ReferenceListControl,
}

/** Renders the control for a property's definition. */
export function PropertyControl({ resourceKind, ...props }: InnerProps & { resourceKind: ResourceKind }) {
  const kind = controlKind(props.definition, resourceKind)
  const Control = CONTROLS[kind]
  return (
    <Suspense fallback={<Skeleton className="h-8 w-full" />}>
      {controlTraits(kind).isOneField ? (
        <FieldOrJson {...props} Inner={InnerControl} Control={Control} />
      ) : (
        <Control {...props} Inner={InnerControl} />
      )}
    </Suspense>
  )
}

/** A value of another type than that of the control is edited as JSON, so that it is seen and not lost. */
function FieldOrJson({ Control, ...props }: ControlProps & { Control: ComponentType<ControlProps> }) {
  const { definition, value, unfinished } = props
  const fits = unfinished !== null || fitsControl(schemaOf(definition), dataValue(value))
  const { isJson, toForm } = useJsonMode(fits)
  return isJson ? <AsJson {...props} onForm={toForm} /> : <Control {...props} />
}

/** A value inside another one: what depends on the kind of its resource is only at the top. */
function InnerControl(props: InnerProps) {
  return <PropertyControl {...props} resourceKind="MODULE" />
}
