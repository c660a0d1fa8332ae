import { Skeleton } from '../../ui/Skeleton.tsx'
import { useText } from '../../i18n/use-text.ts'

/** The placeholder for the outline and the form. */
export function EditorSkeleton() {
  const t = useText()
  return (
    <div
      role="status"
      aria-label={t('common.loading')}
      className="grid gap-8 pt-4 lg:grid-cols-[17rem_minmax(0,1fr)]"
    >
      <div className="space-y-4">
        <Skeleton className="h-8 w-full" />
        {[5, 3, 4].map((rows) => (
          <div key={rows} className="space-y-3">
            <Skeleton className="w-24" />
            {Array.from({ length: rows }, (_, index) => (
              <Skeleton key={index} className="ml-2 w-4/5" />
            ))}
          </div>
        ))}
      </div>
      <div className="space-y-7 max-lg:hidden">
        <Skeleton className="h-6 w-56" />
        {Array.from({ length: 6 }, (_, index) => (
          <div key={index} className="grid grid-cols-[15rem_minmax(0,1fr)] gap-8">
            <Skeleton className="w-32" />
            <Skeleton className="h-8 w-full max-w-[38rem]" />
          </div>
        ))}
      </div>
    </div>
  )
}
