import { paths, type ScopeKey } from '../../addresses/paths.ts'
import { PlainLink } from '../../ui/Link.tsx'
import { Segments } from '../../ui/Id.tsx'

/** A scope: environment, runtime, workspace. */
export function ScopeText({
  scope,
  wraps,
  className,
}: {
  scope: ScopeKey
  wraps?: boolean
  className?: string | undefined
}) {
  const parts = [scope.environmentKey, scope.applicationRuntimeId, scope.workspaceId]
  return <Segments parts={parts} {...(wraps && { wraps })} className={className} />
}

/** A scope that links to its configuration. */
export function ScopeLink({ scope }: { scope: ScopeKey }) {
  return (
    <PlainLink to={paths.configuration(scope)} className="target rounded-sm hover:underline">
      <ScopeText scope={scope} wraps />
    </PlainLink>
  )
}
