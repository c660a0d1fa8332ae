import { useId, useMemo } from 'react'
import { useText } from '../../../i18n/use-text.ts'
import { useShell } from '../../shell/shell-context.ts'
import { Button } from '../../../ui/Button.tsx'
import { Checkbox, Radio } from '../../../ui/Checkbox.tsx'
import { Field } from '../../../ui/Field.tsx'
import { NumberInput, TextInput } from '../../../ui/TextInput.tsx'
import { invalidLimits, LIMIT_MAX, type Limits } from '../batch-limits.ts'
import type { BatchTarget } from '../bundle-targets.ts'
import { invalidWaves, NEW_WAVES, type TypedWaves, type WaveField } from '../typed-waves.ts'

/** The environments of the targets; those that people have marked, such as production, come last. */
export function useEnvironmentsOf(targets: readonly BatchTarget[]): string[] {
  const { environmentMarks } = useShell()
  return useMemo(() => {
    const isMarked = (key: string) => environmentMarks.some(({ environmentKey }) => environmentKey === key)
    const keys = [...new Set(targets.map(({ installation }) => installation.environmentKey))].toSorted()
    return [...keys.filter((key) => !isMarked(key)), ...keys.filter(isMarked)]
  }, [targets, environmentMarks])
}

/** How carefully a batch proceeds. */
export function BatchLimits({
  value,
  onChange,
  count,
  environments,
}: {
  value: Limits
  onChange: (limits: Limits) => void
  count: number
  /** Of the targets, in the order to begin with. */
  environments: string[]
}) {
  const t = useText()
  if (count < 2) return null
  const invalid = invalidLimits(value)
  const input = (name: keyof typeof LIMIT_MAX, label: string, help?: string) => (
    <Field
      label={label}
      {...(help !== undefined && { help })}
      error={invalid.has(name) && t('batches.make.limit.invalid', { max: LIMIT_MAX[name] })}
    >
      {(wiring) => (
        <NumberInput
          {...wiring}
          value={value[name]}
          onChange={(event) => onChange({ ...value, [name]: event.target.value })}
        />
      )}
    </Field>
  )
  return (
    <>
      <fieldset className="grid gap-4 sm:grid-cols-3">
        <legend className="sr-only">{t('batches.make.limits')}</legend>
        {input('first', t('batches.make.first'), t('batches.make.first.help'))}
        {input('concurrency', t('batches.make.concurrency'))}
        {input('failures', t('batches.make.failures'), t('batches.make.failures.help'))}
      </fieldset>
      <WavesField
        value={value.waves}
        environments={environments}
        onChange={(waves) => onChange({ ...value, waves })}
      />
    </>
  )
}

/** Whether a batch is carried out in waves, how it is divided, and under which conditions the next wave starts. */
function WavesField({
  value,
  environments,
  onChange,
}: {
  value: TypedWaves | undefined
  environments: string[]
  onChange: (value: TypedWaves | undefined) => void
}) {
  const t = useText()
  const helpId = useId()
  return (
    <fieldset className="space-y-3">
      <legend className="sr-only">{t('batches.waves')}</legend>
      <div className="flex flex-wrap items-center gap-x-2">
        <Checkbox
          aria-describedby={helpId}
          checked={value !== undefined}
          onChange={({ target }) => onChange(target.checked ? { ...NEW_WAVES, environments } : undefined)}
        >
          {t('batches.make.waves')}
        </Checkbox>
        <span id={helpId} className="text-muted">
          {t('batches.make.waves.help')}
        </span>
      </div>
      {value !== undefined && <Waves value={value} environments={environments} onChange={onChange} />}
    </fieldset>
  )
}

function Waves({
  value,
  environments,
  onChange,
}: {
  value: TypedWaves
  environments: string[]
  onChange: (value: TypedWaves) => void
}) {
  const t = useText()
  const invalid = invalidWaves(value)
  const set = (changed: Partial<TypedWaves>) => onChange({ ...value, ...changed })
  const known = [
    ...value.environments.filter((one) => environments.includes(one)),
    ...environments.filter((one) => !value.environments.includes(one)),
  ]
  const choose = (by: TypedWaves['by']) => set({ by, environments: known })
  const error = (field: WaveField) => invalid.has(field) && t(`batches.make.waves.invalid.${field}`)
  return (
    <div className="space-y-3 border-l-2 border-line pl-4">
      {environments.length > 1 && (
        <div role="radiogroup" aria-label={t('batches.make.waves.by')} className="flex flex-wrap gap-x-5">
          {(['sizes', 'environments'] as const).map((by) => (
            <Radio key={by} name="waves" checked={value.by === by} onChange={() => choose(by)}>
              {t(`batches.make.waves.by.${by}`)}
            </Radio>
          ))}
        </div>
      )}
      {value.by === 'sizes' ? (
        <Field
          label={t('batches.make.waves.sizes')}
          help={t('batches.make.waves.sizes.help')}
          error={error('sizes')}
          className="max-w-md"
        >
          {(wiring) => (
            <TextInput
              {...wiring}
              value={value.sizes}
              onChange={(event) => set({ sizes: event.target.value })}
            />
          )}
        </Field>
      ) : (
        <Order environments={known} onChange={(next) => set({ environments: next })} />
      )}
      <div className="grid gap-4 sm:grid-cols-3">
        {(['soak', 'failures', 'success'] as const).map((field) => (
          <Field
            key={field}
            label={t(`batches.make.waves.${field}`)}
            help={t(`batches.make.waves.${field}.help`)}
            error={error(field)}
          >
            {(wiring) => (
              <NumberInput
                {...wiring}
                value={value[field]}
                onChange={(event) => set({ [field]: event.target.value })}
              />
            )}
          </Field>
        ))}
      </div>
    </div>
  )
}

/** The environments in the order of their waves. */
function Order({
  environments,
  onChange,
}: {
  environments: readonly string[]
  onChange: (environments: string[]) => void
}) {
  const t = useText()
  return (
    <ol aria-label={t('batches.make.waves.by.environments')} className="max-w-md space-y-1">
      {environments.map((environment, index) => (
        <li
          key={environment}
          className="flex items-center gap-3 rounded-md border border-line bg-sunken py-0.5 pr-0.5 pl-3"
        >
          <span className="text-muted">{t('batches.wave', { number: index + 1 })}</span>
          <span className="min-w-0 flex-1 wrap-anywhere">{environment}</span>
          <Button
            size="sm"
            variant="quiet"
            icon="arrowUp"
            label={t('batches.make.waves.earlier', { environment })}
            disabledReason={index === 0 && t('batches.make.waves.isFirst')}
            onClick={() =>
              onChange([
                ...environments.slice(0, index - 1),
                environment,
                ...environments.slice(index - 1, index),
                ...environments.slice(index + 1),
              ])
            }
          />
        </li>
      ))}
    </ol>
  )
}
