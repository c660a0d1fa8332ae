import { Segments } from '../ui/Id.tsx'

/** A resource locator: bundle environment, bundle, kind, name; its name is found at once. */
export function LocatorText({ locator }: { locator: string }) {
  return <Segments parts={locator.split('/')} />
}
