import { useQuery } from '@tanstack/react-query'
import { availableServicesCall } from '#contract/console-api/pages/services.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { apiQuery } from '../../../api/query.ts'
import { useText } from '../../../i18n/use-text.ts'
import type { Option } from '../../../ui/Select.tsx'

/** The services available to a scope, as options. A selected service that is not available stays in the list. */
export function useServiceOptions(
  scope: Scope,
  chosen: readonly string[],
): { options: Option[]; note: string | null } {
  const t = useText()
  const services = useQuery(apiQuery('GET /services', availableServicesCall(scope)))
  const offered = services.data?.items.filter((service) => service.enabled) ?? []
  const missing = [...new Set(chosen)].filter(
    (id) => id !== '' && !offered.some((service) => service.serviceId === id),
  )
  return {
    options: [
      ...missing.map((id) => ({
        value: id,
        label: services.isSuccess ? t('forms.reference.unknown', { service: id }) : id,
      })),
      ...offered.map((service) => ({
        value: service.serviceId,
        label: `${service.title} (${service.serviceId})`,
      })),
    ],
    note: services.isError
      ? t('forms.reference.failed')
      : services.isPending
        ? t('forms.reference.loading')
        : null,
  }
}
