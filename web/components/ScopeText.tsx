import { paths, type ScopeKey } from '../paths.ts'
import { PlainLink } from '../ui/Link.tsx'
import { Segments } from '../ui/Id.tsx'

/** A scope: environment, runtime, workspace. */
export function ScopeText({ scope }: { scope: ScopeKey }) {
  return <Segments parts={[scope.environmentKey, scope.applicationRuntimeId, scope.workspaceId]} />
}

/** A scope that links to its configuration. */
export function ScopeLink({ scope }: { scope: ScopeKey }) {
  return (
    <PlainLink to={paths.configuration(scope)} className="rounded-sm hover:underline">
      <ScopeText scope={scope} />
    </PlainLink>
  )
}
