import { paths } from '../../addresses/paths.ts'
import { TextLink } from '../../ui/Link.tsx'

/** A service by its title and id; without a link if it is not registered, which is if it has no title. */
export function ServiceLink({ serviceId, title }: { serviceId: string; title: string | null }) {
  if (title === null) return <span className="mono">{serviceId}</span>
  return (
    <>
      <TextLink to={paths.service(serviceId)}>{title}</TextLink>{' '}
      <span className="mono text-faint">{serviceId}</span>
    </>
  )
}
